/** Clients that take their time: with their headers, with their bodies, with reading, or for good. */
import { connect, type Socket } from "node:net";
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import { transcriptOf } from "./answers.ts";

export interface SlowClient {
  readonly kind: SlowKind;
  /** How it ends: its request is whole some day, or nothing more comes, or nothing is taken. */
  readonly falls: "slowly" | "silent" | "deaf";
  /** What is wrong with what it has seen so far. */
  fault(): string | undefined;
  /** Whether the service has let it go. Nobody knows of one that does not read. */
  letGo(): boolean;
  close(): void;
}

interface Manner {
  /** Sent at once. */
  readonly first: (token: string, random: SeededRandom) => string;
  /** Sent byte by byte. */
  readonly slowly: (token: string) => string;
  /** Of the whole request, once it is there. */
  readonly status: number | undefined;
  readonly reads: boolean;
}

const get = (token: string, path = "/v1/pets?limit=1") =>
  `GET ${path} HTTP/1.1\r\nHost: slow\r\nAuthorization: Bearer ${token}\r\n\r\n`;
// Refused for its content, so that nothing of it is stored.
const body = '{"name":"slow","categoryId":"none"}';
const post = (token: string, framing: string) =>
  `POST /v1/pets HTTP/1.1\r\nHost: slow\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`;
const sized = (token: string) => post(token, `Content-Length: ${body.length}`);
const chunked = (token: string) => post(token, "Transfer-Encoding: chunked");
const nothing = () => "";

const readAhead = 60;

export const behaviours = {
  "slow header": { first: nothing, slowly: get, status: 200, reads: true },
  "slow body": { first: sized, slowly: () => body, status: 400, reads: true },
  "slow chunks": {
    first: chunked,
    slowly: () => `${[...body].map((letter) => `1\r\n${letter}\r\n`).join("")}0\r\n\r\n`,
    status: 400,
    reads: true,
  },
  silent: { first: nothing, slowly: nothing, status: undefined, reads: true },
  "half a header": {
    first: (token, random) => get(token).slice(0, random.between(1, get(token).length - 3)),
    slowly: nothing,
    status: undefined,
    reads: true,
  },
  "half a body": {
    first: (token, random) => `${sized(token)}${body.slice(0, random.between(0, body.length - 1))}`,
    slowly: nothing,
    status: undefined,
    reads: true,
  },
  "half a chunk": {
    first: (token, random) => `${chunked(token)}5\r\n${body.slice(0, random.between(0, 4))}`,
    slowly: nothing,
    status: undefined,
    reads: true,
  },
  "never reads": {
    first: (token) => get(token, "/v1/openapi.json").repeat(readAhead),
    slowly: nothing,
    status: undefined,
    reads: false,
  },
} as const satisfies Record<string, Manner>;

export type SlowKind = keyof typeof behaviours;
export const slowKinds = Object.keys(behaviours) as SlowKind[];

export function startSlowClient(
  kind: SlowKind,
  { port, token }: { readonly port: number; readonly token: string },
  random: SeededRandom,
): SlowClient {
  const manner: Manner = behaviours[kind];
  const heard: Buffer[] = [];
  let closing = false;
  let gone = false;
  const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => {
    if (!manner.reads) socket.pause();
    socket.write(manner.first(token, random));
    dribble(socket, manner.slowly(token), random);
  });
  socket.on("data", (chunk: Buffer) => heard.push(chunk));
  socket.on("error", () => {});
  socket.on("close", () => {
    gone = !closing;
  });
  return {
    kind,
    falls: manner.status !== undefined ? "slowly" : manner.reads ? "silent" : "deaf",
    fault() {
      if (!manner.reads) return undefined;
      const { answers, fault } = transcriptOf(Buffer.concat(heard), { closed: gone });
      if (fault !== undefined) return `no HTTP answer: ${fault}`;
      const wrong = answers.find(({ status }) => status !== manner.status && status !== 408);
      if (answers.length > 1) return `${answers.length} answers`;
      return wrong && `it answered ${wrong.status}`;
    },
    letGo: () => gone,
    close() {
      closing = true;
      socket.destroy();
    },
  };
}

/** A byte now and then, up to the end. */
function dribble(socket: Socket, text: string, random: SeededRandom): void {
  const everyMs = random.between(5, 400);
  let at = 0;
  const timer = setInterval(() => {
    if (socket.destroyed || at >= text.length) clearInterval(timer);
    else socket.write(text.slice(at, ++at));
  }, everyMs);
  timer.unref();
}
