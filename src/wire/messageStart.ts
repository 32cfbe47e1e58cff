/**
 * The start of a message, up to its method. A method that llhttp does not know is replaced by
 * another one for it, so that the message is framed, and handled, like any other.
 */
const methodForm = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const methodBytesMax = 32;
const space = 0x20;

const parsedMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Whether llhttp frames messages with this method like any other. */
export function isParsed(method: string): boolean {
  return parsedMethods.has(method);
}

/** The method that llhttp gets in place of an unknown one. */
export const substituteMethod = Buffer.from("POST");

/** RFC 9112, section 2.2: empty lines before a request are ignored. */
export function afterEmptyLines(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 0x0d || bytes[at] === 0x0a) at++;
  return at;
}

/** Undefined until it is complete; empty if it cannot be a method. */
export function methodAt(bytes: Buffer, at: number): string | undefined {
  const end = bytes.indexOf(space, at);
  const length = (end === -1 ? bytes.byteLength : end) - at;
  if (length > methodBytesMax) return "";
  const text = bytes.toString("latin1", at, at + length);
  if (isParsed(text) && end !== -1) return text;
  if (!methodForm.test(text)) return "";
  return end === -1 ? undefined : text;
}
