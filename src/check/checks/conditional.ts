import type { Caller } from "../caller.ts";
import { assert, type Check, checksOf } from "../check.ts";
import type { HttpExchange } from "../exchange.ts";
import { steadyEvents } from "./events.ts";

const check = checksOf("conditional");
const etagCheck = check("openapi: /components/headers/ETag");
const ifNoneMatchCheck = check("openapi: /components/parameters/ifNoneMatch");
const notModifiedCheck = check("openapi: /components/responses/NotModified");

const strong = /^"[\x21\x23-\x7e\x80-\xff]*"$/;

function tagOf(seen: HttpExchange): string {
  seen.expectStatus(200);
  const tag = seen.header("etag");
  assert(strong.test(tag), "a strong ETag", tag);
  return tag;
}

const asked = (caller: Caller, path: string, tags: string) =>
  caller.get(path, { "if-none-match": tags });

/** Gets the path twice, the second time with its ETag, written as `tags` does. */
async function expectCached(caller: Caller, path: string, tags = (tag: string) => tag) {
  const tag = tagOf(await caller.get(path));
  expectUnchanged(await asked(caller, path, tags(tag)), tag);
}

function expectUnchanged(seen: HttpExchange, tag: string): void {
  seen.expectStatus(304);
  assert(seen.text === "", "no body", seen.shown);
  seen.expectHeader("etag", tag);
}

const listOf = async (caller: Caller) => `/pets?id=${(await caller.addPet()).id}`;

export const conditional: readonly Check[] = [
  etagCheck("etag-list", "A list has a strong ETag.", async (caller) => {
    tagOf(await caller.get(await listOf(caller)));
  }),
  etagCheck("etag-pet", "A pet has a strong ETag.", async (caller) => {
    caller.needGetPet();
    tagOf(await caller.get(`/pets/${(await caller.addPet()).id}`));
  }),
  etagCheck("etag-order", "An order has a strong ETag.", async (caller) => {
    tagOf(await caller.get(`/store/orders/${(await caller.placeOrder()).id}`));
  }),
  etagCheck("etag-events", "A page of events has a strong ETag.", async (caller) => {
    tagOf(await caller.get(await steadyEvents(caller)));
  }),
  etagCheck("etag-steady", "The same answer has the same ETag.", async (caller) => {
    const path = await listOf(caller);
    const [first, second] = [tagOf(await caller.get(path)), tagOf(await caller.get(path))];
    assert(first === second, first, second);
  }),
  etagCheck("etag-by-filter", "Different answers have different ETags.", async (caller) => {
    const [one, other] = await caller.addPets(2);
    const paths = [`id=${one?.id}`, `id=${other?.id}`, `id=${one?.id}&id=${other?.id}`];
    const tags = [];
    for (const query of paths) tags.push(tagOf(await caller.get(`/pets?${query}`)));
    assert(new Set(tags).size === 3, "three ETags for three answers", tags.join(" "));
  }),
  etagCheck("etag-changes", "When a pet changes, so does its ETag.", async (caller) => {
    const pet = await caller.addPet();
    const path = `/pets?id=${pet.id}`;
    const before = tagOf(await caller.get(path));
    await caller.placeOrder(pet);
    const after = await asked(caller, path, before);
    assert(tagOf(after) !== before, "another ETag", before);
  }),
  notModifiedCheck(
    "etag-covers-link",
    "An answer whose Link has changed is not unchanged, even if its body is.",
    async (caller) => {
      const [a, b] = await caller.addPets(2);
      const [first, second] = (a?.id ?? 0n) < (b?.id ?? 0n) ? [a, b] : [b, a];
      const path = `/pets?limit=1&status=available&id=${first?.id}&id=${second?.id}`;
      const before = await caller.get(path);
      assert(before.link("next") !== undefined, "a Link to the next page", before.shown);
      await caller.placeOrder(second);
      const after = await asked(caller, path, tagOf(before));
      after.expectStatus(200);
      assert(after.link("next") === undefined, "no Link any more", after.header("link"));
    },
  ),
  notModifiedCheck("unchanged-list-304", "An unchanged list is answered 304.", async (caller) => {
    await expectCached(caller, await listOf(caller));
  }),
  notModifiedCheck("unchanged-pet-304", "An unchanged pet is answered 304.", async (caller) => {
    caller.needGetPet();
    await expectCached(caller, `/pets/${(await caller.addPet()).id}`);
  }),
  notModifiedCheck(
    "unchanged-head-304",
    "HEAD of what is unchanged is answered 304.",
    async (caller) => {
      const path = await listOf(caller);
      const tag = tagOf(await caller.get(path));
      const seen = await caller.send("HEAD", path, { headers: { "if-none-match": tag } });
      expectUnchanged(seen, tag);
    },
  ),
  ...(
    [
      ["star", "* holds for whatever is there.", () => "*"],
      ["several", "One ETag of several is enough.", (tag: string) => `"x", ${tag}, "y"`],
      ["weak", "ETags are compared weakly.", (tag: string) => `W/${tag}`],
    ] as const
  ).map(([what, promise, tags]) =>
    ifNoneMatchCheck(`if-none-match-${what}`, promise, async (caller) => {
      await expectCached(caller, await listOf(caller), tags);
    }),
  ),
  ifNoneMatchCheck(
    "if-none-match-other",
    "With an ETag that does not hold, the answer is whole.",
    async (caller) => {
      const path = await listOf(caller);
      const tag = tagOf(await caller.get(path));
      const other = `"petstore-check-${caller.context.mark}"`;
      assert(tagOf(await asked(caller, path, other)) === tag, tag, "another ETag");
    },
  ),
  check("openapi: /components/headers/CacheControl")(
    "cache-control",
    "Answers to GET are private, no-cache.",
    async (caller) => {
      const seen = await caller.get(await listOf(caller));
      const words = seen
        .header("cache-control")
        .split(/\s*,\s*/)
        .sort();
      assert(words.join() === "no-cache,private", "private, no-cache", words.join(", "));
    },
  ),
];
