/** One DNS question to one server, and its whole answer. No retries: a test wants to see a loss. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect } from "node:net";
import {
  type DecodedPacket,
  decode,
  encode,
  type Packet,
  RECURSION_DESIRED,
  streamEncode,
} from "dns-packet";

export interface Question {
  readonly address: string;
  readonly port: number;
  readonly name: string;
  /** `"A"`, or `"UNKNOWN_65280"` for a type without a name. */
  readonly type: string;
  readonly tcp?: boolean;
  /** Ends the waiting. */
  readonly signal?: AbortSignal;
}

/** dns-packet reads the response code from the header, but its types do not say so. */
export type Reply = DecodedPacket & { readonly rcode: string };

let nextId = Math.floor(Math.random() * 65_536);

export async function ask(question: Question): Promise<Reply> {
  nextId = (nextId + 1) % 65_536;
  const packet = {
    type: "query",
    id: nextId,
    flags: RECURSION_DESIRED,
    questions: [{ name: question.name, type: question.type }],
  } as Packet;
  const bytes = await (question.tcp ? overTcp(question, packet) : overUdp(question, packet));
  const reply = decode(bytes) as Reply;
  if (reply.id !== packet.id) throw new Error("The answer is to another question.");
  return reply;
}

async function overUdp({ address, port, signal }: Question, packet: Packet): Promise<Buffer> {
  const socket = createSocket("udp4");
  try {
    // Connected, so that the system drops what comes from elsewhere and tells of a closed port.
    const connected = once(socket, "connect");
    socket.connect(port, address);
    await connected;
    const answered = once(socket, "message", { signal });
    socket.send(encode(packet));
    const [message] = await answered;
    return message;
  } finally {
    socket.close();
  }
}

async function overTcp({ address, port, signal }: Question, packet: Packet): Promise<Buffer> {
  const socket = connect(port, address);
  try {
    await once(socket, "connect", { signal });
    socket.write(streamEncode(packet));
    let received = Buffer.alloc(0);
    while (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) {
      const [chunk] = await once(socket, "data", { signal });
      received = Buffer.concat([received, chunk]);
    }
    return received.subarray(2);
  } finally {
    socket.destroy();
  }
}

/** Before a server is there, its port may swallow a question: then it is asked another. */
const anotherAfterMs = 1_000;

/** True once something at this address answers DNS at all, be it with a refusal. */
export async function answersDns(address: string, port: number): Promise<boolean> {
  const signal = AbortSignal.timeout(anotherAfterMs);
  await ask({ address, port, name: ".", type: "SOA", signal });
  return true;
}

export async function serialOf(
  address: string,
  port: number,
  zone: string,
): Promise<number | undefined> {
  const signal = AbortSignal.timeout(anotherAfterMs);
  const { answers = [] } = await ask({ address, port, name: zone, type: "SOA", signal });
  const soa = answers.find(({ type }) => type === "SOA");
  return soa?.type === "SOA" ? soa.data.serial : undefined;
}
