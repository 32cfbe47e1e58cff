/** What programs get of a view: instants as text, and null where there is nothing to say. */

/** `addedAtMs: number` becomes `addedAt: string`; undefined becomes null; the rest stays. */
export type Json<T> = T extends undefined
  ? null
  : T extends readonly (infer Item)[]
    ? readonly Json<Item>[]
    : T extends object
      ? {
          readonly [Name in keyof T as NameOf<Name, T[Name]>]: NameOf<Name, T[Name]> extends Name
            ? Json<T[Name]>
            : InstantOf<T[Name]>;
        }
      : T;

/** Of an instant without its unit. A list of milliseconds is not one. */
type NameOf<Name, Value> = Name extends `${infer Bare}Ms`
  ? [Value] extends [number | undefined]
    ? Bare
    : Name
  : Name;

type InstantOf<T> = T extends number ? string : null;

export function toJson<T>(value: T): Json<T> {
  return converted(value) as Json<T>;
}

function converted(value: unknown): unknown {
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map(converted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) =>
      name.endsWith("Ms") && (member === undefined || typeof member === "number")
        ? [name.slice(0, -2), member === undefined ? null : new Date(member).toISOString()]
        : [name, converted(member)],
    ),
  );
}
