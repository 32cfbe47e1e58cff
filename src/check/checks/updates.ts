/** Updating and deleting pets, and If-Match on both. */

import type { Caller } from "../caller.ts";
import { assert, type Check, checksOf, idsOf } from "../check.ts";
import type { HttpExchange, Pet } from "../exchange.ts";

const check = checksOf("updates");
const guideCheck = check("guide/editing.md");
const updateCheck = check("openapi: /paths/~1pets~1{petId}/patch");
const patchCheck = check("openapi: /components/schemas/PetPatch");
const deleteCheck = check("openapi: /paths/~1pets~1{petId}/delete");
const ifMatchCheck = check("openapi: /components/parameters/ifMatch");
const reservedCheck = check("openapi: /components/responses/PetReserved");

const mergePatch = "application/merge-patch+json";

/** The body goes as it is, so that it can hold any integer. */
const patch = (
  caller: Caller,
  id: bigint,
  body: string,
  headers: Readonly<Record<string, string>> = {},
  contentType = mergePatch,
) => caller.send("PATCH", `/pets/${id}`, { body, headers, contentType });

const rename = (caller: Caller, { id }: Pet, ifMatch?: string): Promise<HttpExchange> => {
  const headers: Record<string, string> = ifMatch === undefined ? {} : { "if-match": ifMatch };
  return patch(caller, id, `{"name":"${caller.newName("renamed")}"}`, headers);
};

const remove = (caller: Caller, { id }: Pet, headers: Readonly<Record<string, string>> = {}) =>
  caller.send("DELETE", `/pets/${id}`, { headers });

function expectSame(found: Pet, wanted: Pet): void {
  const shown = ({ id, name, categoryId, status }: Pet) =>
    `pet ${id}, ${name}, category ${categoryId}, ${status}`;
  assert(shown(found) === shown(wanted), shown(wanted), shown(found));
}

const expectStored = async (caller: Caller, wanted: Pet): Promise<void> =>
  expectSame(await caller.petNow(wanted.id), wanted);

/** The ETag of a list of one pet, which is accepted for the pet. */
const tagOf = async (caller: Caller, { id }: Pet): Promise<string> =>
  (await caller.get(`/pets?id=${id}`)).header("etag");

/** A pet, and an ETag that it had before it was updated. */
async function changedPet(caller: Caller): Promise<{ pet: Pet; stale: string }> {
  const before = await caller.addPet();
  const stale = await tagOf(caller, before);
  return { pet: (await rename(caller, before)).pet(), stale };
}

/** Updates and what they change. `NAME` stands for a good name. */
const changes: Readonly<Record<string, readonly [body: string, changed: Partial<Pet>]>> = {
  name: ['{"name":"NAME"}', {}],
  category: ['{"categoryId":9007199254740993}', { categoryId: 2n ** 53n + 1n }],
  status: ['{"status":"sold"}', { status: "sold" }],
  "status-null": ['{"status":null}', { status: "available" }],
  several: ['{"name":"NAME","categoryId":-4,"status":"sold"}', { categoryId: -4n, status: "sold" }],
  "unknown-member": ['{"name":"NAME","colour":"red"}', {}],
};

/** Updates that are refused, and the member that the message has to name, if there is one. */
const refusedBodies: Readonly<Record<string, readonly [body: string, names?: string]>> = {
  empty: ["{}"],
  "nothing-known": ['{"colour":"red"}'],
  array: ['[{"name":"NAME"}]'],
  null: ["null"],
  "other-id": ['{"name":"NAME","id":OTHER}', "id"],
  "name-null": ['{"name":null,"status":"sold"}', "name"],
  "name-number": ['{"name":5,"status":"sold"}', "name"],
  "name-blank": ['{"name":"  ","status":"sold"}', "name"],
  "category-null": ['{"name":"NAME","categoryId":null}', "categoryId"],
  "category-string": ['{"name":"NAME","categoryId":"4"}', "categoryId"],
  "category-fraction": ['{"name":"NAME","categoryId":4.5}', "categoryId"],
  "status-unknown": ['{"name":"NAME","status":"lost"}', "status"],
  "status-number": ['{"name":"NAME","status":1}', "status"],
};

