/**
 * HTTP/1.1, as gunicorn's collection of valid and invalid requests has it, byte by byte: on the API,
 * and on both ports of the edge. No suite of its own for servers is published by a package registry.
 */
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { pythonSource } from "../cachedTools.ts";
import { type LiveEdge, onEdge, ownName } from "../edge.ts";
import { type Failure, type Outcome, progress, type Suite } from "../suite.ts";

export const http11: Suite = {
  name: "HTTP/1.1, gunicorn's collection of requests",
  slug: "http11",
  quick: true,
  run: () => onEdge(runRequests),
};

export interface Case {
  /** `valid/001` */
  readonly id: string;
  readonly bytes: Buffer;
  /** As many responses as there are requests, or a refusal of the last one. */
  readonly expects: { readonly served: number } | { readonly refused: true };
}

type Place = "the API" | "the edge over HTTP" | "the edge over HTTPS";
type Send = (bytes: Buffer) => Promise<string>;

/** Longer than the service waits for the rest of a request. */
const answerMsMax = 30_000;

async function runRequests({ base, httpPort, httpsPort, caFile }: LiveEdge): Promise<Outcome> {
  const source = await pythonSource("gunicorn");
  const folder = join(source, "tests/requests");
  const cases = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".http"))
    .map((file) => file.replace(/\.http$/, ""))
    .toSorted()
    .flatMap((id) => {
      const read = (end: string) => readFileSync(join(folder, id + end));
      return readCase(id, read(".http"), read(".py").toString());
    });
  const tls = { port: httpsPort, host: "127.0.0.1", servername: ownName };
  const ca = readFileSync(caFile);
  const targets: Record<Place, Send> = {
    "the API": (bytes) => exchange(connect(Number(new URL(base).port), "127.0.0.1"), bytes),
    "the edge over HTTP": (bytes) => exchange(connect(httpPort, "127.0.0.1"), bytes),
    "the edge over HTTPS": (bytes) =>
      exchange(connectTls({ ...tls, ca, ALPNProtocols: ["http/1.1"] }), bytes),
  };
  const failures: Failure[] = [];
  for (const [name, send] of Object.entries(targets)) {
    for (const one of cases) {
      const says = objection(one, await send(one.bytes));
      if (says !== undefined) failures.push({ id: `${one.id} on ${name}`, says });
    }
    progress(`${name}: ${cases.length} cases, ${failures.length} failed so far`);
  }
  const passed = cases.length * Object.keys(targets).length - failures.length;
  const about = readFileSync(join(source, "PKG-INFO"), "utf8");
  const { 1: version = "unknown" } = /^Version: (.+)$/m.exec(about) ?? [];
  return { version, passed, failures };
}

/** Everything that comes back for the bytes, until the other side ends, which it has to. */
function exchange(socket: ReturnType<typeof connect>, bytes: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const end = () => resolve(Buffer.concat(pieces).toString("latin1"));
    socket.on("data", (piece) => pieces.push(Buffer.from(piece)));
    // A server that has refused a request may reset what the client still sends.
    socket.once("error", end);
    socket.once("close", end);
    socket.setTimeout(answerMsMax, () => {
      reject(
        new Error(`The connection stays open after ${JSON.stringify(bytes.toString("latin1"))}.`),
      );
      socket.destroy();
    });
    socket.end(bytes);
  });
}

const escapes: Readonly<Record<string, string>> = { r: "\r", n: "\n", t: "\t", "0": "\0" };

/**
 * The files break lines for readers and spell out those that are sent. Left out are cases of options
 * of gunicorn and of its limits. HTTP/1.1 without Host is valid to gunicorn, which serves no hosts,
 * but has to be refused (RFC 9112, section 3.2).
 */
export function readCase(id: string, file: Buffer, says: string): Case[] {
  if (/\bcfg\.set\(|^request = Limit/m.test(says)) return [];
  const bytes = Buffer.from(
    file
      .toString("latin1")
      .replaceAll("\n", "")
      .replaceAll(/\\(?:x([0-9A-Fa-f]{2})|([rnt0]))/g, (_, hex, letter) =>
        hex ? String.fromCharCode(Number.parseInt(hex, 16)) : (escapes[letter] ?? ""),
      ),
    "latin1",
  );
  const text = bytes.toString("latin1");
  const hostless = /^[^\r\n]* HTTP\/1\.1\r\n/.test(text) && !/\nHost:/i.test(text);
  const requests = says.match(/"method"/g)?.length ?? 0;
  const valid = id.startsWith("valid/") && !hostless;
  return [{ id, bytes, expects: valid ? { served: requests } : { refused: true } }];
}

const refusals = [400, 413, 414, 431, 501, 505];

/** What is wrong with the answer. A request that is cut off may get none. */
export function objection({ expects }: Case, answer: string): string | undefined {
  const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) =>
    Number(status),
  );
  const refused = statuses.filter((status) => refusals.includes(status)).length;
  const answered = statuses.join(", ") || "nothing";
  if ("served" in expects) {
    const broken = statuses.some((status) => status >= 500);
    if (refused === 0 && !broken && statuses.length === expects.served) return undefined;
    return `${expects.served} valid requests were answered ${answered}.`;
  }
  const last = statuses.at(-1);
  if (last === undefined || refusals.includes(last)) return undefined;
  return `An invalid request was answered ${answered}.`;
}
