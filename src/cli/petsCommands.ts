/** Shows, updates and deletes one pet. */
import type { JsonOf } from "../contract/document.ts";
import { parseJson } from "../contract/json.ts";
import { readerFor } from "../contract/operations.ts";
import type { Reading } from "../contract/schema.ts";
import type { DeleteOutcome, UpdateOutcome } from "../petstore/catalogue/catalogue.ts";
import type { Pet, PetPatch } from "../petstore/catalogue/pet.ts";
import type { Command } from "./command.ts";
import { CommandFailure, UsageError } from "./errors.ts";
import { readInt64 } from "./readText.ts";
import { table } from "./table.ts";
import { withStores } from "./withStores.ts";

const whichPet = { "<id>": "The pet, by its id" };

const showPet: Command = {
  name: "pets show",
  summary: "Show one pet",
  operands: whichPet,
  examples: ["petstore pets show 7"],
  async run({ operand }, context) {
    const id = readInt64("<id>", operand);
    const text = await withStores(context, ({ catalogue }) => catalogue.get(id));
    if (text === undefined) throw noSuchPet(id);
    return petReport(text);
  },
};

const updatePet: Command = {
  name: "pets update",
  summary: "Change the name, the category or the status of a pet",
  operands: whichPet,
  options: {
    "name <name>": "The new name",
    "category <id>": "The id of the new category, a negative one as --category=-5",
    "status <status>": "available, pending or sold",
  },
  about:
    "What is not given stays as it is. While an open order holds the pet, its status stays too: see\npetstore orders. The category may be any, as in an import.",
  examples: ["petstore pets update 7 --name Bella", "petstore pets update 7 --status sold"],
  async run({ operand, values }, context) {
    const id = readInt64("<id>", operand);
    const patch = readPatch(values);
    const outcome = await withStores(context, ({ catalogue }) => catalogue.update(id, patch));
    if (outcome.kind !== "done") throw refusal(id, outcome);
    return petReport(outcome.text);
  },
};

const deletePet: Command = {
  name: "pets delete",
  summary: "Delete a pet; its orders stay",
  operands: whichPet,
  about:
    "Its id is not assigned again. A pet that an open order holds is not deleted: cancel the order\nfirst.",
  examples: ["petstore pets delete 7"],
  async run({ operand }, context) {
    const id = readInt64("<id>", operand);
    const outcome = await withStores(context, ({ catalogue }) => catalogue.delete(id));
    if (outcome.kind !== "done") throw refusal(id, outcome);
    return { json: { id }, text: `Deleted pet ${id}.\n` };
  },
};

const read = readerFor("PetPatch");

/** By the rules of the API. */
function readPatch(values: ReadonlyMap<string, string>): PetPatch {
  const category = values.get("category");
  const given = {
    ...(values.has("name") ? { name: values.get("name") } : {}),
    ...(category === undefined ? {} : { categoryId: readInt64("--category", category) }),
    ...(values.has("status") ? { status: values.get("status") } : {}),
  };
  if (Object.keys(given).length === 0) {
    throw new UsageError("Say what to change: --name, --category or --status.");
  }
  const reading: Reading = { complaints: [], strict: true };
  const patch = read(given, "pet", reading) as PetPatch;
  if (reading.complaints.length === 0) return patch;
  const said = reading.complaints.map((complaint) => complaint.replace(", or null.", "."));
  throw new UsageError(said.map((complaint) => `--${complaint}`).join(" "));
}

function refusal(id: bigint, outcome: UpdateOutcome | DeleteOutcome): Error {
  if (outcome.kind === "no_such_pet") return noSuchPet(id);
  if (outcome.kind !== "reserved") {
    return new TypeError(`The store returned ${outcome.kind}, which only a condition can cause.`);
  }
  const { orderId } = outcome;
  return new CommandFailure(
    `Order ${orderId} holds pet ${id}. Nothing changed. Deliver or cancel the order first: petstore orders show ${orderId}.`,
  );
}

function noSuchPet(id: bigint): CommandFailure {
  return new CommandFailure(`No pet has the id ${id}. See petstore pets export.`);
}

function petReport(text: JsonOf<Pet>) {
  const pet = parseJson(text) as Pet;
  const facts = table([
    ["Pet", String(pet.id)],
    ["Name", pet.name],
    ["Category", String(pet.categoryId)],
    ["Status", pet.status],
  ]);
  return { json: pet, text: facts };
}

/** In the order of the help. */
export const petsCommands: readonly Command[] = [showPet, updatePet, deletePet];
