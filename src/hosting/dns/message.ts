/**
 * Messages on the wire (RFC 1035, section 4). Not by dns-packet: it does not distinguish a dot within
 * a label from the end of the label, ignores the lengths of records, and folds names by Unicode's
 * rules. Each of these lets a server pass one name or value off as another.
 */

import { canonicalAddress } from "../../core/networks.ts";
import type { DnsRecord, RecordType } from "../domains/resolver.ts";

export interface Question {
  readonly name: string;
  readonly type: RecordType;
  /** True for a recursor; false for an authoritative server. */
  readonly recursive: boolean;
  /** Whether a recursor is to answer whatever the signatures are (RFC 4035, section 3.2.2). */
  readonly unchecked?: boolean;
}

/** By their mnemonics in the registry of IANA. */
export const rcodes = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  NOTAUTH: 9,
  BADVERS: 16,
} as const;

export interface Message {
  readonly id: number;
  readonly authoritative: boolean;
  readonly recursionAvailable: boolean;
  /** If so, the records are not read. */
  readonly truncated: boolean;
  readonly rcode: number;
  /** The question section. Undefined if it is empty, as in some error responses. */
  readonly asked: { readonly name: string; readonly type: number } | undefined;
  readonly answers: readonly DnsRecord[];
  /** From the authority section: the zone of a negative answer, and its TTL (RFC 2308, section 5). */
  readonly soa: { readonly zone: string; readonly rememberedSeconds: number } | undefined;
  /** Whether the authority section names other servers. */
  readonly namesServers: boolean;
  /** What an error is due to, by the codes of extended errors (RFC 8914); empty if it is not told. */
  readonly extendedErrors: readonly number[];
}

/** Small enough to avoid fragmentation, by the consensus of DNS Flag Day 2020. */
const udpBytesMax = 1232;

/** The OPT record of EDNS (RFC 6891, section 6.1.2): the root, our size, no flags, no options. */
const optRecord = [0, 0, 41, udpBytesMax >> 8, udpBytesMax & 0xff, 0, 0, 0, 0, 0, 0];

/** For a name that `isAskable`. */
export function writeQuestion(question: Question, id: number, extended: boolean): Uint8Array {
  const name = question.name
    .split(".")
    .flatMap((label) => [label.length, ...Buffer.from(label, "latin1")]);
  const type = typeNumbers[question.type];
  return Uint8Array.from([
    ...[id >> 8, id & 0xff, question.recursive ? 1 : 0, question.unchecked ? 1 << 4 : 0],
    // One question, no answer, no authority, and the OPT record or none.
    ...[0, 1, 0, 0, 0, 0, 0, extended ? 1 : 0],
    ...[...name, 0, type >> 8, type & 0xff, 0, classIn],
    ...(extended ? optRecord : []),
  ]);
}

/** Whether this is the response to that query, and not a late or a forged one. */
export function isResponseTo(message: Message, id: number, question: Question): boolean {
  if (message.id !== id) return false;
  // A server that could not parse the query has no question to repeat. It says nothing about the name.
  if (message.asked === undefined) {
    return message.rcode !== rcodes.NOERROR && message.rcode !== rcodes.NXDOMAIN;
  }
  return message.asked.name === question.name && message.asked.type === typeNumbers[question.type];
}

/** The message; undefined if the bytes are not a response to a query. */
export function readMessage(bytes: Uint8Array): Message | undefined {
  try {
    return readAll(new Cursor(bytes));
  } catch (cause) {
    // Something extends past the end of the message, a record or a name.
    if (cause instanceof RangeError) return undefined;
    throw cause;
  }
}

const responseBit = 1 << 15;
const opcodeBits = 0b1111 << 11;
const authoritativeBit = 1 << 10;
const truncatedBit = 1 << 9;
const recursionAvailableBit = 1 << 7;
const rcodeBits = 0b1111;

/** Far more than a legitimate response has. With name compression, few bytes can be much work. */
const recordsMax = 1000;
const classIn = 1;
const typeOpt = 41;

