/**
 * Messages on the wire (RFC 1035, section 4). Not by dns-packet: it drops the line between a dot and
 * a label's end, ignores the lengths of records, and folds names by Unicode's rules, and each of
 * these lets a server pass one name or value off as another.
 */
import type { DnsRecord, RecordType } from "../domains/resolver.ts";
import { Cursor } from "./cursor.ts";
import { readRecordData, typeNumbers } from "./recordData.ts";

export interface Question {
  readonly name: string;
  readonly type: RecordType;
  /** True for a recursor; false for a server that shall speak for itself. */
  readonly recursive: boolean;
}

export const rcodes = {
  noError: 0,
  formErr: 1,
  servFail: 2,
  nxDomain: 3,
  notImp: 4,
  refused: 5,
  notAuth: 9,
  badVers: 16,
} as const;

export interface Message {
  readonly id: number;
  readonly authoritative: boolean;
  readonly recursionAvailable: boolean;
  /** If so, the rest of the message is left unread. */
  readonly truncated: boolean;
  readonly rcode: number;
  /** The question it repeats. Undefined if it repeats none, which servers do with their faults. */
  readonly asked: { readonly name: string; readonly type: number } | undefined;
  readonly answers: readonly DnsRecord[];
  /** From the authority section: who says no, and for how long it holds (RFC 2308, section 5). */
  readonly soa: { readonly zone: string; readonly rememberedSeconds: number } | undefined;
  /** Whether the authority section names other servers. */
  readonly namesServers: boolean;
}

/** Small enough to cross every network in one piece, as resolvers have agreed. */
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
    ...[id >> 8, id & 0xff, question.recursive ? 1 : 0, 0],
    // One question, no answer, no authority, and the OPT record or none.
    ...[0, 1, 0, 0, 0, 0, 0, extended ? 1 : 0],
    ...[...name, 0, type >> 8, type & 0xff, 0, classIn],
    ...(extended ? optRecord : []),
  ]);
}

/** Whether this is the answer to that question, and not one from before or from a stranger. */
export function answers(message: Message, id: number, question: Question): boolean {
  if (message.id !== id) return false;
  // A server that could not read us has nothing to repeat. That claims nothing about the name.
  if (message.asked === undefined) {
    return message.rcode !== rcodes.noError && message.rcode !== rcodes.nxDomain;
  }
  return message.asked.name === question.name && message.asked.type === typeNumbers[question.type];
}

/** The message, or undefined if the bytes are no response to a question. */
export function readMessage(bytes: Uint8Array): Message | undefined {
  try {
    return readAll(new Cursor(bytes));
  } catch (cause) {
    // Whatever leads past an end, be it of the message, a record, or a name.
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

/** Far more than any honest answer to us has. Names share bytes, so few bytes can be much work. */
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
  const found = truncated ? noSections : readSections(cursor, counts);
  return {
    id,
    authoritative: (flags & authoritativeBit) !== 0,
    recursionAvailable: (flags & recursionAvailableBit) !== 0,
    truncated,
    asked,
    answers: found.answers,
    soa: found.soa,
    namesServers: found.namesServers,
    rcode: (found.rcodeHigh << 4) | (flags & rcodeBits),
  };
}

function readAsked(cursor: Cursor): Message["asked"] {
  const name = cursor.name();
  const type = cursor.uint16();
  if (cursor.uint16() !== classIn) throw new RangeError("another class");
  return { name, type };
}

const noSections = { answers: [], soa: undefined, namesServers: false, rcodeHigh: 0 };

function readSections(
  cursor: Cursor,
  counts: { answers: number; authorities: number; rest: number },
) {
  const answers: DnsRecord[] = [];
  let soa: Message["soa"];
  let namesServers = false;
  let rcodeHigh = 0;
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
  // EDNS keeps the upper bits of the code here: without them, BADVERS would read as NOERROR.
  for (let read = 0; read < counts.rest; read++) {
    rcodeHigh = readRecord(cursor).rcodeHigh ?? rcodeHigh;
  }
  return { answers, soa, namesServers, rcodeHigh };
}

interface ReadRecord {
  /** Undefined for types and classes we do not ask for. */
  readonly known?: DnsRecord;
  /** Of a SOA. */
  readonly minimumSeconds?: number | undefined;
  /** Of an OPT. */
  readonly rcodeHigh?: number;
}

function readRecord(cursor: Cursor): ReadRecord {
  const name = cursor.name();
  const type = cursor.uint16();
  const recordClass = cursor.uint16();
  const ttl = cursor.uint32();
  const data = cursor.part(cursor.uint16());
  if (type === typeOpt) return { rcodeHigh: ttl >>> 24 };
  if (recordClass !== classIn) return {};
  const read = readRecordData(type, data);
  if (read === undefined) return {};
  // A TTL with the highest bit set counts as zero (RFC 2181, section 8).
  const ttlSeconds = ttl > 0x7fff_ffff ? 0 : ttl;
  const { minimumSeconds, ...rest } = read;
  return { known: { name, ttlSeconds, ...rest }, minimumSeconds };
}
