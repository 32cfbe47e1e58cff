import type { Operation } from "../contract/document.ts";
import { type Reading, unknownNames } from "../contract/schema.ts";
import { Problem } from "../core/problems.ts";

/** Reads the query of an address as the operation's parameters. Names all that is wrong. */
export function readQuery(
  operation: Operation,
  search: string,
  strict: boolean,
): Record<string, unknown> {
  const given = search === "" ? noParameters : valuesByName(search);
  const reading: Reading = { complaints: [], strict };
  const query: Record<string, unknown> = {};
  for (const [name, { read, otherwise }] of operation.query) {
    const values = given.get(name);
    const value = values === undefined ? otherwise : read(values, name, reading);
    if (value !== undefined) query[name] = value;
  }
  if (strict) {
    const strangers = [...given.keys()].filter((name) => !operation.query.has(name));
    reading.complaints.push(...unknownNames(strangers, "a parameter of this operation"));
  }
  if (reading.complaints.length > 0) {
    throw new Problem("parameter_invalid", { detail: reading.complaints.join(" ") });
  }
  return query;
}

const noParameters: ReadonlyMap<string, string[]> = new Map();

function valuesByName(search: string): ReadonlyMap<string, string[]> {
  const byName = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(search)) {
    const values = byName.get(name);
    if (values === undefined) byName.set(name, [value]);
    else values.push(value);
  }
  return byName;
}
