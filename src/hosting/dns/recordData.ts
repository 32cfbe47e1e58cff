import type { DnsRecord, RecordType } from "../domains/resolver.ts";
import { canonicalAddress } from "./addresses.ts";
import type { Cursor } from "./cursor.ts";
import { labelText } from "./names.ts";

export const typeNumbers: Readonly<Record<RecordType, number>> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  TXT: 16,
  AAAA: 28,
  CAA: 257,
};

export interface RecordData extends Pick<DnsRecord, "type" | "value" | "caa"> {
  /** Of a SOA: for how long a no may be remembered. */
  readonly minimumSeconds?: number;
}

const typesByNumber = new Map(
  Object.entries(typeNumbers).map(([type, number]) => [number, type as RecordType]),
);

/** What a record says; undefined for a type we never ask for. Throws a RangeError on a misfit. */
export function readRecordData(typeNumber: number, data: Cursor): RecordData | undefined {
  const type = typesByNumber.get(typeNumber);
  if (type === undefined) return undefined;
  const read = { type, ...readers[type](data) };
  if (data.left > 0) throw new RangeError("more than the record should hold");
  return read;
}

const readers: Record<RecordType, (data: Cursor) => Omit<RecordData, "type">> = {
  A: (data) => ({ value: data.bytes(4).join(".") }),
  AAAA: (data) => ({ value: readAddress6(data) }),
  CNAME: (data) => ({ value: data.name() }),
  NS: (data) => ({ value: data.name() }),
  SOA: readSoa,
  TXT: readTxt,
  CAA: readCaa,
};

function readAddress6(data: Cursor): string {
  const groups = Array.from({ length: 8 }, () => data.uint16().toString(16));
  return canonicalAddress(groups.join(":")) ?? "";
}

/** Serial, refresh, retry and expire. */
const soaNumbersBeforeMinimumBytes = 16;

function readSoa(data: Cursor): Omit<RecordData, "type"> {
  const value = data.name();
  data.name();
  data.bytes(soaNumbersBeforeMinimumBytes);
  return { value, minimumSeconds: data.uint32() };
}

function readTxt(data: Cursor): Omit<RecordData, "type"> {
  const strings: Uint8Array[] = [];
  while (data.left > 0) strings.push(data.bytes(data.uint8()));
  // Joined before they are decoded: a character may be cut in two.
  return { value: Buffer.concat(strings).toString("utf8") };
}

const criticalBit = 0b1000_0000;

function readCaa(data: Cursor): Omit<RecordData, "type"> {
  const flags = data.uint8();
  const tagLength = data.uint8();
  if (tagLength === 0) throw new RangeError("no tag");
  const tag = labelText(data.bytes(tagLength));
  const value = Buffer.from(data.bytes(data.left)).toString("utf8");
  return { value, caa: { critical: (flags & criticalBit) !== 0, tag } };
}
