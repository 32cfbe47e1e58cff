/** Domain names as text: in lower case, without a final dot, and "." for the root. */

/** The text of each byte within a label. */
const byteTexts = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (character === "." || character === "\\") return `\\${character}`;
  return byte > 0x20 && byte < 0x7f ? folded(character) : `\\${String(byte).padStart(3, "0")}`;
});

/**
 * The text of one label. Bytes that are no visible ASCII, and dots within a label, are escaped as
 * in RFC 1035, section 5.1, so that two names never share a text.
 */
export function labelText(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byteTexts[byte];
  return text;
}

/** Only ASCII is folded (RFC 4343): by Unicode's rules, the Kelvin sign would become a plain k. */
export function folded(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export function nameText(labels: readonly string[]): string {
  return labels.length === 0 ? "." : labels.join(".");
}

const nameCharactersMax = 253;
const labelOfVisibleAscii = /^[!-[\]-~]{1,63}$/;

/** Whether the name fits a question. Those with escapes do not: no host that we serve has any. */
export function isAskable(name: string): boolean {
  return (
    name.length <= nameCharactersMax &&
    name.split(".").every((label) => labelOfVisibleAscii.test(label))
  );
}

/** The name without its first label; undefined above a top-level domain. */
export function parentOf(name: string): string | undefined {
  const end = name.indexOf(".");
  return end === -1 ? undefined : name.slice(end + 1);
}

/** Whether the name is the zone's own or lies below it. */
export function isWithin(name: string, zone: string): boolean {
  return zone === "." || name === zone || name.endsWith(`.${zone}`);
}
