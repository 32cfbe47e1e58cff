/** The lists of the reference: their parameters, filters, pages and cursors. */
import { createHmac } from "node:crypto";
import { idOf, type Plain, Refusal } from "./reading.ts";

export interface Query {
  readonly limit: number;
  readonly cursor: string | undefined;
  readonly matches: (thing: Thing) => boolean;
  /** What a cursor is bound to. */
  readonly question: string;
  /** What the next address holds. */
  readonly kept: readonly string[];
}

interface Thing {
  readonly id: bigint;
  readonly status?: string;
  readonly name?: string;
  readonly firstName?: string;
  readonly categoryId?: bigint;
  readonly petId?: bigint;
  readonly type?: string;
  readonly resource?: string;
}

export const isStatus = (value: unknown): value is string =>
  ["available", "pending", "sold"].includes(value as string);
const orderly = ["placed", "approved", "delivered", "cancelled"];
const eventTypes = [
  ...["pet.created", "pet.updated", "pet.deleted"],
  ...orderly.map((status) => `order.${status}`),
];

const ascending = (ids: readonly (bigint | undefined)[]) =>
  [...new Set(ids as bigint[])].sort((a, b) => (a < b ? -1 : 1));

export function referenceLists(has: (inside: string) => boolean, base: () => string) {
  function list<T extends Thing>(
    place: string,
    all: T[],
    text: (thing: T) => string,
    q: Query,
  ): Plain {
    const seal = (after: string) =>
      createHmac("sha256", "reference").update(`${q.question} ${after}`).digest("hex").slice(0, 16);
    const [at = "", sealed] = q.cursor?.split(".") ?? [];
    const fits = has("any cursor") ? /^\d+$/.test(at) : sealed === seal(at);
    if (q.cursor !== undefined && !fits) throw new Refusal("cursor_invalid", "Begin again.");
    const matching = all.filter(q.matches);
    const wanted = matching.filter(({ id }) => id > BigInt(at || "-9223372036854775808"));
    const page = wanted.slice(0, q.limit);
    // By what is there and not by number: other checks add pets in between.
    const skipped = has("skips one") ? wanted[page.length]?.id : undefined;
    const repeated = has("repeats one") && place !== "/events" ? 1n : 0n;
    const last = String((skipped ?? page.at(-1)?.id ?? 0n) - repeated);
    const kept = [...q.kept, `limit=${q.limit}`, `cursor=${last}.${seal(last)}`].join("&");
    const link = { link: `<${base()}${place}?${kept}>; rel="next"` };
    const goesOn = place === "/events" && !has("events end") && page.length > 0;
    const full = has("link on last") && page.length === q.limit;
    const more = goesOn || full || wanted.length > page.length;
    const body = `[${page.map(text).join(",")}]`;
    const total = has("counts pages") ? page.length : matching.length;
    return { status: 200, body, headers: more ? link : {}, total };
  }

  function wordsOf(text: string): string[] {
    const plain = has("knows accents") ? text : text.normalize("NFD").replace(/\p{M}/gu, "");
    const cased = has("knows case") ? plain : plain.toLowerCase();
    return cased.match(/[\p{L}\p{N}]+/gu) ?? [];
  }

  function isNamed(name: string, words: readonly string[]): boolean {
    const own = wordsOf(name);
    const begins = (start: string) =>
      own.some((word) => (has("finds within") ? word.includes(start) : word.startsWith(start)));
    return has("finds any word") ? words.some(begins) : words.every(begins);
  }

  function readQuery(
    place: string,
    search: URLSearchParams,
    names: string[],
    strict: boolean,
  ): Query {
    const wrong: string[] = [];
    const valuesOf = (name: string) => (names.includes(name) ? search.getAll(name) : []);
    const one = (name: string, fits: (value: string) => boolean): string | undefined => {
      const values = valuesOf(name);
      if (values.length > 1 || values.some((value) => !fits(value))) wrong.push(name);
      return values[0];
    };
    const several = (name: string, most: number) => {
      const values = valuesOf(name).map(idOf);
      if (values.length > most || values.includes(undefined)) wrong.push(name);
      return values.length > 0 ? ascending(values) : undefined;
    };
    const limit = one("limit", (text) => /^\d{1,3}$/.test(text) && +text >= 1 && +text <= 100);
    const status = one("status", (text) =>
      place === "/pets" ? isStatus(text) : orderly.includes(text),
    );
    const cursor = one("cursor", () => true);
    const petId = one("petId", (text) => idOf(text) !== undefined);
    const searched = one("name", (text) => {
      const count = wordsOf(text).length;
      return text.length <= 255 && count >= 1 && count <= 10;
    });
    const types = valuesOf("type");
    if (types.some((type) => !eventTypes.includes(type))) wrong.push("type");
    const resource = one("resource", (text) => text !== "");
    const [ids, categories] = [several("id", 100), several("categoryId", 20)];
    if (strict) wrong.push(...[...search.keys()].filter((name) => !names.includes(name)));
    if (wrong.length > 0) throw new Refusal("parameter_invalid", `Wrong: ${wrong.join(", ")}.`);
    const words = searched === undefined ? undefined : wordsOf(searched);
    const kept = new URLSearchParams(search);
    for (const name of [...kept.keys()]) {
      if (/^(?:limit|cursor)$/.test(name) || !names.includes(name)) kept.delete(name);
    }
    const question = [place, status, petId, ids, categories, words, types, resource].join(" ");
    return {
      ...{ limit: Number(limit ?? 20), cursor },
      question: has("cursor of any list") ? "" : question,
      kept: kept.size > 0 ? [String(kept)] : [],
      matches: (thing) =>
        (status === undefined || thing.status === status) &&
        (ids === undefined || ids.includes(thing.id)) &&
        (categories === undefined || categories.includes(thing.categoryId ?? 0n)) &&
        (types.length === 0 || types.includes(thing.type ?? "")) &&
        (resource === undefined || thing.resource === resource) &&
        (petId === undefined || thing.petId === idOf(petId)) &&
        (words === undefined || isNamed(thing.firstName ?? thing.name ?? "", words)),
    };
  }

  return { list, readQuery };
}
