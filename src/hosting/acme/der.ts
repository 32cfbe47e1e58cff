/** As much of DER (X.690) as a certificate request and a renewal name need. */

export const tags = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  sequence: 0x30,
  set: 0x31,
} as const;

/** A tag of the context, such as `[0]`. */
export function contextTag(number: number, kind: "primitive" | "constructed"): number {
  return (kind === "constructed" ? 0xa0 : 0x80) | number;
}

export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return der(tags.objectIdentifier, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

export function bitString(bytes: Uint8Array): Buffer {
  return der(tags.bitString, Buffer.from([0]), bytes);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex");
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  /** Tag, length and content. */
  readonly whole: Buffer;
}

/** The elements that stand one after another. Throws where they do not fill the bytes exactly. */
export function derElements(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const element = firstElement(rest);
    elements.push(element);
    rest = rest.subarray(element.whole.length);
  }
  return elements;
}

function firstElement(bytes: Buffer): DerElement {
  const [tag = 0, short = 0] = bytes;
  const lengthBytes = short < 0x80 ? 0 : short & 0x7f;
  // Tags above 30 and lengths past 4 bytes occur in no certificate; 0x80 alone is not DER.
  if (
    bytes.length < 2 + lengthBytes ||
    (tag & 0x1f) === 0x1f ||
    short === 0x80 ||
    lengthBytes > 4
  ) {
    throw new Error("This is not DER.");
  }
  const start = 2 + lengthBytes;
  const length = lengthBytes === 0 ? short : bytes.readUIntBE(2, lengthBytes);
  if (bytes.length < start + length) throw new Error("This DER breaks off.");
  return {
    tag,
    content: bytes.subarray(start, start + length),
    whole: bytes.subarray(0, start + length),
  };
}
