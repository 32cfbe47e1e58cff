import { type Caller, type HttpExchange, shown } from "../caller.ts";
import { assert, type Check, checksOf } from "../check.ts";
import { addPet, addPets, needGetPet, placeOrder } from "../fixtures.ts";
import { expectHeader, expectStatus, header } from "../shapes.ts";

const check = checksOf("head");
const record = "decisions/0020-cors-and-head.md";

/** Held to the answer of GET; the path must be one that nobody else changes. */
async function expectAsGet(caller: Caller, path: string, sent = {}): Promise<HttpExchange> {
  const got = await caller.send("GET", path, sent);
  const seen = await caller.send("HEAD", path, sent);
  expectStatus(seen, got.status);
  assert(seen.text === "", "no body", shown(seen));
  for (const name of ["content-type", "link", "etag", "cache-control", "allow"]) {
    expectHeader(seen, name, header(got, name));
  }
  // RFC 9110, section 8.6: it may be left out, but must not say anything else.
  const length = seen.headers.get("content-length");
  const bytes = String(new TextEncoder().encode(got.text).byteLength);
  assert(length === null || length === bytes, `Content-Length ${bytes} or none`, `${length}`);
  return seen;
}

export const head: readonly Check[] = [
  check("head-list", "HEAD on a list is GET without the body.", record, async (caller) => {
    const pets = await addPets(caller, 2);
    const path = `/pets?limit=1&${pets.map(({ id }) => `id=${id}`).join("&")}`;
    await expectAsGet(caller, path);
  }),
  check("head-pet", "HEAD on a pet is GET without the body.", record, async (caller) => {
    needGetPet(caller);
    const seen = await expectAsGet(caller, `/pets/${(await addPet(caller)).id}`);
    assert(seen.headers.has("sunset"), "a Sunset header as of GET", header(seen, "sunset"));
  }),
  check("head-order", "HEAD on an order is GET without the body.", record, async (caller) => {
    await expectAsGet(caller, `/store/orders/${(await placeOrder(caller)).id}`);
  }),
  check("head-refusals", "HEAD is refused as GET is.", record, async (caller) => {
    const id = caller.unusedId();
    expectStatus(await expectAsGet(caller, "/pets?limit=0"), 400);
    expectStatus(await expectAsGet(caller, "/pets", { authorization: null }), 401);
    expectStatus(await expectAsGet(caller, `/store/orders/${id}`), 404);
  }),
  check(
    "head-contract",
    "HEAD on the contract is GET without the body.",
    record,
    async (caller) => {
      await expectAsGet(caller, "/openapi.json", { authorization: null });
    },
  ),
];
