/** Repeating what a file says, in one line of bounded length. */

const lengthMax = 60;

/** Quoted, as a person can compare it with the file. */
export function shortened(text: string): string {
  const characters = [...text];
  const cut = characters.length > lengthMax;
  return JSON.stringify(cut ? `${characters.slice(0, lengthMax).join("")}…` : text);
}

/** A plain word as it is, anything else quoted. */
export function nameShown(name: string): string {
  return /^[\p{L}\p{N}_-]{1,60}$/u.test(name) ? name : shortened(name);
}

/** A value of parsed JSON; undefined where its digits are no longer known. */
export function valueShown(value: unknown): string | undefined {
  if (typeof value === "string") return shortened(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value === "object" && value !== null) {
    return Array.isArray(value) ? "an array" : "an object";
  }
  return String(value);
}
