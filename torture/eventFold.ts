/** Follows the events of a database as a client does, over all its restarts. */
import { parseJson } from "../src/contract/json.ts";
import { exchange } from "./exchange.ts";
import type { Tally } from "./tally.ts";
import type { Row, Walker } from "./walk.ts";

const pagesMax = 20_000;

/** What the events tell must be what there is: none is lost, doubled or made up. */
export class EventFold {
  /** What is asked for next: everything before it was read once, and must not be needed again. */
  #query = "?limit=100";
  #lastId = 0n;
  /** By the resource. */
  readonly #told = new Map<string, string>();

  /** Reads what has happened since the last time. False if that was not possible, a violation. */
  async follow({ base, token, tally }: Walker): Promise<boolean> {
    for (let page = 0; page < pagesMax; page++) {
      const url = `${base}/events${this.#query}`;
      const answer = await exchange({ method: "GET", url, token }, tally);
      tally.judge(answer?.status === 200, () => `The events are ${answer?.status} at ${url}`);
      if (answer?.status !== 200) return false;
      for (const event of parseJson(answer.text) as Row[]) this.take(event, tally);
      const next = /<[^>?]*(\?[^>]*)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
      if (next === undefined) return true;
      this.#query = next;
    }
    tally.judge(false, () => `The events have no end in ${pagesMax} pages`);
    return false;
  }

  take(event: Row, tally: Tally): void {
    const [id, resource] = [BigInt(event["id"] as number | bigint), String(event["resource"])];
    tally.judge(id > this.#lastId, () => `Event ${id} came after ${this.#lastId}`);
    this.#lastId = id;
    if (!/^(?:pet|order|key)\./.test(String(event["type"]))) return;
    const before = this.#told.get(resource);
    const data = text(event["data"] as Row);
    const what = String(event["type"]).split(".")[1];
    const begins = what === "created" || what === "placed";
    tally.judge(
      begins === (before === undefined) && (before === data) === (what === "deleted"),
      () => `${text(event)} does not follow ${before ?? "from nothing"}`,
    );
    if (what === "deleted") this.#told.delete(resource);
    else this.#told.set(resource, data);
  }

  /** Against all pets and orders that there are, and all keys where they can be read. */
  judge(pets: readonly Row[], orders: readonly Row[], tally: Tally, keys?: readonly Row[]): void {
    const there = new Map<string, string>([
      ...pets.map((row) => [`pets/${row["id"]}`, text(row)] as const),
      ...orders.map((row) => [`orders/${row["id"]}`, text(row)] as const),
      ...(keys ?? []).map((row) => [`keys/${row["id"]}`, text(row)] as const),
    ]);
    for (const resource of new Set([...there.keys(), ...this.#told.keys()])) {
      const isKey = resource.startsWith("keys/");
      if (isKey && keys === undefined) continue;
      const [last, is] = [this.#told.get(resource), there.get(resource)];
      const told = isKey && last !== undefined ? keyText(last) : last;
      tally.judge(told === is, () => `The events tell ${told ?? "nothing"} of ${resource}: ${is}`);
    }
  }
}

/** What of a key only changes with an event. */
function keyText(data: string): string {
  const { id, name, expiresAt, revokedAt, replacedBy } = JSON.parse(data);
  return text({ id, name, expiresAt, revokedAt, replacedBy });
}

const text = (row: Row) =>
  JSON.stringify(row, (_name, value) => (typeof value === "bigint" ? String(value) : value));
