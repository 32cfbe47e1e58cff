/** What the audit log records, whichever engine it is on. */
import { describe, expect, test } from "bun:test";
import { mintAccess } from "../../src/accounts/access.ts";
import { createSession, issueLink } from "../../src/accounts/sessions.ts";
import { type AuditEntry, headOf, pagesOf, verify } from "../../src/audit/auditLog.ts";
import { withOrigin } from "../../src/audit/origin.ts";
import { systemClock as clock } from "../../src/core/clock.ts";
import { mintKey, planRotation } from "../../src/petstore/keys/lifecycle.ts";
import { hashToken } from "../../src/petstore/keys/token.ts";
import type { Stores } from "../../src/storage/stores.ts";
import fc from "../../testkit/fastCheck.ts";

export async function allEntries({ audit }: Stores): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for await (const page of pagesOf(audit)) entries.push(...page);
  return entries;
}

const briefly = (entries: readonly AuditEntry[]) =>
  entries.map(({ actor, action, subject }) => [actor, action, subject]);

const operator = {
  actor: "accounts/operator",
  source: { address: "192.0.2.7", agent: "Firefox" },
  requestId: "req-1",
};
const key = (name: string) =>
  mintKey({ name, environment: "production", scopes: "all", expiresAtMs: undefined }, clock);