const updating: readonly Check[] = [
  ...Object.entries(changes).map(([what, [body, changed]]) =>
    updateCheck(
      `update-${what}`,
      `The update ${body} changes what it names, and nothing else.`,
      async (caller) => {
        const pet = await caller.addPet({ categoryId: 3, status: "pending" });
        const name = body.includes("NAME") ? caller.newName("renamed") : pet.name;
        const seen = await patch(caller, pet.id, body.replace("NAME", name));
        expectSame(seen.pet(), { ...pet, name, ...changed });
        await expectStored(caller, { ...pet, name, ...changed });
      },
    ),
  ),
  updateCheck("update-as-json", "An update may be sent as application/json.", async (caller) => {
    const pet = await caller.addPet();
    const seen = await patch(caller, pet.id, '{"status":"sold"}', {}, "application/json");
    expectSame(seen.pet(), { ...pet, status: "sold" });
  }),
  patchCheck("update-same-id", "A whole pet may be sent, with its id.", async (caller) => {
    const pet = await caller.addPet();
    const body = `{"id":${pet.id},"name":"${pet.name}","categoryId":1,"status":"sold"}`;
    expectSame((await patch(caller, pet.id, body)).pet(), { ...pet, status: "sold" });
  }),
  ...Object.entries(refusedBodies).map(([what, [body, names]]) =>
    patchCheck(
      `update-${what}-refused`,
      `The update ${body} is refused with 400 and changes nothing.`,
      async (caller) => {
        const pet = await caller.addPet();
        const name = caller.newName("renamed");
        const filled = body.replace("NAME", name).replace("OTHER", `${pet.id + 1n}`);
        const seen = await patch(caller, pet.id, filled);
        if (names === undefined) seen.error(400, "body_invalid");
        else seen.expectNamed("body_invalid", names);
        await expectStored(caller, pet);
      },
    ),
  ),
  guideCheck(
    "update-strict-member-refused",
    "With handling=strict, an unknown member in an update is refused with 400.",
    async (caller) => {
      const pet = await caller.addPet();
      const body = '{"status":"sold","colour":"red"}';
      const seen = await patch(caller, pet.id, body, { prefer: "handling=strict" });
      seen.expectNamed("body_invalid", "colour");
      await expectStored(caller, pet);
    },
  ),
  check("openapi: /components/responses/PatchMediaTypeRefused")(
    "update-media-text-refused",
    "An update in another media type gets 415, with the accepted ones in Accept-Patch.",
    async (caller) => {
      const pet = await caller.addPet();
      const seen = await patch(caller, pet.id, '{"status":"sold"}', {}, "text/plain");
      seen.error(415, "media_type_unsupported");
      const types = seen.header("accept-patch");
      const fits = ["application/json", mergePatch].every((type) => types.includes(type));
      assert(fits, `Accept-Patch with application/json and ${mergePatch}`, types);
      await expectStored(caller, pet);
    },
  ),
  check("openapi: /paths/~1pets~1{petId}/patch/responses/404")(
    "update-unknown-404",
    "To update a pet that is not there is answered 404.",
    async (caller) => {
      for (const id of [caller.unusedId(), 2n ** 64n + 1n]) {
        (await patch(caller, id, '{"status":"sold"}')).error(404, "pet_not_found");
      }
    },
  ),
  reservedCheck(
    "update-status-reserved-409",
    "While an open order holds a pet, to change its status is refused with 409.",
    async (caller) => {
      const pet = await caller.addPet();
      const order = await caller.placeOrder(pet);
      const sell = () => patch(caller, pet.id, `{"status":"sold"}`);
      (await sell()).error(409, "pet_reserved");
      (await caller.send("POST", `/store/orders/${order.id}/approve`)).order();
      (await sell()).error(409, "pet_reserved");
      await expectStored(caller, { ...pet, status: "pending" });
    },
  ),
  updateCheck(
    "update-name-reserved",
    "While an open order holds a pet, its name can be changed.",
    async (caller) => {
      const pet = await caller.addPet();
      await caller.placeOrder(pet);
      const { name } = (await rename(caller, pet)).pet();
      await expectStored(caller, { ...pet, name, status: "pending" });
    },
  ),
];

/** Ways to write a current ETag in If-Match. */
const matching: Readonly<Record<string, (tag: string) => string>> = {
  current: (tag) => tag,
  several: (tag) => `"x", ${tag}, "y"`,
  star: () => "*",
};

