import { type Caller, type Seen, shown } from "../caller.ts";
import { type Check, checksOf, demand } from "../check.ts";
import { expectStatus, header } from "../shapes.ts";
import { addPet, addPets, linkIn, needGetPet, placeOrder } from "../stock.ts";

const check = checksOf("conditional");
const etag = "openapi: /components/headers/ETag";
const ifNoneMatch = "openapi: /components/parameters/ifNoneMatch";
const notModified = "openapi: /components/responses/NotModified";

const strong = /^"[\x21\x23-\x7e\x80-\xff]*"$/;

function tagOf(seen: Seen): string {
  expectStatus(seen, 200);
  const tag = header(seen, "etag");
  demand(strong.test(tag), "a strong ETag", tag);
  return tag;
}

const asked = (caller: Caller, path: string, tags: string) =>
  caller.get(path, { "if-none-match": tags });

function expectUnchanged(seen: Seen, tag: string): void {
  demand(seen.status === 304, "status 304", shown(seen));
  demand(seen.text === "", "no body", shown(seen));
  demand(header(seen, "etag") === tag, `ETag ${tag}`, header(seen, "etag"));
}

const listOf = async (caller: Caller) => `/pets?id=${(await addPet(caller)).id}`;

export const conditional: readonly Check[] = [
  check("etag-list", "A list has a strong ETag.", etag, async (caller) => {
    tagOf(await caller.get(await listOf(caller)));
  }),
  check("etag-pet", "An animal has a strong ETag.", etag, async (caller) => {
    needGetPet(caller);
    tagOf(await caller.get(`/pets/${(await addPet(caller)).id}`));
  }),
  check("etag-order", "An order has a strong ETag.", etag, async (caller) => {
    tagOf(await caller.get(`/store/orders/${(await placeOrder(caller)).id}`));
  }),
  check("etag-steady", "The same answer has the same ETag.", etag, async (caller) => {
    const path = await listOf(caller);
    const [first, second] = [tagOf(await caller.get(path)), tagOf(await caller.get(path))];
    demand(first === second, first, second);
  }),
  check("etag-by-filter", "Different answers have different ETags.", etag, async (caller) => {
    const [one, other] = await addPets(caller, 2);
    const paths = [`id=${one?.id}`, `id=${other?.id}`, `id=${one?.id}&id=${other?.id}`];
    const tags = [];
    for (const query of paths) tags.push(tagOf(await caller.get(`/pets?${query}`)));
    demand(new Set(tags).size === 3, "three ETags for three answers", tags.join(" "));
  }),
  check("etag-changes", "When an animal changes, so does its ETag.", etag, async (caller) => {
    const pet = await addPet(caller);
    const path = `/pets?id=${pet.id}`;
    const before = tagOf(await caller.get(path));
    await placeOrder(caller, pet);
    const after = await asked(caller, path, before);
    demand(tagOf(after) !== before, "another ETag", before);
  }),
  check(
    "etag-covers-link",
    "An answer whose Link has changed is not unchanged, even if its body is.",
    notModified,
    async (caller) => {
      const [a, b] = await addPets(caller, 2);
      const [first, second] = (a?.id ?? 0n) < (b?.id ?? 0n) ? [a, b] : [b, a];
      const path = `/pets?limit=1&status=available&id=${first?.id}&id=${second?.id}`;
      const before = await caller.get(path);
      demand(linkIn(before, "next") !== undefined, "a Link to the next page", shown(before));
      await placeOrder(caller, second);
      const after = await asked(caller, path, tagOf(before));
      expectStatus(after, 200);
      demand(linkIn(after, "next") === undefined, "no Link any more", header(after, "link"));
    },
  ),
  check("unchanged-list-304", "An unchanged list is answered 304.", notModified, async (caller) => {
    const path = await listOf(caller);
    const tag = tagOf(await caller.get(path));
    expectUnchanged(await asked(caller, path, tag), tag);
  }),
  check(
    "unchanged-pet-304",
    "An unchanged animal is answered 304.",
    notModified,
    async (caller) => {
      needGetPet(caller);
      const path = `/pets/${(await addPet(caller)).id}`;
      const tag = tagOf(await caller.get(path));
      expectUnchanged(await asked(caller, path, tag), tag);
    },
  ),
  check(
    "unchanged-head-304",
    "HEAD of what is unchanged is answered 304.",
    notModified,
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
    check(`if-none-match-${what}`, promise, ifNoneMatch, async (caller) => {
      const path = await listOf(caller);
      const tag = tagOf(await caller.get(path));
      expectUnchanged(await asked(caller, path, tags(tag)), tag);
    }),
  ),
  check(
    "if-none-match-other",
    "With an ETag that does not hold, the answer is whole.",
    ifNoneMatch,
    async (caller) => {
      const path = await listOf(caller);
      const tag = tagOf(await caller.get(path));
      const other = `"petstore-check-${caller.visit.mark}"`;
      demand(tagOf(await asked(caller, path, other)) === tag, tag, "another ETag");
    },
  ),
  check(
    "cache-control",
    "Answers to GET are private, no-cache.",
    "openapi: /components/headers/CacheControl",
    async (caller) => {
      const seen = await caller.get(await listOf(caller));
      const words = header(seen, "cache-control")
        .split(/\s*,\s*/)
        .sort();
      demand(words.join() === "no-cache,private", "private, no-cache", words.join(", "));
    },
  ),
];