function readAll(cursor: Cursor): Message | undefined {
  const id = cursor.uint16();
  const flags = cursor.uint16();
  if ((flags & responseBit) === 0 || (flags & opcodeBits) !== 0) return undefined;
  const questionCount = cursor.uint16();
  const counts = { answers: cursor.uint16(), authorities: cursor.uint16(), rest: cursor.uint16() };
  if (questionCount > 1) return undefined;
  if (counts.answers + counts.authorities + counts.rest > recordsMax) return undefined;
  const asked = questionCount === 1 ? readAsked(cursor) : undefined;
  const truncated = (flags & truncatedBit) !== 0;
  const { rcodeHigh, ...found } = truncated ? noSections : readSections(cursor, counts);
  return {
    id,
    authoritative: (flags & authoritativeBit) !== 0,
    recursionAvailable: (flags & recursionAvailableBit) !== 0,
    truncated,
    asked,
    ...found,
    rcode: (rcodeHigh << 4) | (flags & rcodeBits),
  };
}

function readAsked(cursor: Cursor): Message["asked"] {
  const name = cursor.name();
  const type = cursor.uint16();
  if (cursor.uint16() !== classIn) throw new RangeError("another class");
  return { name, type };
}

const noOpt = { rcodeHigh: 0, extendedErrors: [] };
const noSections = { answers: [], soa: undefined, namesServers: false, ...noOpt };

function readSections(
  cursor: Cursor,
  counts: { answers: number; authorities: number; rest: number },
) {
  const answers: DnsRecord[] = [];
  let soa: Message["soa"];
  let namesServers = false;
  let opt: NonNullable<ReadRecord["opt"]> = noOpt;
  for (let read = 0; read < counts.answers; read++) {
    const record = readRecord(cursor).known;
    if (record !== undefined) answers.push(record);
  }
  for (let read = 0; read < counts.authorities; read++) {
    const { known, minimumSeconds } = readRecord(cursor);
    if (known?.type === "NS") namesServers = true;
    if (known?.type === "SOA" && minimumSeconds !== undefined) {
      const rememberedSeconds = Math.min(known.ttlSeconds, minimumSeconds);
      soa ??= { zone: known.name, rememberedSeconds };
    }
  }
  // EDNS has the upper bits of the code here: without them, BADVERS would read as NOERROR.
  for (let read = 0; read < counts.rest; read++) {
    opt = readRecord(cursor).opt ?? opt;
  }
  return { answers, soa, namesServers, ...opt };
}

interface ReadRecord {
  /** Undefined for types and classes we do not ask for. */
  readonly known?: DnsRecord;
  /** Of a SOA. */
  readonly minimumSeconds?: number | undefined;
  readonly opt?: { readonly rcodeHigh: number; readonly extendedErrors: readonly number[] };
}

function readRecord(cursor: Cursor): ReadRecord {
  const name = cursor.name();
  const type = cursor.uint16();
  const recordClass = cursor.uint16();
  const ttl = cursor.uint32();
  const data = cursor.part(cursor.uint16());
  if (type === typeOpt) {
    return { opt: { rcodeHigh: ttl >>> 24, extendedErrors: readExtendedErrors(data) } };
  }
  if (recordClass !== classIn) return {};
  const read = readRecordData(type, data);
  if (read === undefined) return {};
  // A TTL with the highest bit set counts as zero (RFC 2181, section 8).
  const ttlSeconds = ttl > 0x7fff_ffff ? 0 : ttl;
  const { minimumSeconds, ...rest } = read;
  return { known: { name, ttlSeconds, ...rest }, minimumSeconds };
}

const optionExtendedError = 15;

/** Options that are malformed are not worth losing the answer for. */
function readExtendedErrors(options: Cursor): number[] {
  const codes: number[] = [];
  while (options.left >= 4) {
    const option = options.uint16();
    const data = options.part(Math.min(options.uint16(), options.left));
    if (option === optionExtendedError && data.left >= 2) codes.push(data.uint16());
  }
  return codes;
}

