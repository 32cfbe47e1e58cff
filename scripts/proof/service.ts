/** The service that the tools call, with its initial data. */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { petstore, startProcess } from "../../testkit/serviceProcess.ts";
import { endWithRun, scratch } from "./run.ts";
import type { Failure, Outcome } from "./suite.ts";

/** Pets 1 to 5, all available, which the examples of the contract and the workflows speak of. */
const petsCreated = 5;
/** The categories of the contract's examples. */
const categories = { 3: "Dogs", 4: "Cats" };

/** By name, because a key of all scopes lacks the platform's. */
const everyScope =
  "pets:read,pets:write,categories:write,orders:read,orders:write,events:read,platform:read";

export interface Live {
  readonly base: string;
  /** An API key with all scopes. */
  readonly key: string;
  /** An API key that may only read pets. */
  readonly readerKey: string;
}

export type Command = (...args: readonly string[]) => Promise<{ readonly key: string }>;

/** With more settings where a suite needs them, and more data, added before the start. */
export async function startService(
  settings: Readonly<Record<string, string>> = {},
  prepare: (command: Command, dataFolder: string) => Promise<void> = async () => {},
) {
  const folder = mkdtempSync(join(scratch, "data-"));
  const data = { PETSTORE_DATA: folder, PETSTORE_LOG: "error", ...settings };
  const command: Command = async (...args) => {
    const { code, stdout, stderr } = await petstore([...args, "--json"], data);
    if (code !== 0) throw new Error(`petstore ${args.join(" ")} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout);
  };
  const { key } = await command("keys", "create", "--name", "proof", "--scopes", everyScope);
  const reader = await command("keys", "create", "--name", "reader", "--scopes", "pets:read");
  for (const [id, name] of Object.entries(categories)) {
    await command("categories", "add", name, "--id", id);
  }
  await prepare(command, folder);
  const service = await startProcess(data);
  endWithRun(service.child);
  const live: Live = { base: service.base, key, readerKey: reader.key };
  const fixtures = new ServiceFixtures(live);
  for (let count = 0; count < petsCreated; count++) await fixtures.pet();
  // Order 1, which the examples speak of. Its pet is a sixth one, and pet 1 stays available:
  // a bad order for it must be refused for what is bad about it.
  await fixtures.order();
  return { service, live };
}

/** Runs a suite against a service of its own, which has to end well too. */
export async function onService(
  suite: (live: Live) => Promise<Outcome>,
  starting = startService(),
): Promise<Outcome> {
  const { service, live } = await starting;
  const outcome = await suite(live).catch(async (cause) => {
    await service.end("SIGTERM");
    throw cause;
  });
  const ended = await service.end("SIGTERM");
  if (ended === 0) return outcome;
  const failure: Failure = { id: "service", says: `It ended with ${ended}: ${service.stderr()}` };
  return { ...outcome, failures: [...outcome.failures, failure] };
}

/** Makes pets and orders through the service, each in the state that one request needs. */
export class ServiceFixtures {
  readonly #live: Live;

  constructor(live: Live) {
    this.#live = live;
  }

  /** A pet that is available, and that nothing else here knows of. */
  pet(): Promise<number> {
    return this.#post("/pets", { name: "Bella", categoryId: 3 });
  }

  /** A category that no pet has. */
  category(name: string): Promise<number> {
    return this.#post("/categories", { name });
  }

  /** An order for such a pet, taken as far as the steps say. */
  async order(...steps: readonly ("approve" | "deliver")[]) {
    const petId = await this.pet();
    const orderId = await this.#post("/store/orders", { petId });
    for (const step of steps) await this.#post(`/store/orders/${orderId}/${step}`);
    return { petId, orderId };
  }

  // Any 2xx will do: which one it must be is for the tools to judge.
  async #post(path: string, body?: object): Promise<number> {
    const { base, key } = this.#live;
    const response = await fetch(base + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`POST ${path} answered ${response.status} ${text}`);
    return JSON.parse(text).id;
  }
}
