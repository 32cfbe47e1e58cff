import type { Schemas } from "./operations.ts";

type MembersOf<Schema> = Schema extends readonly unknown[] | string
  ? never
  : {
      [Name in keyof Schema]-?: bigint extends NonNullable<Schema[Name]> ? Name : never;
    }[keyof Schema];

type Int64Member = { [Name in keyof Schemas]: MembersOf<Schemas[Name]> }[keyof Schemas];

/**
 * The members that are int64 wherever they occur. The type holds this to the contract: neither a
 * missing name nor one too many compiles.
 */
export const int64Members: Readonly<Record<Int64Member, true>> = {
  id: true,
  categoryId: true,
  petId: true,
};

/** Makes a bigint of every int64, in place. Throws TypeError where there is another value. */
export function withInt64(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const [name, member] of Object.entries(members)) {
    if (Object.hasOwn(int64Members, name)) members[name] = int64(name, member);
    else withInt64(member);
  }
  return value;
}

function int64(name: string, value: unknown): bigint {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === "bigint" && BigInt.asIntN(64, value) === value) return value;
  throw new TypeError(`${name} is not an int64`);
}
