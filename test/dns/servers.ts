/** Small name servers that answer, or misbehave, as a test tells them to. */
import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { createServer, type Socket as TcpSocket } from "node:net";
import { type Answer, AUTHORITATIVE_ANSWER, decode, encode, RECURSION_AVAILABLE } from "dns-packet";
import { systemClock } from "../../src/core/clock.ts";
import { createResolver, type ResolverOptions } from "../../src/hosting/dns/resolver.ts";
import { type FakeClock, fakeClock } from "../../testkit/fakeClock.ts";

export interface Query {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly recursive: boolean;
  /** Whether it is to be answered whatever the signatures are. */
  readonly unchecked: boolean;
  /** The size offered by EDNS; undefined without it. */
  readonly udpBytes: number | undefined;
  readonly over: "udp" | "tcp";
  readonly fromPort: number;
}

export interface Behaviour {
  readonly address?: string;
  udp?(query: Query, send: (bytes: Uint8Array) => void): void;
  tcp?(query: Query, connection: TcpSocket): void;
}

export interface StartedServer {
  readonly address: string;
  readonly port: number;
  readonly heard: readonly Query[];
}

const opened: (() => void)[] = [];

/** For how long the resolvers wait for one packet. */
export const attemptMs = 1_500;

/** Stands still until a test or a server lets time pass, so that no answer comes too late by chance. */
let clock: FakeClock = fakeClock(0);
export const pass = (ms: number): void => clock.advance(ms);
export const passedMs = (): number => clock.elapsed();

/** Lets everything that is ready happen, so many times. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((next) => setImmediate(next));
}

/** Call it after each test. */
export function closeAll(): void {
  for (const close of opened.splice(0)) close();
  clock = fakeClock(0);
}

/** A server that hears a question and lets the time for an answer run out. */
export const startSilentServer = (): Promise<StartedServer> =>
  startServer({ udp: () => pass(attemptMs) });

export async function startServer(behaviour: Behaviour): Promise<StartedServer> {
  const { address = "127.0.0.1" } = behaviour;
  const heard: Query[] = [];
  const port = await listenTcp(address, heard, behaviour);
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  await new Promise<void>((bound) => socket.bind(port, address, bound));
  opened.push(() => socket.close());
  answerOver(socket, heard, behaviour);
  return { address, port, heard };
}

function answerOver(socket: UdpSocket, heard: Query[], behaviour: Behaviour): void {
  let open = true;
  // An answer may find the port closed of somebody who no longer waits.
  socket.on("error", () => {});
  socket.on("close", () => {
    open = false;
  });
  socket.on("message", (bytes, from) => {
    const query = read(bytes, "udp", from.port);
    heard.push(query);
    // A behaviour may answer late, when the test is over.
    behaviour.udp?.(query, (answer) => {
      if (open) socket.send(answer, from.port, from.address);
    });
  });
}

function listenTcp(address: string, heard: Query[], behaviour: Behaviour): Promise<number> {
  const server = createServer((connection) => {
    connection.on("error", () => connection.destroy());
    connection.on("data", (bytes: Buffer) => {
      const query = read(bytes.subarray(2), "tcp", connection.remotePort ?? 0);
      heard.push(query);
      behaviour.tcp?.(query, connection);
    });
    opened.push(() => connection.destroy());
  });
  opened.push(() => server.close());
  return new Promise((resolve, reject) => {
    server.listen(0, address, () => {
      const bound = server.address();
      if (bound !== null && typeof bound === "object") resolve(bound.port);
      else reject(new Error("The server has no port."));
    });
  });
}

function read(bytes: Buffer, over: Query["over"], fromPort: number): Query {
  const packet = decode(bytes);
  const question = packet.questions?.[0];
  const opt = packet.additionals?.find((record) => record.type === "OPT");
  return {
    id: packet.id ?? 0,
    name: question?.name ?? "",
    type: question?.type ?? "",
    recursive: packet.flag_rd,
    unchecked: packet.flag_cd,
    udpBytes: opt?.type === "OPT" ? opt.udpPayloadSize : undefined,
    over,
    fromPort,
  };
}

export interface Contents {
  /** Bits of the header: those of an authority for one asked directly, of a recursor otherwise. */
  readonly flags?: number;
  readonly rcode?: number;
  readonly answers?: Answer[];
  readonly authorities?: Answer[];
  /** Codes of extended errors (RFC 8914). */
  readonly extendedErrors?: number[];
}

export function reply(query: Query, contents: Contents = {}): Buffer {
  const flags = contents.flags ?? (query.recursive ? RECURSION_AVAILABLE : AUTHORITATIVE_ANSWER);
  return encode({
    type: "response",
    id: query.id,
    flags: flags | (contents.rcode ?? 0),
    questions: [{ name: query.name, type: query.type as "A", class: "IN" }],
    answers: contents.answers ?? [],
    authorities: contents.authorities ?? [],
    additionals: contents.extendedErrors === undefined ? [] : [optOf(contents.extendedErrors)],
  });
}

const optOf = (errors: readonly number[]): Answer => ({
  type: "OPT",
  name: ".",
  udpPayloadSize: 1232,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  // As with a text that explains the code. The type knows no such option, the writer does.
  options: errors.map((code) => ({ code: 15, data: Buffer.from([0, code, 111, 104]) }) as never),
});

/** As many servers as the tests like, at addresses of 127.0.0.0/8. */
export function resolverOf(
  servers: readonly StartedServer[],
  options: Partial<ResolverOptions> = {},
): ReturnType<typeof createResolver> {
  const resolver = createResolver({
    clock: { ...clock, random: systemClock.random },
    recursors: servers.map(({ address, port }) => ({ address, port })),
    authorityPort: servers[0]?.port ?? 53,
    allowPrivateAddresses: true,
    attemptMs,
    attempts: 1,
    ...options,
  });
  opened.push(() => resolver.close());
  return resolver;
}

/** A server that gives everyone the same contents. */
export function serverOf(contents: Contents, address?: string): Promise<StartedServer> {
  return startServer({
    ...(address === undefined ? {} : { address }),
    udp: (query, send) => send(reply(query, contents)),
  });
}

export const a = (name: string, address: string, ttl = 300): Answer => ({
  type: "A",
  name,
  ttl,
  data: address,
});
export const aaaa = (name: string, address: string): Answer => ({
  type: "AAAA",
  name,
  ttl: 300,
  data: address,
});
export const cname = (name: string, target: string): Answer => ({
  type: "CNAME",
  name,
  ttl: 300,
  data: target,
});
export const ns = (name: string, server: string): Answer => ({
  type: "NS",
  name,
  ttl: 300,
  data: server,
});
export const soa = (name: string, ttl = 900, minimum = 300): Answer => ({
  type: "SOA",
  name,
  ttl,
  data: { mname: `ns1.${name}`, rname: `hostmaster.${name}`, serial: 1, minimum },
});

export const rcode = { formErr: 1, servFail: 2, nxDomain: 3, notImp: 4, refused: 5 } as const;
