import type { Caller } from "../caller.ts";
import { assert, type Check, checksOf } from "../check.ts";
import type { HttpExchange } from "../exchange.ts";
import { steadyEvents } from "./events.ts";

const check = checksOf("head");
const recordCheck = check("decisions/0020-cors-and-head.md");

/** Compares HEAD with GET; nothing else may change the path meanwhile. */
async function expectAsGet(caller: Caller, path: string, sent = {}): Promise<HttpExchange> {
  const got = await caller.send("GET", path, sent);
  const seen = await caller.send("HEAD", path, sent);
  seen.expectStatus(got.status);
  assert(seen.text === "", "no body", seen.shown);
  for (const name of ["content-type", "link", "etag", "cache-control", "allow"]) {
    seen.expectHeader(name, got.header(name));
  }
  // RFC 9110, section 8.6: it may be left out, but must not say anything else.
  const length = seen.headers.get("content-length");
  const bytes = String(new TextEncoder().encode(got.text).byteLength);
  assert(length === null || length === bytes, `Content-Length ${bytes} or none`, `${length}`);
  return seen;
}

export const head: readonly Check[] = [
  recordCheck("head-list", "HEAD on a list is GET without the body.", async (caller) => {
    const pets = await caller.addPets(2);
    const path = `/pets?limit=1&${pets.map(({ id }) => `id=${id}`).join("&")}`;
    await expectAsGet(caller, path);
  }),
  recordCheck("head-pet", "HEAD on a pet is GET without the body.", async (caller) => {
    caller.needGetPet();
    const seen = await expectAsGet(caller, `/pets/${(await caller.addPet()).id}`);
    assert(seen.headers.has("sunset"), "a Sunset header as of GET", seen.header("sunset"));
  }),
  recordCheck("head-order", "HEAD on an order is GET without the body.", async (caller) => {
    await expectAsGet(caller, `/store/orders/${(await caller.placeOrder()).id}`);
  }),
  recordCheck("head-events", "HEAD on events is GET without the body.", async (caller) => {
    await expectAsGet(caller, await steadyEvents(caller));
  }),
  recordCheck("head-refusals", "HEAD is refused as GET is.", async (caller) => {
    const id = caller.unusedId();
    (await expectAsGet(caller, "/pets?limit=0")).expectStatus(400);
    (await expectAsGet(caller, "/pets", { authorization: null })).expectStatus(401);
    (await expectAsGet(caller, `/store/orders/${id}`)).expectStatus(404);
  }),
  recordCheck("head-contract", "HEAD on the contract is GET without the body.", async (caller) => {
    await expectAsGet(caller, "/openapi.json", { authorization: null });
  }),
];
