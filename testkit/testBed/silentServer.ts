/** A name server that misbehaves on purpose, in a way that a test chooses and may change. */
import { createSocket, type Socket as Datagrams } from "node:dgram";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { type Answer, AUTHORITATIVE_ANSWER, decode, encode, type Packet } from "dns-packet";

/**
 * - `answer`: as it should, from `records`.
 * - `silent`: takes the question and says nothing.
 * - `servfail`, `refused`: always that; the latter is a lame server.
 * - `truncated`: over UDP only that it does not fit; over TCP all of it.
 * - `spoofed`: before the answer come forged ones: another id, another port, another question.
 * - `garbage`: bytes that are no message.
 */
export type Mode =
  | "answer"
  | "silent"
  | "servfail"
  | "refused"
  | "truncated"
  | "spoofed"
  | "garbage";

export interface SilentServerOptions {
  readonly address: string;
  readonly port: number;
  readonly mode: Mode;
  /** What it knows. Unlike a real server it may have an A record beside a CNAME. */
  readonly records?: readonly Answer[];
}

export interface Heard {
  readonly name: string;
  readonly type: string;
  readonly transport: "udp" | "tcp";
}

export interface SilentServer {
  readonly address: string;
  readonly port: number;
  mode: Mode;
  /** For another behaviour over TCP than over UDP. */
  tcpMode: Mode | undefined;
  records: readonly Answer[];
  /** Every question so far. */
  readonly heard: readonly Heard[];
  stop(): Promise<void>;
}

const SERVFAIL = 2;
const NXDOMAIN = 3;
const REFUSED = 5;
const TRUNCATED = 1 << 9;

interface Asked {
  readonly query: Packet;
  readonly name: string;
  readonly type: string;
}

export async function startSilentServer(options: SilentServerOptions): Promise<SilentServer> {
  const { address, port } = options;
  const datagrams = createSocket("udp4");
  const elsewhere = createSocket("udp4");
  const connections = new Set<Socket>();
  const heard: Heard[] = [];

  const server: SilentServer = {
    address,
    port,
    mode: options.mode,
    tcpMode: undefined,
    records: options.records ?? [],
    heard,
    async stop() {
      if (!listener.listening) return;
      for (const socket of connections) socket.destroy();
      datagrams.close();
      elsewhere.close();
      const closed = once(listener, "close");
      listener.close();
      await closed;
    },
  };

  datagrams.on("message", (bytes, from) => {
    const asked = read(bytes);
    if (asked === undefined) return;
    heard.push({ name: asked.name, type: asked.type, transport: "udp" });
    const send = (answer: Buffer, socket = datagrams) =>
      socket.send(answer, from.port, from.address);
    if (server.mode === "spoofed") sendForgeries(asked, send, elsewhere);
    const answer = respond(server.mode, server.records, asked, "udp");
    if (answer !== undefined) send(answer);
  });

  const listener = createServer((socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
    socket.on("error", () => socket.destroy());
    readMessages(socket, (bytes) => {
      const asked = read(bytes);
      if (asked === undefined) return;
      heard.push({ name: asked.name, type: asked.type, transport: "tcp" });
      const answer = respond(server.tcpMode ?? server.mode, server.records, asked, "tcp");
      if (answer !== undefined) socket.write(withLength(answer));
    });
  });

  await bind(datagrams, address, port);
  await bind(elsewhere, address, 0);
  const listening = once(listener, "listening");
  listener.listen(port, address);
  await listening;
  return server;
}

async function bind(socket: Datagrams, address: string, port: number): Promise<void> {
  const bound = once(socket, "listening");
  socket.bind({ address, port });
  await bound;
}

function read(bytes: Buffer): Asked | undefined {
  try {
    const query = decode(bytes);
    const [question] = query.questions ?? [];
    if (question === undefined) return undefined;
    return { query, name: question.name.toLowerCase(), type: question.type };
  } catch {
    return undefined;
  }
}

function readMessages(socket: Socket, take: (bytes: Buffer) => void): void {
  let received = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const end = 2 + received.readUInt16BE(0);
      take(received.subarray(2, end));
      received = received.subarray(end);
    }
  });
}

function withLength(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

function respond(
  mode: Mode,
  records: readonly Answer[],
  asked: Asked,
  transport: "udp" | "tcp",
): Buffer | undefined {
  switch (mode) {
    case "silent":
      return undefined;
    case "servfail":
      return message(asked, SERVFAIL);
    case "refused":
      return message(asked, REFUSED);
    case "garbage":
      // The id is right, so that it is the content that must be refused.
      return Buffer.concat([idOf(asked.query), Buffer.from("ff".repeat(21), "hex")]);
    case "truncated":
      if (transport === "udp") return message(asked, AUTHORITATIVE_ANSWER | TRUNCATED);
      return answerFrom(records, asked);
    case "answer":
    case "spoofed":
      return answerFrom(records, asked);
  }
}

function answerFrom(records: readonly Answer[], asked: Asked): Buffer {
  const sameName = records.filter(({ name }) => name.toLowerCase() === asked.name);
  const answers = sameName.filter(({ type }) => type === asked.type || type === "CNAME");
  const authorities = answers.length > 0 ? [] : records.filter(({ type }) => type === "SOA");
  const rcode = sameName.length > 0 ? 0 : NXDOMAIN;
  return message(asked, AUTHORITATIVE_ANSWER | rcode, { answers, authorities });
}

// dns-packet takes the response code as the lowest bits of the flags.
function message({ query }: Asked, flags: number, parts: Partial<Packet> = {}): Buffer {
  return encode({
    type: "response",
    id: query.id ?? 0,
    flags,
    questions: query.questions ?? [],
    ...parts,
  });
}

function idOf({ id = 0 }: Packet): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(id);
  return bytes;
}

/** Each says that the name does not exist; whoever believes one of them is found out by that. */
function sendForgeries(
  asked: Asked,
  send: (answer: Buffer, socket?: Datagrams) => void,
  elsewhere: Datagrams,
): void {
  const { query } = asked;
  const flags = AUTHORITATIVE_ANSWER | NXDOMAIN;
  const otherId = { ...query, id: ((query.id ?? 0) + 1) % 65_536 };
  const otherQuestion: Packet = { ...query, questions: [{ name: "forged.test", type: "A" }] };
  send(message({ ...asked, query: otherId }, flags));
  send(message(asked, flags), elsewhere);
  send(message({ ...asked, query: otherQuestion }, flags));
}
