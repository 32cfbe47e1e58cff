/** What a catalogue's revision tells, whichever engine it runs on. */
import { beforeEach, describe, expect, test } from "bun:test";
import type { NewPet } from "../../src/petstore/catalogue/pet.ts";
import { petRange } from "../../src/petstore/catalogue/petChanges.ts";
import type { Stores } from "../../src/storage/stores.ts";

const prey: NewPet = { name: "Prey", categoryId: 1n, status: "available" };
const rounds = 40;

/** `open` gives another handle on the same database, which is empty when a test begins. */
export function describeRevision(engine: string, open: () => Promise<Stores>): void {
  describe(`the revision of the pets on ${engine}`, () => {
    let one: Stores;
    let two: Stores;
    beforeEach(async () => {
      one = await open();
      two = await open();
    });

    async function movesWith(change: (round: number) => Promise<unknown>): Promise<void> {
      for (let round = 0; round < rounds; round++) {
        const before = await two.catalogue.revision();
        expect(await two.catalogue.revision()).toBe(before);
        await change(round);
        const after = await two.catalogue.revision();
        expect([round, after > before]).toEqual([round, true]);
        expect(two.revisions().pets).toBe(after);
        expect(await two.catalogue.revision()).toBe(after);
      }
    }

    test("is another in every handle once an order was placed", async () => {
      for (let round = 0; round < rounds; round++) await one.catalogue.add(prey);
      await movesWith((round) => one.orders.place({ petId: BigInt(round + 1), quantity: 1 }, 1));
    });

    test("and once one was delivered", async () => {
      for (let id = 1n; id <= BigInt(rounds); id++) {
        await one.catalogue.add(prey);
        await one.orders.place({ petId: id, quantity: 1 }, 1);
        await one.orders.move(id, "approve");
      }
      await movesWith((round) => one.orders.move(BigInt(round + 1), "deliver"));
    });

    test("and once one was cancelled", async () => {
      for (let id = 1n; id <= BigInt(rounds); id++) {
        await one.catalogue.add(prey);
        await one.orders.place({ petId: id, quantity: 1 }, 1);
      }
      await movesWith((round) => one.orders.move(BigInt(round + 1), "cancel"));
    });

    test("and once a pet was updated, or deleted", async () => {
      for (let round = 0; round < rounds; round++) await one.catalogue.add(prey);
      await movesWith((round) => one.catalogue.update(1n, { name: `${round}` }));
      await movesWith((round) => one.catalogue.delete(BigInt(round + 1)));
    });

    test("and once a pet was imported, which may come before others", async () => {
      await movesWith((round) =>
        one.catalogue.import([{ ...prey, id: BigInt(rounds - round), status: "sold" }]),
      );
    });

    test("moves with the pet that was changed, and what was read of others stands", async () => {
      for (let id = 1n; id <= 3n; id++) await one.catalogue.add(prey);
      const before = await two.catalogue.revision();
      const affected = async () => {
        await two.catalogue.revision();
        return [1n, 2n, 3n].filter((id) => two.catalogue.changes.affect(petRange(id, id), before));
      };
      await one.orders.place({ petId: 2n, quantity: 1 }, 1);
      expect(await affected()).toEqual([2n]);
      await Promise.all([
        one.orders.move(1n, "approve"),
        one.orders.place({ petId: 3n, quantity: 1 }, 1),
      ]);
      expect(await affected()).toEqual([2n, 3n]);
      await one.catalogue.delete(1n);
      expect(await affected()).toEqual([1n, 2n, 3n]);
      expect(two.catalogue.changes.affect(petRange(4n, 9n), before)).toBe(false);
      await one.catalogue.import([{ ...prey, id: 9n }]);
      expect(two.catalogue.changes.affect(petRange(4n, 9n), before)).toBe(false);
      await two.catalogue.revision();
      expect(two.catalogue.changes.affect(petRange(4n, 9n), before)).toBe(true);
    });

    test("stays with pets that are added, and with what is refused", async () => {
      await one.catalogue.add(prey);
      const before = await two.catalogue.revision();
      await one.catalogue.add(prey);
      expect((await one.orders.place({ petId: 99n, quantity: 1 }, 1)).kind).toBe("no_such_pet");
      expect((await one.catalogue.update(99n, { name: "x" })).kind).toBe("no_such_pet");
      expect((await one.catalogue.delete(99n)).kind).toBe("no_such_pet");
      // Nothing changes here either.
      expect((await one.catalogue.update(1n, { ...prey })).kind).toBe("done");
      expect(await two.catalogue.revision()).toBe(before);
    });

    test("has moved everywhere for whoever reads a change, before it was acknowledged too", async () => {
      for (let id = 1n; id <= BigInt(rounds); id++) {
        await one.catalogue.add(prey);
        const before = await two.catalogue.revision();
        let acknowledged = false;
        const placing = one.orders.place({ petId: id, quantity: 1 }, 1).then(() => {
          acknowledged = true;
        });
        for (;;) {
          const wasAcknowledged = acknowledged;
          if ((await one.catalogue.get(id))?.includes("pending")) break;
          if (wasAcknowledged) throw new Error("It was acknowledged and cannot be read.");
          await new Promise((later) => setImmediate(later));
        }
        expect(await two.catalogue.revision()).not.toBe(before);
        await placing;
      }
    });
  });
}
