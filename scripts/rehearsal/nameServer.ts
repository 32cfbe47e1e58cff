/** A name server on loopback: authoritative for its zones, and their recursor as well. */
import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import {
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  type OptAnswer,
  type Packet,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
} from "dns-packet";
import { freePort } from "../../testkit/freePorts.ts";
import type { Zones } from "./zones.ts";

export interface NameServer {
  readonly address: string;
  /** Over UDP and over TCP. */
  readonly port: number;
  stop(): Promise<void>;
}

const rcodes = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 };
const headerBytes = 12;
/** Without EDNS (RFC 1035, section 4.2.1). */
const udpBytesMax = 512;
/** By the consensus of DNS Flag Day 2020. */
const ednsBytesMax = 1232;
const connectionIdleMs = 10_000;

export async function startNameServer(zones: Zones): Promise<NameServer> {
  const address = "127.0.0.1";
  const port = await freePort([address]);
  const udp = createSocket("udp4");
  udp.on("message", (bytes, from) => {
    const response = respond(zones, bytes, "udp");
    if (response !== undefined) udp.send(response, from.port, from.address);
  });
  // A client that has gone away by the time of its answer is no concern of the others.
  udp.on("error", () => {});
  const sockets = new Set<Socket>();
  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    serveConnection(socket, zones);
  });
  await listening(udp, tcp, address, port);
  return {
    address,
    port,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await Promise.all([
        new Promise<void>((resolve) => udp.close(() => resolve())),
        new Promise<void>((resolve) => tcp.close(() => resolve())),
      ]);
    },
  };
}

async function listening(udp: UdpSocket, tcp: Server, address: string, port: number) {
  const both = Promise.all([once(udp, "listening"), once(tcp, "listening")]);
  udp.bind(port, address);
  tcp.listen(port, address);
  await both;
}

/** Messages that two bytes of length precede, any number of them (RFC 7766). */
function serveConnection(socket: Socket, zones: Zones): void {
  let received = Buffer.alloc(0);
  socket.setTimeout(connectionIdleMs, () => socket.destroy());
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const end = 2 + received.readUInt16BE(0);
      const response = respond(zones, received.subarray(2, end), "tcp");
      received = received.subarray(end);
      if (response === undefined) return void socket.destroy();
      const length = Buffer.alloc(2);
      length.writeUInt16BE(response.length);
      socket.write(Buffer.concat([length, response]));
    }
  });
}

/** Undefined for what is no query, which gets no response: it may be a response itself. */
export function respond(zones: Zones, bytes: Buffer, over: "udp" | "tcp"): Buffer | undefined {
  if (bytes.length < headerBytes || (bytes.readUInt16BE(2) & 0x8000) !== 0) return undefined;
  const query = decoded(bytes);
  if (query === undefined) return encode(refusal({ id: bytes.readUInt16BE(0) }, "FORMERR"));
  const response = responseTo(query, zones);
  const opt = query.additionals?.find(({ type }) => type === "OPT");
  const asked = opt !== undefined && "udpPayloadSize" in opt ? opt.udpPayloadSize : udpBytesMax;
  const bytesMax = Math.min(Math.max(asked, udpBytesMax), ednsBytesMax);
  const additionals = opt === undefined ? [] : [optRecord];
  const whole = encode({ ...response, additionals });
  if (over === "tcp" || whole.length <= bytesMax) return whole;
  const flags = (response.flags ?? 0) | TRUNCATED_RESPONSE;
  return encode({ ...response, flags, answers: [], authorities: [], additionals });
}

const optRecord: OptAnswer = {
  type: "OPT",
  name: ".",
  udpPayloadSize: ednsBytesMax,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

function decoded(bytes: Buffer): Packet | undefined {
  try {
    return decode(bytes);
  } catch {
    return undefined;
  }
}

function responseTo(query: Packet & { opcode?: string }, zones: Zones): Packet {
  const [question, ...others] = query.questions ?? [];
  if (query.opcode !== "QUERY") return refusal(query, "NOTIMP");
  if (question === undefined || others.length > 0) return refusal(query, "FORMERR");
  if (question.class !== "IN") return refusal(query, "REFUSED");
  const recursive = ((query.flags ?? 0) & RECURSION_DESIRED) !== 0;
  const { rcode, answers, authorities } = zones.answer(question, recursive);
  return {
    type: "response",
    ...(query.id === undefined ? {} : { id: query.id }),
    flags:
      rcodes[rcode] |
      AUTHORITATIVE_ANSWER |
      (recursive ? RECURSION_DESIRED | RECURSION_AVAILABLE : 0),
    questions: [question],
    answers: [...answers],
    authorities: [...authorities],
  };
}

/** The opcode and the wish for recursion, which a response repeats (RFC 1035, section 4.1.1). */
const repeatedBits = (0b1111 << 11) | RECURSION_DESIRED;

function refusal({ id = 0, flags = 0, questions = [] }: Packet, rcode: keyof typeof rcodes) {
  return {
    type: "response",
    id,
    flags: (flags & repeatedBits) | rcodes[rcode],
    questions,
  } as const;
}
