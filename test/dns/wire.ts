/** Messages built byte by byte, for what no library would write. */

export const bytes = (...parts: (number | string | Uint8Array)[]): Buffer =>
  Buffer.concat(
    parts.map((part) => (typeof part === "number" ? Buffer.from([part]) : Buffer.from(part))),
  );

export const uint16 = (number: number): Buffer => bytes(number >> 8, number & 0xff);
export const uint32 = (number: number): Buffer => {
  const written = Buffer.alloc(4);
  written.writeUInt32BE(number);
  return written;
};

export const label = (content: string | Uint8Array): Buffer => {
  const written = Buffer.from(content);
  return bytes(written.byteLength, written);
};

/** Each argument is one label, whatever it contains. */
export const name = (...labels: (string | Uint8Array)[]): Buffer => bytes(...labels.map(label), 0);

/** A pointer to the question's name, which follows the header. */
export const questionName = uint16(0xc00c);

export interface RawRecord {
  readonly owner?: Uint8Array;
  readonly type: number;
  readonly recordClass?: number;
  readonly ttl?: number;
  readonly data: Uint8Array;
  /** What the record says of its length, if that is a lie. */
  readonly length?: number;
}

const record = ({ owner = questionName, type, recordClass = 1, ttl = 60, ...rest }: RawRecord) =>
  bytes(
    owner,
    uint16(type),
    uint16(recordClass),
    uint32(ttl),
    uint16(rest.length ?? rest.data.byteLength),
    rest.data,
  );

export interface RawMessage {
  readonly id?: number;
  readonly flags?: number;
  readonly question?: Uint8Array;
  readonly type?: number;
  readonly answers?: readonly RawRecord[];
  readonly authorities?: readonly RawRecord[];
  readonly additionals?: readonly RawRecord[];
}

export const responseFlag = 0x8000;
export const authoritativeFlag = 0x0400;
export const truncatedFlag = 0x0200;

export function message(raw: RawMessage): Buffer {
  const { answers = [], authorities = [], additionals = [] } = raw;
  return bytes(
    uint16(raw.id ?? 7),
    uint16(raw.flags ?? responseFlag | authoritativeFlag),
    uint16(1),
    uint16(answers.length),
    uint16(authorities.length),
    uint16(additionals.length),
    raw.question ?? name("shop", "example"),
    uint16(raw.type ?? 1),
    uint16(1),
    ...[...answers, ...authorities, ...additionals].map(record),
  );
}

export const typeNumber = { A: 1, NS: 2, CNAME: 5, SOA: 6, TXT: 16, AAAA: 28, OPT: 41, CAA: 257 };