const conditions: readonly Check[] = [
  ...Object.entries(matching).map(([what, written]) =>
    ifMatchCheck(
      `if-match-${what}`,
      `An update with If-Match: ${written("ETAG")} is made.`,
      async (caller) => {
        const pet = await caller.addPet();
        (await rename(caller, pet, written(await tagOf(caller, pet)))).pet();
      },
    ),
  ),
  ifMatchCheck("if-match-of-get", "The ETag of getPet is accepted.", async (caller) => {
    caller.needGetPet();
    const pet = await caller.addPet();
    const tag = (await caller.get(`/pets/${pet.id}`)).header("etag");
    (await rename(caller, pet, tag)).pet();
  }),
  ifMatchCheck(
    "if-match-of-update",
    "An update returns the new ETag, which the next one accepts.",
    async (caller) => {
      const pet = await caller.addPet();
      const tags = [await tagOf(caller, pet)];
      for (let time = 0; time < 2; time++) {
        const seen = await rename(caller, pet, tags.at(-1));
        seen.pet();
        tags.push(seen.header("etag"));
      }
      assert(new Set(tags).size === 3, "another ETag each time", tags.join(" "));
    },
  ),
  ifMatchCheck(
    "if-match-stale-412",
    "An update or deletion with an ETag that the pet had before is refused with 412.",
    async (caller) => {
      const { pet, stale } = await changedPet(caller);
      (await rename(caller, pet, stale)).error(412, "precondition_failed");
      (await remove(caller, pet, { "if-match": stale })).error(412, "precondition_failed");
      await expectStored(caller, pet);
    },
  ),
  ifMatchCheck(
    "if-match-malformed-400",
    "An If-Match that is no ETag is refused with 400 and changes nothing.",
    async (caller) => {
      const pet = await caller.addPet();
      (await rename(caller, pet, "unquoted")).expectNamed("parameter_invalid", "If-Match");
      const seen = await remove(caller, pet, { "if-match": "unquoted" });
      seen.expectNamed("parameter_invalid", "If-Match");
      await expectStored(caller, pet);
    },
  ),
  guideCheck("if-match-race", "Of ten updates with one ETag, one is made.", async (caller) => {
    const pet = await caller.addPet();
    const tag = await tagOf(caller, pet);
    const all = await Promise.all(Array.from({ length: 10 }, () => rename(caller, pet, tag)));
    const won = all.filter(({ status }) => status === 200);
    assert(won.length === 1, "one 200", `${won.length}`);
    for (const seen of all) if (seen.status !== 200) seen.error(412, "precondition_failed");
  }),
];

const deleting: readonly Check[] = [
  deleteCheck("delete-204", "A deletion is answered 204 without a body.", async (caller) => {
    const seen = await remove(caller, await caller.addPet());
    seen.expectStatus(204);
    assert(seen.text === "", "no body", seen.shown);
  }),
  guideCheck("delete-gone", "A deleted pet is found no more.", async (caller) => {
    const [pet, other] = [await caller.addPet(), await caller.addPet()];
    (await remove(caller, pet)).expectStatus(204);
    const found = (await caller.get(`/pets?id=${pet.id}&id=${other.id}`)).pets();
    assert(idsOf(found) === `${other.id}`, `${other.id}`, idsOf(found));
    (await patch(caller, pet.id, '{"status":"sold"}')).error(404, "pet_not_found");
    if (!caller.getPetIsGone()) {
      (await caller.get(`/pets/${pet.id}`)).error(404, "pet_not_found");
    }
  }),
  guideCheck("delete-twice-404", "To delete a pet again is answered 404.", async (caller) => {
    const pet = await caller.addPet();
    (await remove(caller, pet)).expectStatus(204);
    (await remove(caller, pet)).error(404, "pet_not_found");
  }),
  deleteCheck(
    "delete-if-match",
    "A deletion with the current ETag in If-Match is made.",
    async (caller) => {
      const pet = await caller.addPet();
      const seen = await remove(caller, pet, { "if-match": await tagOf(caller, pet) });
      seen.expectStatus(204);
    },
  ),
  reservedCheck(
    "delete-reserved-409",
    "A pet that an open order holds cannot be deleted: 409.",
    async (caller) => {
      const pet = await caller.addPet();
      await caller.placeOrder(pet);
      (await remove(caller, pet)).error(409, "pet_reserved");
      await expectStored(caller, { ...pet, status: "pending" });
    },
  ),
  deleteCheck(
    "delete-keeps-orders",
    "Orders for a deleted pet stay readable, with its petId.",
    async (caller) => {
      const pet = await caller.addPet();
      const { id } = await caller.placeOrder(pet);
      for (const event of ["approve", "deliver"]) {
        (await caller.send("POST", `/store/orders/${id}/${event}`)).order();
      }
      (await remove(caller, pet)).expectStatus(204);
      const { petId } = (await caller.get(`/store/orders/${id}`)).order();
      assert(petId === pet.id, `petId ${pet.id}`, `${petId}`);
    },
  ),
  check("openapi: /components/securitySchemes/apiKey")(
    "updates-need-key",
    "To update and to delete a pet needs a key.",
    async (caller) => {
      const { id } = await caller.addPet();
      for (const method of ["PATCH", "DELETE"]) {
        const sent = { authorization: null, ...(method === "PATCH" ? { body: "{}" } : {}) };
        (await caller.send(method, `/pets/${id}`, sent)).error(401);
      }
    },
  ),
];

export const updates: readonly Check[] = [...updating, ...conditions, ...deleting];