const typeNumbers: Readonly<Record<RecordType, number>> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  TXT: 16,
  AAAA: 28,
  CAA: 257,
};

interface RecordData extends Pick<DnsRecord, "type" | "value" | "caa"> {
  /** Of a SOA: the TTL of negative answers. */
  readonly minimumSeconds?: number;
}

const typesByNumber = new Map(
  Object.entries(typeNumbers).map(([type, number]) => [number, type as RecordType]),
);

/** Undefined for a type that is never queried. Throws a RangeError if the data is malformed. */
function readRecordData(typeNumber: number, data: Cursor): RecordData | undefined {
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
  // Joined before they are decoded: a character may span two strings.
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

/** The text of each byte within a label. */
const byteTexts = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (character === "." || character === "\\") return `\\${character}`;
  return byte > 0x20 && byte < 0x7f ? folded(character) : `\\${String(byte).padStart(3, "0")}`;
});

/**
 * The text of one label. Bytes other than visible ASCII, and dots within a label, are escaped as in
 * RFC 1035, section 5.1, so that different names never have the same text.
 */
function labelText(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byteTexts[byte];
  return text;
}

/** Only ASCII is folded (RFC 4343): by Unicode's rules, the Kelvin sign would become a plain k. */
export function folded(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

const nameCharactersMax = 253;
const labelOfVisibleAscii = /^[!-[\]-~]{1,63}$/;

/** Whether the name can be queried. Names with escapes cannot: no host that we serve has any. */
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

/** Whether the name is that of the zone or below it. */
export function isWithin(name: string, zone: string): boolean {
  return zone === "." || name === zone || name.endsWith(`.${zone}`);
}

const nameBytesMax = 255;
const labelBytesMax = 63;
/** As many as a name can have labels. */
const pointersMax = 127;
const pointerMark = 0b1100_0000;

/** Reads a message sequentially, and throws a RangeError instead of reading past the end. */
class Cursor {
  readonly #message: Uint8Array;
  readonly #view: DataView;
  readonly #end: number;
  #at: number;

  constructor(message: Uint8Array, at = 0, end = message.byteLength) {
    if (end > message.byteLength) throw new RangeError("past the end of the message");
    this.#message = message;
    this.#view = new DataView(message.buffer, message.byteOffset, message.byteLength);
    this.#at = at;
    this.#end = end;
  }

  get left(): number {
    return this.#end - this.#at;
  }

  uint8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  uint16(): number {
    return this.#view.getUint16(this.#advance(2));
  }

  uint32(): number {
    return this.#view.getUint32(this.#advance(4));
  }

  bytes(count: number): Uint8Array {
    const from = this.#advance(count);
    return this.#message.subarray(from, from + count);
  }

  /** A cursor over only the next bytes, which are skipped here. Names may still point back. */
  part(count: number): Cursor {
    const from = this.#advance(count);
    return new Cursor(this.#message, from, from + count);
  }

  /** A name, whose end may be a pointer to an earlier one (RFC 1035, section 4.1.4). */
  name(): string {
    const labels: string[] = [];
    let reader: Cursor = this;
    let earliest = this.#at;
    let pointers = 0;
    let bytesLeft = nameBytesMax - 1;
    for (;;) {
      const length = reader.uint8();
      if (length === 0) return labels.length === 0 ? "." : labels.join(".");
      if (length >= pointerMark) {
        const target = ((length - pointerMark) << 8) | reader.uint8();
        // Each pointer must point before the previous one, so that there are no loops.
        if (target >= earliest || ++pointers > pointersMax) throw new RangeError("a bad pointer");
        earliest = target;
        reader = new Cursor(this.#message, target);
        continue;
      }
      bytesLeft -= length + 1;
      if (length > labelBytesMax || bytesLeft < 0) throw new RangeError("too long for a name");
      labels.push(labelText(reader.bytes(length)));
    }
  }

  #advance(count: number): number {
    const from = this.#at;
    if (count > this.left) throw new RangeError("past the end");
    this.#at = from + count;
    return from;
  }
}
