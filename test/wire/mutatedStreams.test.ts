/**
 * Mutated requests put to connections of the API without sockets, so that there can be a million of
 * them: nothing throws, every answer is HTTP and declared by the contract, and the connection closes
 * when it must and only then.
 */
import { expect, test } from "bun:test";
import { judge } from "../../testkit/contractJudge.ts";
import { mutateBytes, piecesOf } from "../../testkit/mutateBytes.ts";
import { rounds } from "../../testkit/rounds.ts";
import { testSeed } from "../../testkit/seed.ts";
import { SeededRandom } from "../../testkit/seededRandom.ts";
import { useTemporaryFolder } from "../store/folder.ts";
import { honestRequest } from "./honestRequests.ts";
import { type ParsedResponses, parseResponses } from "./responseParser.ts";
import { type Handled, type Seen, StreamServer } from "./streamServer.ts";

const folder = useTemporaryFolder();
const streams = rounds(2_000, 100_000);
const parts = rounds(1, 10);

/** Responses belong to the requests in their order; a refusal may be one of a HEAD request. */
function responsesTo({ sent, handled }: Seen): ParsedResponses & { readonly methods: string[] } {
  const methods = handled.map(({ method }) => method);
  const parsed = parseResponses(sent, methods);
  if (!parsed.cutOff) return { ...parsed, methods };
  methods.push("HEAD");
  return { ...parseResponses(sent, methods), methods };
}

const asks = ({ header }: Handled, token: string) =>
  new RegExp(`(?:^|,)[ \\t]*${token}[ \\t]*(?:,|$)`, "i").test(header("connection") ?? "");

/** Why what was seen must not be; undefined where it is as it must. */
function faultIn(bytes: Buffer, seen: Seen): string | undefined {
  const { handled, refused, failures, waiting } = seen;
  if (failures.length > 0) return `failed: ${failures[0]}`;
  if (refused.length > 1) return `refused more than once: ${refused}`;
  const { responses, cutOff, methods } = responsesTo(seen);
  if (cutOff) return "a response is cut off";
  const due = handled.length + refused.length - waiting;
  if (responses.length !== due) return `${responses.length} responses, ${due} due`;
  for (const [index, response] of responses.entries()) {
    const { status, headers, body } = response;
    const of = handled[index];
    const isLast = index === responses.length - 1;
    if (!isLast && headers.get("connection") === "close") return "a response follows the last one";
    if (status >= 500 && of !== undefined) return `answered ${status}`;
    if (of?.method === "OPTIONS" && status === 204) continue;
    if (of !== undefined && !/^\/v1(?:\/|$)/.test(of.path)) continue;
    // An address is normalised where the service takes the target as it was sent.
    const url = `http://a.example${of?.path}${of?.query}`;
    const path =
      of !== undefined && new URL(url).pathname === of.path ? url : "http://a.example/v1/-";
    judge(methods[index] ?? "GET", path, { status, headers, text: body.toString() });
  }
  return closeFault(bytes, seen, responses.at(-1)?.headers.get("connection") === "close");
}

function closeFault(
  bytes: Buffer,
  { handled, refused, closed, waiting }: Seen,
  announced: boolean,
): string | undefined {
  const last = handled.at(-1);
  if (announced && !closed) return "the close that was announced did not come";
  if (refused.length > 0) return announced ? undefined : "a refusal does not announce the close";
  const asked = last !== undefined && waiting === 0 && asks(last, "close");
  if (asked && !announced) return "a request to close was not heard";
  if (announced) {
    const reason =
      asked ||
      last?.unframed === true ||
      // Chunks that go wrong while a response is under way that needs nothing of them.
      last?.header("transfer-encoding") !== undefined ||
      // The body that the client held back, and whether it follows, cannot be known.
      last?.header("expect") !== undefined ||
      bytes.includes("HTTP/1.0");
    return reason ? undefined : "a close was announced without a reason";
  }
  // Chunks that go wrong after the response cannot be answered any more.
  const unframed = last?.header("transfer-encoding") !== undefined;
  return closed && !unframed ? "it closed without an announcement" : undefined;
}

for (let part = 1; part <= parts; part++) {
  test(`${streams} mutated streams are answered as the contract says, or refused (${part} of ${parts})`, async () => {
    const server = await StreamServer.create(await folder.open());
    const all = new SeededRandom(testSeed).fork(`part ${part}`);
    const statuses = new Map<number, number>();
    for (let number = 0; number < streams; number++) {
      const random = all.fork(`stream ${number}`);
      const count = random.between(1, 4);
      const honest = Array.from({ length: count }, () => honestRequest(server.token, random));
      const whole = Buffer.from(honest.join(""), "latin1");
      const spoilt = random.happens(0.95);
      const bytes = spoilt ? mutateBytes(whole, random) : whole;
      let fault: unknown;
      try {
        const [first, last] = await server.converse(piecesOf(bytes, random), random);
        fault = faultIn(bytes, first) ?? (last.closed ? undefined : "it outlives every deadline");
        if (server.held !== 0) fault ??= `${server.held} bytes are still held`;
        fault ??= timeFault(first, last);
        if (!spoilt) fault ??= missing(honest, first);
        for (const { status } of responsesTo(last).responses) {
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      } catch (cause) {
        fault = cause;
      }
      if (fault !== undefined) {
        const sent = JSON.stringify(bytes.toString("latin1").replaceAll(server.token, "…"));
        throw new Error(`seed ${testSeed}, part ${part}, stream ${number}: ${fault}\nto ${sent}`, {
          cause: fault,
        });
      }
    }
    // The streams are worth their number only if they come to all ends.
    for (const status of [200, 204, 304, 400, 401, 404, 405, 408]) {
      expect([status, statuses.get(status) ?? 0]).not.toEqual([status, 0]);
    }
  });
}

/** Whole requests are all answered, up to the one that asks to close. */
function missing(honest: readonly string[], first: Seen): string | undefined {
  const closing = honest.findIndex((text) => text.includes("Connection: close"));
  const due = closing === -1 ? honest.length : closing + 1;
  const { length } = responsesTo(first).responses;
  return length === due ? undefined : `${length} responses to ${due} whole requests`;
}

/** What is added once every deadline has passed: 408 for what did not come, or nothing. */
function timeFault(first: Seen, last: Seen): string | undefined {
  const before = responsesTo(first).responses.length;
  const { responses } = responsesTo(last);
  const late = responses.slice(before).map(({ status }) => status);
  if (late.length > 1 || late.some((status) => status !== 408)) return `late responses: ${late}`;
  return last.failures.length > 0 ? `failed: ${last.failures[0]}` : undefined;
}
