import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeUnless } from "../../testkit/describeUnless.ts";
import { faultyDisk, lacksFaultyDisk } from "../../testkit/faultyDisk.ts";
import { SeededRandom } from "../../testkit/seededRandom.ts";
import { type DiskRecord, readJournal } from "../../torture/disk/journal.ts";
import {
  cutPower,
  type DiskImage,
  readImage,
  withoutPowerCut,
  writeImage,
} from "../../torture/disk/powerCut.ts";
import { losePower } from "../../torture/scenarios/powerLoss.ts";
import { startVictim } from "../../torture/service.ts";
import { Tally } from "../../torture/tally.ts";

const root = mkdtempSync(join(tmpdir(), "petstore-power-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Records as a process would leave them, each at the place that it has in the journal. */
function journalOf(...steps: (Pick<DiskRecord, "kind" | "path"> & Partial<DiskRecord>)[]) {
  return steps.map((step, index): DiskRecord => {
    return { offset: 0, data: new Uint8Array(), endsAt: index + 1, ...step };
  });
}

const bytes = (text: string) => new TextEncoder().encode(text);
const blocks = (letter: string) => bytes(letter.repeat(2_048));
const text = (image: DiskImage, path: string) => new TextDecoder().decode(image.get(path));

function everyCut(before: DiskImage, records: readonly DiskRecord[], lies = false) {
  return Array.from({ length: 300 }, (_, seed) =>
    cutPower({ before, records, random: new SeededRandom(seed), lies }),
  );
}

describe("after a power cut", () => {
  const before = new Map([["a", blocks("o")]]);

  test("what was synced is there, whatever happens to the rest", () => {
    const records = journalOf(
      { kind: "write", path: "a", data: blocks("n") },
      { kind: "sync", path: "a", offset: 1 },
      { kind: "write", path: "a", offset: 2_048, data: blocks("x") },
    );
    for (const { image } of everyCut(before, records)) {
      expect(text(image, "a").slice(0, 2_048)).toBe("n".repeat(2_048));
    }
  });

  test("what was not synced is old, new, or torn between sectors and nowhere else", () => {
    const records = journalOf({ kind: "write", path: "a", data: blocks("n") });
    const seen = everyCut(before, records).map(({ image }) => text(image, "a"));
    for (const each of seen) expect(each).toMatch(/^(?:o{512}|n{512}){4}$/);
    expect(seen).toContain("o".repeat(2_048));
    expect(seen).toContain("n".repeat(2_048));
    expect(seen.some((each) => each.includes("o") && each.includes("n"))).toBe(true);
  });

  test("a write that came while the sync was under way is not taken for synced", () => {
    const records = journalOf(
      { kind: "write", path: "a", data: blocks("n") },
      { kind: "write", path: "a", data: blocks("x") },
      { kind: "sync", path: "a", offset: 1 },
    );
    const seen = everyCut(before, records).map(({ image }) => text(image, "a"));
    expect(seen).toContain("n".repeat(2_048));
    expect(seen.some((each) => each.includes("o"))).toBe(false);
  });

  test("a file that was removed may be back, until its folder is synced", () => {
    const removed = { kind: "unlink", path: "a" } as const;
    const seen = everyCut(before, journalOf(removed));
    expect(new Set(seen.map(({ image }) => image.has("a")))).toEqual(new Set([true, false]));
    const records = journalOf(removed, { kind: "sync folder", path: "" });
    expect(everyCut(before, records).some(({ image }) => image.has("a"))).toBe(false);
  });

  test("a disk that lies forgets what it was made to sync", () => {
    const records = journalOf(
      { kind: "write", path: "a", data: blocks("n") },
      { kind: "sync", path: "a", offset: 1 },
    );
    const seen = everyCut(before, records, true).map(({ image }) => text(image, "a"));
    expect(seen).toContain("o".repeat(2_048));
  });

  test("a seed gives the same disk again", () => {
    const records = journalOf({ kind: "write", path: "a", data: blocks("n") });
    expect(everyCut(before, records)).toEqual(everyCut(before, records));
  });
});

describeUnless(lacksFaultyDisk(), "the service on the watched disk", () => {
  test("leaves a journal from which its files come out byte for byte", async () => {
    const folder = join(root, "data");
    mkdirSync(folder);
    const journal = join(root, "journal");
    const variables = faultyDisk({ folder, control: join(root, "control"), journal });
    const { token, ...first } = await startVictim({ folder, variables: {} });
    await first.stopped();
    const before = readImage(folder);
    const victim = await startVictim({ folder, token, variables });
    for (let number = 0; number < 200; number++) {
      const response = await fetch(`${victim.base}/pets`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ name: `Pet ${number}`, categoryId: number }),
      });
      expect(response.status).toBe(201);
    }
    await victim.killed();
    const after = new Map([...readImage(folder)].filter(([path]) => !path.endsWith("-shm")));
    const told = withoutPowerCut(before, readJournal(new Uint8Array(readFileSync(journal))));
    expect([...told.keys()].sort()).toEqual([...after.keys()].sort());
    for (const [path, content] of after) {
      expect(Buffer.compare(told.get(path) ?? bytes(""), content)).toBe(0);
    }
    const copy = join(root, "copy");
    writeImage(copy, after);
    expect([...readImage(copy).keys()].sort()).toEqual([...after.keys()].sort());
  });

  test("is found to lose acknowledged writes when the disk lies about its syncs", async () => {
    /** On a busy machine a run may be cut before it has acknowledged much. */
    const runsMax = 20;
    const losesAny = async (run: number) => {
      const tally = new Tally();
      const folder = join(root, `lies-${run}`);
      mkdirSync(folder);
      const context = { random: new SeededRandom(run), tally, folder, seconds: 3, say: () => {} };
      // A database may be left in which nothing can be read at all: that is a finding too.
      const failure = await losePower(context, { lies: true }).catch((cause) => cause);
      return failure instanceof Error || tally.violations.length > 0;
    };
    let found = false;
    for (let run = 1; run <= runsMax && !found; run++) found = await losesAny(run);
    expect(found).toBe(true);
  });
});
