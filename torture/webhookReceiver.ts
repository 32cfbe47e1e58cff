/** A receiver of webhooks that misbehaves, and judges every message that it gets. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import type { SeededRandom } from "../testkit/seededRandom.ts";
import type { Tally } from "./tally.ts";

export type Misbehaviour = "hangs" | "500" | "503" | "reset" | "slow" | "torn" | "410";

const hangMsMax = 1_500;
const slowMsMax = 400;

export class WebhookReceiver implements AsyncDisposable {
  readonly #tally: Tally;
  readonly #random: SeededRandom;
  readonly #faults: readonly Misbehaviour[];
  readonly #faultShare: number;
  readonly #server: Server;
  /** The body of each message that was acknowledged, by its id. */
  readonly #received = new Map<string, string>();
  #isWell = false;
  /** Known once an endpoint was created for it. */
  secret = "";

  constructor(
    tally: Tally,
    random: SeededRandom,
    faults: readonly Misbehaviour[],
    faultShare: number,
  ) {
    this.#tally = tally;
    this.#random = random;
    this.#faults = faults;
    this.#faultShare = faultShare;
    this.#server = createServer((request, response) => void this.#handle(request, response));
  }

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/webhooks`;
  }

  get count(): number {
    return this.#received.size;
  }

  /** From now on, everything is acknowledged. */
  recover(): void {
    this.#isWell = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      // Its sender was killed.
      return;
    }
    const body = Buffer.concat(chunks).toString("utf8");
    this.take(request.headers as Record<string, string>, body);
    const misbehaves = !this.#isWell && this.#random.happens(this.#faultShare);
    if (misbehaves) return this.#misbehave(this.#random.oneOf(this.#faults), request, response);
    this.#received.set(String(request.headers["webhook-id"]), body);
    response.writeHead(204).end();
  }

  /** Judges a message, whatever becomes of it: its signature, and that its body is always the same. */
  take(headers: Readonly<Record<string, string>>, body: string): void {
    const { "webhook-id": id = "", "webhook-timestamp": seconds = "" } = headers;
    // Its calendar is ahead, so that `verify` of the library would call it too new.
    const expected = new Webhook(this.secret).sign(id, new Date(Number(seconds) * 1_000), body);
    const given = headers["webhook-signature"]?.split(" ") ?? [];
    this.#tally.judge(given.includes(expected), () => `${id} is not signed: ${body}`);
    const before = this.#received.get(id) ?? body;
    this.#tally.judge(before === body, () => `${id} was ${before} before, and now ${body}`);
  }

  #misbehave(how: Misbehaviour, request: IncomingMessage, response: ServerResponse): void {
    this.#tally.fault(`receiver: ${how}`);
    const { socket } = request;
    const later = (ms: number, action: () => void) => void setTimeout(action, ms).unref();
    if (how === "hangs") later(hangMsMax, () => socket.destroy());
    else if (how === "reset") socket.resetAndDestroy();
    else if (how === "torn") {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf");
      socket.end();
    } else if (how === "slow") {
      later(this.#random.between(0, slowMsMax), () => response.writeHead(429).end());
    } else response.writeHead(Number(how), how === "503" ? { "retry-after": "1" } : {}).end();
  }

  /** Against the bodies of all events since the endpoint was created: each came, and nothing else. */
  judge(events: ReadonlyMap<string, string>): void {
    for (const [id, body] of events) {
      const came = this.#received.get(id);
      this.#tally.judge(came === body, () => `${id} is ${body}, and what came is ${came}`);
    }
    for (const [id, body] of this.#received) {
      this.#tally.judge(events.has(id), () => `There is no event ${id}: ${body}`);
    }
  }
}