/** `open` gives another handle on the same database, which is empty when a test begins. */
export function describeAudit(engine: string, open: () => Promise<Stores>): void {
  describe(`the audit log on ${engine}`, () => {
    test("says who changed what, from where, before and after", async () => {
      const stores = await open();
      const { key: made, token } = key("till");
      await withOrigin(operator, () => stores.keys.add(made));
      const cli = { actor: "cli/root", source: { host: "db-1" } };
      await withOrigin(cli, () => stores.keys.revoke(made.id, Date.UTC(2026, 10, 16)));
      const [created, revoked] = await allEntries(stores);
      expect(created).toMatchObject({
        number: 1,
        actor: "accounts/operator",
        action: "key.create",
        subject: `keys/${made.id}`,
        source: '{"address":"192.0.2.7","agent":"Firefox"}',
        requestId: "req-1",
        before: undefined,
      });
      expect(revoked).toMatchObject({ number: 2, actor: "cli/root", action: "key.revoke" });
      expect(revoked?.before).toBe(created?.after);
      expect(JSON.parse(revoked?.after ?? "")).toMatchObject({
        name: "till",
        scopes: "all",
        revokedAt: "2026-11-16T00:00:00.000Z",
      });
      const everything = JSON.stringify([created, revoked]);
      for (const secret of [token, made.hash]) expect(everything).not.toContain(secret);
      expect(await verify(stores.audit)).toMatchObject({ entries: 2, fault: undefined });
    });

    test("has no entry of what was refused or changed nothing", async () => {
      const stores = await open();
      const { sites, keys, categories } = stores;
      const { key: made } = key("till");
      await keys.add(made);
      await sites.addOwner({ id: "acme", name: "Acme", plan: "free" });
      await categories.add("dogs", undefined, undefined);
      const before = await allEntries(stores);
      expect(await sites.addOwner({ id: "acme", name: "Other", plan: "paid" })).toBe(false);
      await sites.setPlan("acme", "free");
      expect(await sites.setPlan("nobody", "free")).toBe(false);
      await keys.revoke(made.id, 1);
      await keys.revoke(made.id, 2);
      await categories.rename(1n, "dogs", undefined);
      await categories.remove(9n);
      const added = (await allEntries(stores)).slice(before.length);
      expect(briefly(added)).toEqual([["service", "key.revoke", `keys/${made.id}`]]);
    });

    test("records a rotation as the end of one key and the start of another", async () => {
      const stores = await open();
      const { key: old } = key("till");
      await stores.keys.add(old);
      const rotation = planRotation(old, 1000, clock);
      await stores.keys.rotate(old.id, rotation.oldExpiresAtMs, rotation.key);
      const entries = await allEntries(stores);
      expect(briefly(entries.slice(1))).toEqual([
        ["service", "key.rotate", `keys/${old.id}`],
        ["service", "key.create", `keys/${rotation.key.id}`],
      ]);
      expect(JSON.parse(entries[1]?.after ?? "")).toMatchObject({ replacedBy: rotation.key.id });
    });

    test("records sign-ins, sign-outs and, once a minute, failed ones", async () => {
      const stores = await open();
      const { accounts } = stores;
      const link = await issueLink(accounts, clock, { kind: "operator" }, 60_000);
      const found = await accounts.findLink(hashToken(link.token));
      const { session } = createSession("operator", "Firefox", clock);
      const visitor = { actor: undefined, source: { address: "192.0.2.7" } };
      await withOrigin(visitor, async () => {
        const password = { hash: "argon2id$stored", setAtMs: clock.now() };
        const use = { hash: found?.hash ?? "", atMs: clock.now(), session, password };
        expect(await accounts.useLink(use)).toBe("session");
        await accounts.signInFailed("operator");
        await accounts.signInFailed("operator");
      });
      await withOrigin(operator, () => accounts.endSession("operator", session.id));
      const entries = await allEntries(stores);
      expect(briefly(entries)).toEqual([
        ["service", "account.issue_link", "accounts/operator"],
        ["accounts/operator", "account.sign_in", `sessions/${session.id}`],
        ["accounts/operator", "account.set_password", "accounts/operator"],
        ["anonymous", "account.sign_in_failed", "accounts/operator"],
        ["accounts/operator", "account.sign_out", `sessions/${session.id}`],
      ]);
      const everything = JSON.stringify(entries);
      for (const secret of [link.token, found?.hash, session.hash, "argon2id$stored"]) {
        expect(everything).not.toContain(secret);
      }
    });

    test("finds entries by actor, action, subject and time, newest first", async () => {
      const stores = await open();
      const { key: one } = key("one");
      const { access } = mintAccess({ kind: "operator" }, "ci", clock);
      await withOrigin(operator, () => stores.keys.add(one));
      await withOrigin({ actor: "cli/root", source: {} }, () => stores.access.add(access));
      await withOrigin(operator, () => stores.keys.revoke(one.id, 5));
      const numbers = async (query: object) =>
        (await stores.audit.list({ limit: 10, ...query })).map(({ number }) => number);
      expect(await numbers({})).toEqual([3, 2, 1]);
      expect(await numbers({ limit: 1 })).toEqual([3]);
      expect(await numbers({ before: 3 })).toEqual([2, 1]);
      expect(await numbers({ actor: "cli/root" })).toEqual([2]);
      expect(await numbers({ actor: "cli" })).toEqual([2]);
      expect(await numbers({ action: "key" })).toEqual([3, 1]);
      expect(await numbers({ action: "key.revoke" })).toEqual([3]);
      expect(await numbers({ action: "ke" })).toEqual([]);
      expect(await numbers({ subject: "keys/" })).toEqual([3, 1]);
      expect(await numbers({ subject: `keys/${one.id}`, action: "key.create" })).toEqual([1]);
      const [, second] = await allEntries(stores);
      const atMs = second?.atMs ?? 0;
      expect(await numbers({ sinceMs: atMs })).toContain(2);
      expect(await numbers({ untilMs: atMs })).not.toContain(2);
      expect(await numbers({ sinceMs: atMs + 60_000 })).toEqual([]);
      expect(await numbers({ actor: "\0" })).toEqual([]);
    });

    test("records who updates or deletes a pet or moves an order, and no other traffic", async () => {
      const stores = await open();
      const { catalogue, orders } = stores;
      const big = 9_007_199_254_740_993n;
      const idempotency = { keyId: "key_1", idempotencyKey: "a", fingerprint: "f", nowMs: 1 };
      const by = { actor: "keys/key_1", source: { address: "192.0.2.7" } };
      await catalogue.add({ name: "Bella", categoryId: 3n, status: "available" });
      await catalogue.add({ name: "Rex", categoryId: 3n, status: "available" });
      await withOrigin(by, async () => {
        await catalogue.update(1n, { categoryId: big }, { idempotency });
        await catalogue.update(1n, { categoryId: big }, { idempotency });
        await catalogue.update(1n, { name: "Bella" });
        await catalogue.update(9n, { name: "Nobody" });
        await catalogue.delete(2n);
        await catalogue.delete(2n);
      });
      await orders.place({ petId: 1n, quantity: 1 }, 0, undefined);
      await withOrigin(by, async () => {
        await orders.move(1n, "deliver", undefined);
        await orders.move(1n, "approve", undefined);
        await orders.move(1n, "cancel", undefined);
      });
      await catalogue.update(1n, { name: "Luna" });
      const entries = await allEntries(stores);
      expect(briefly(entries)).toEqual([
        ["keys/key_1", "pet.update", "pets/1"],
        ["keys/key_1", "pet.delete", "pets/2"],
        ["keys/key_1", "order.approve", "orders/1"],
        ["keys/key_1", "order.cancel", "orders/1"],
        ["keys/key_1", "pet.update", "pets/1"],
      ]);
      const [updated, deleted, approved, , freed] = entries;
      expect(updated?.after).toBe(
        `{"id":1,"name":"Bella","categoryId":${big},"status":"available"}`,
      );
      expect(deleted?.before).toContain("Rex");
      expect(deleted?.after).toBeUndefined();
      expect(
        [approved?.before, approved?.after].map((text) => JSON.parse(text ?? "").status),
      ).toEqual(["placed", "approved"]);
      expect(JSON.parse(freed?.before ?? "").status).toBe("pending");
      expect((await verify(stores.audit)).fault).toBeUndefined();
    });

    test("does not block, whoever changes pets and categories at the same time", async () => {
      const several = [await open(), await open()];
      const [stores] = several as [Stores];
      await stores.catalogue.add({ name: "Bella", categoryId: 3n, status: "available" });
      const turns = several.flatMap(({ catalogue, categories }, process) =>
        Array.from({ length: 10 }, (_, turn) => [
          () => catalogue.update(1n, { name: `${process}-${turn}` }),
          () => categories.add(`${process}-${turn}`, undefined, undefined),
        ]).flat(),
      );
      await withOrigin(operator, () => Promise.all(turns.map((turn) => turn())));
      const entries = await allEntries(stores);
      expect(entries).toHaveLength(40);
      const updates = entries.filter(({ subject }) => subject === "pets/1");
      for (const [place, { before }] of updates.entries()) {
        if (place > 0) expect(before).toBe(updates[place - 1]?.after);
      }
      expect((await verify(stores.audit)).fault).toBeUndefined();
    });

    test("is one chain, whoever changes what in which order", async () => {
      const stores = await open();
      await fc.assert(
        fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 20 }), async (steps) => {
          const before = await allEntries(stores);
          const expected = new Map<string, string>();
          for (const { actor, owner, plan } of steps) {
            const origin = { actor: `cli/${actor}`, source: { host: actor } };
            await withOrigin(origin, () => upsert(stores, owner, plan));
          }
          const entries = await allEntries(stores);
          for (const entry of entries) {
            // Each begins where the one before it on the same subject ended.
            expect(entry.before).toBe(expected.get(entry.subject));
            expected.set(entry.subject, entry.after ?? "");
            if (entry.number > before.length) expect(entry.source).toContain(entry.actor.slice(4));
          }
          for (const { id, name, plan } of await stores.sites.listOwners()) {
            expect(JSON.parse(expected.get(`owners/${id}`) ?? "")).toEqual({ name, plan });
          }
          expect((await verify(stores.audit)).fault).toBeUndefined();
        }),
        { numRuns: 10 },
      );
    });

    test("has no gaps when several processes write at the same time", async () => {
      const several = [await open(), await open(), await open()];
      await several[0]?.sites.addOwner({ id: "acme", name: "Acme", plan: "free" });
      await Promise.all(
        several.flatMap(({ sites, keys }, process) =>
          [0, 1, 2, 3, 4].flatMap((turn) => [
            keys.add(key(`${process}-${turn}`).key),
            sites.setPlan("acme", turn % 2 === 0 ? "paid" : "free"),
            sites.setPlan("nobody", "paid"),
          ]),
        ),
      );
      const stores = several[0] as Stores;
      const entries = await allEntries(stores);
      expect(entries.filter(({ action }) => action === "key.create")).toHaveLength(15);
      const { fault, head } = await verify(stores.audit);
      expect(fault).toBeUndefined();
      expect(head.number).toBe(entries.length);
      const plans = entries.filter(({ subject }) => subject === "owners/acme");
      for (const [place, { before }] of plans.entries()) {
        expect(before).toBe(plans[place - 1]?.after);
      }
    });

    test("shows by a head that was noted elsewhere that nothing up to it was altered", async () => {
      const stores = await open();
      for (const name of ["one", "two"]) await stores.keys.add(key(name).key);
      const noted = await headOf(stores.audit);
      await stores.keys.add(key("three").key);
      expect((await verify(stores.audit, noted)).fault).toBeUndefined();
      const other = { ...noted, hash: "0".repeat(64) };
      expect((await verify(stores.audit, other)).fault).toMatchObject({
        kind: "altered",
        number: 2,
      });
      const beyond = { number: 4, hash: noted.hash };
      expect((await verify(stores.audit, beyond)).fault).toMatchObject({ kind: "cut", number: 4 });
    });
  });
}

const anyStep = fc.record({
  actor: fc.constantFrom("ann", "bob", "eve"),
  owner: fc.constantFrom("a", "b", "c"),
  plan: fc.constantFrom("free" as const, "paid" as const),
});

async function upsert({ sites }: Stores, id: string, plan: "free" | "paid"): Promise<void> {
  if (!(await sites.addOwner({ id, name: id, plan }))) await sites.setPlan(id, plan);
}
