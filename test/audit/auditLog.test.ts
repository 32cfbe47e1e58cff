/** The chain of the audit log, without a database. */
import { describe, expect, test } from "bun:test";
import { isDeepStrictEqual } from "node:util";
import {
  type AuditEntry,
  type AuditStore,
  canonicalText,
  chained,
  changedMembers,
  emptyLog,
  exportedLine,
  headOf,
  verify,
} from "../../src/audit/auditLog.ts";
import { currentOrigin, withOrigin } from "../../src/audit/origin.ts";
import fc from "../../testkit/fastCheck.ts";

function chainOf(length: number): AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (let number = 1; number <= length; number++) {
    const said = { actor: "cli/root", action: "key.create", subject: `keys/${number}` };
    const rest = { source: "{}", requestId: undefined, before: undefined, after: "{}" };
    const entry = { number, atMs: number * 1_000, ...said, ...rest };
    entries.push(chained(entries.at(-1) ?? emptyLog, entry));
  }
  return entries;
}

function storeOf(entries: readonly AuditEntry[], last = entries.length): AuditStore {
  const sorted = entries.toSorted((one, other) => one.number - other.number);
  return {
    list: ({ limit }) => sorted.toReversed().slice(0, limit),
    get: (wanted) => sorted.find(({ number }) => number === wanted),
    listAfter: (after, limit) => sorted.filter(({ number }) => number > after).slice(0, limit),
    lastNumber: () => last,
    record: async () => {},
  };
}

describe("a log", () => {
  for (const length of [0, 1, 999, 1_000, 1_001, 2_000]) {
    test(`of ${length} entries is read to its end, however many pages that takes`, async () => {
      const store = storeOf(chainOf(length));
      const seen: number[] = [];
      const verified = await verify(store, undefined, (count) => seen.push(count));
      expect(verified).toMatchObject({ entries: length, fault: undefined });
      expect(verified.head).toEqual(expect.objectContaining({ ...(await headOf(store)) }));
      expect(seen.at(-1) ?? 0).toBe(length);
    });
  }

  test("whose chain was computed anew is found out by a head that was noted before", async () => {
    const genuine = chainOf(5);
    const noted = genuine[3] as AuditEntry;
    let previous = emptyLog;
    const forged = genuine.map((entry) => {
      const { hash: _, ...said } = entry;
      const actor = entry.number === 2 ? "cli/nobody" : entry.actor;
      const made = chained(previous, { ...said, actor });
      previous = made;
      return made;
    });
    expect((await verify(storeOf(forged))).fault).toBeUndefined();
    expect((await verify(storeOf(forged), noted)).fault).toMatchObject({
      number: 4,
      kind: "altered",
    });
  });

  test("of which any entry is missing is found out, also at the border of two pages", async () => {
    const entries = chainOf(1_500);
    for (const number of [1, 2, 999, 1_000, 1_001, 1_499]) {
      const store = storeOf(entries.filter((entry) => entry.number !== number));
      expect((await verify(store)).fault).toMatchObject({ number, kind: "missing" });
    }
    const cut = storeOf(entries.slice(0, -1), 1_500);
    expect((await verify(cut)).fault).toMatchObject({ number: 1_500, kind: "cut" });
  });
});

describe("the text of an entry", () => {
  const anyText = fc.option(fc.json(), { nil: undefined });
  const anyEntry = fc.record({
    number: fc.integer({ min: 1 }),
    atMs: fc.integer({ min: 0, max: 4_102_444_800_000 }),
    actor: fc.string({ unit: "binary" }),
    action: fc.string(),
    subject: fc.string({ unit: "grapheme" }),
    source: fc.json(),
    requestId: fc.option(fc.string(), { nil: undefined }),
    before: anyText,
    after: anyText,
  });

  test("is one line of JSON that says all of it", () => {
    fc.assert(
      fc.property(anyEntry, (entry) => {
        const text = canonicalText(entry);
        expect(text).not.toContain("\n");
        const read = JSON.parse(text);
        expect(read.actor).toBe(entry.actor);
        expect(read.before).toEqual(JSON.parse(entry.before ?? "null"));
        const line = exportedLine(chained(emptyLog, entry));
        expect(line.replace(/,"hash":"[0-9a-f]{64}"}$/, "}")).toBe(text);
      }),
    );
  });

  test("differs if anything of it differs", () => {
    fc.assert(
      fc.property(anyEntry, anyEntry, (one, other) => {
        const same = isDeepStrictEqual(one, other);
        expect(canonicalText(one) === canonicalText(other)).toBe(same);
      }),
    );
  });
});

test("what changed is named member by member, with integers as exact as they are", () => {
  const before = '{"id":1,"categoryId":9007199254740992,"tags":["a"],"gone":true}';
  const after = '{"id":1,"categoryId":9007199254740993,"tags":["a"],"new":null}';
  expect(changedMembers({ before, after })).toEqual([
    { name: "categoryId", before: 9007199254740992n, after: 9007199254740993n },
    { name: "gone", before: true, after: undefined },
    { name: "new", before: undefined, after: null },
  ]);
  expect(changedMembers({ before: undefined, after: '{"a":1}' })).toEqual([
    { name: "a", before: undefined, after: 1 },
  ]);
});

test("an origin follows the calls made under it, limited to what can be stored", async () => {
  expect(currentOrigin()).toBeUndefined();
  const agent = `${"x".repeat(300)}`;
  const source = { address: "::1\0", agent, host: "\ud800" };
  await withOrigin({ actor: "cli/root", source }, async () => {
    await Promise.resolve();
    expect(currentOrigin()).toEqual({
      actor: "cli/root",
      source: { address: "::1", agent: "x".repeat(200), host: "\ufffd" },
      requestId: undefined,
    });
  });
  expect(currentOrigin()).toBeUndefined();
});
