/** What programs get of a view: instants as text, and null where there is nothing to say. */

/** `addedAtMs: number` becomes `addedAt: string`; undefined becomes null; the rest stays. */
export type InJson<T> = T extends undefined
  ? null
  : T extends readonly (infer Item)[]
    ? readonly InJson<Item>[]
    : T extends object
      ? {
          readonly [Name in keyof T as Name extends `${infer Bare}Ms`
            ? Bare
            : Name]: Name extends `${string}Ms` ? InstantOf<T[Name]> : InJson<T[Name]>;
        }
      : T;

type InstantOf<T> = T extends number ? string : null;

export function inJson<T>(value: T): InJson<T> {
  return converted(value) as InJson<T>;
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
