/** Changes TXT records at a name server: dynamic updates (RFC 2136), signed by TSIG (RFC 8945). */
import { createHmac } from "node:crypto";
import { connect } from "node:net";
import type { Clock } from "../../core/clock.ts";
import { rcodes } from "./message.ts";

export const tsigAlgorithms = ["hmac-sha256", "hmac-sha384", "hmac-sha512"] as const;

export interface TsigKey {
  readonly algorithm: (typeof tsigAlgorithms)[number];
  readonly name: string;
  readonly secret: Uint8Array;
}

export interface UpdateServer {
  readonly address: string;
  readonly port: number;
  readonly key: TsigKey;
}

export interface TxtRecords {
  readonly zone: string;
  readonly name: string;
  /** Replaces all TXT records of the name. */
  readonly values: readonly string[];
}

const opcodeUpdate = 5 << 11;
const types = { SOA: 6, TXT: 16, TSIG: 250 } as const;
const classes = { IN: 1, ANY: 255 } as const;
/** Short: only the authority reads them, once. */
const ttlSeconds = 60;
/** The permitted clock difference that RFC 8945 recommends (section 10). */
const fudgeSeconds = 300;
const responseMsMax = 10_000;

/**
 * Resolves once the server has changed them, and rejects with the reason if it did not. The signature
 * of its response is not checked: callers query the name servers of the zone afterwards.
 */
export async function setTxtRecords(
  { address, port, key }: UpdateServer,
  records: TxtRecords,
  clock: Clock,
): Promise<void> {
  const id = Buffer.from(clock.random(2)).readUInt16BE();
  const message = signedUpdate(records, key, id, Math.floor(clock.now() / 1000));
  const title = `The name server ${address} port ${port}`;
  const rcode = await exchange({ address, port, id }, message, clock).catch((cause: unknown) => {
    throw new Error(`${title} cannot be reached: ${(cause as Error).message}`, { cause });
  });
  if (rcode === rcodes.NOERROR) return;
  const [name = `code ${rcode}`] = Object.entries(rcodes).find(([, code]) => code === rcode) ?? [];
  const why =
    rcode === rcodes.NOTAUTH
      ? "It does not accept our key, our clock, or is not the primary of the zone"
      : "It does not let our key change this record";
  throw new Error(`${title} refused to update ${records.name} (${name}). ${why}.`);
}

export function signedUpdate(
  records: TxtRecords,
  key: TsigKey,
  id: number,
  atSeconds: number,
): Buffer {
  const name = wireName(records.name);
  const changes = [
    // Deletes the existing records first.
    Buffer.concat([name, record(types.TXT, classes.ANY, 0, Buffer.alloc(0))]),
    ...records.values.map((value) => {
      const text = Buffer.from(value, "latin1");
      const data = Buffer.concat([Buffer.from([text.byteLength]), text]);
      return Buffer.concat([name, record(types.TXT, classes.IN, ttlSeconds, data)]);
    }),
  ];
  const zone = Buffer.concat([wireName(records.zone), uint16(types.SOA), uint16(classes.IN)]);
  const body = Buffer.concat([zone, ...changes]);
  const message = (signatures: number) =>
    Buffer.concat([...[id, opcodeUpdate, 1, 0, changes.length, signatures].map(uint16), body]);
  return Buffer.concat([message(1), signature(message(0), key, id, atSeconds)]);
}

/** The TSIG record of a message, which signs the message without it (RFC 8945, section 4.3). */
function signature(message: Buffer, key: TsigKey, id: number, atSeconds: number): Buffer {
  const keyName = wireName(key.name);
  const algorithm = wireName(key.algorithm);
  const time = Buffer.alloc(8);
  time.writeUIntBE(atSeconds, 0, 6);
  time.writeUInt16BE(fudgeSeconds, 6);
  const noErrorNoOther = Buffer.alloc(4);
  const mac = createHmac(key.algorithm.replace("hmac-", ""), key.secret)
    .update(message)
    .update(Buffer.concat([keyName, uint16(classes.ANY), Buffer.alloc(4)]))
    .update(Buffer.concat([algorithm, time, noErrorNoOther]))
    .digest();
  const signed = [algorithm, time, uint16(mac.byteLength), mac, uint16(id), noErrorNoOther];
  return Buffer.concat([keyName, record(types.TSIG, classes.ANY, 0, Buffer.concat(signed))]);
}

/** A record without its name. */
function record(type: number, kind: number, ttl: number, data: Buffer): Buffer {
  const seconds = Buffer.alloc(4);
  seconds.writeUInt32BE(ttl);
  return Buffer.concat([uint16(type), uint16(kind), seconds, uint16(data.byteLength), data]);
}

/** In lower case, as TSIG signs it. */
function wireName(name: string): Buffer {
  const labels = name.toLowerCase().replace(/\.$/, "").split(".");
  const parts = labels.flatMap((label) => [
    Buffer.from([label.length]),
    Buffer.from(label, "latin1"),
  ]);
  return Buffer.concat([...parts, Buffer.from([0])]);
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}

/** Sends a message over TCP; resolves with the code of the response. */
function exchange(
  { address, port, id }: { address: string; port: number; id: number },
  message: Buffer,
  clock: Clock,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port });
    const cancel = clock.after(responseMsMax, () =>
      socket.destroy(new Error("it does not answer")),
    );
    let received = Buffer.alloc(0);
    socket.on("connect", () => socket.write(Buffer.concat([uint16(message.byteLength), message])));
    socket.on("data", (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      // Only its length, id and flags are read.
      if (received.byteLength < 6) return;
      if (received.readUInt16BE(2) === id) resolve(received.readUInt16BE(4) & 0b1111);
      socket.destroy();
    });
    socket.on("error", reject);
    socket.on("close", () => {
      cancel();
      reject(new Error("it closed the connection"));
    });
  });
}
