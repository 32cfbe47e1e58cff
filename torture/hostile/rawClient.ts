/** A client that keeps its connection and sends requests as bytes, one at a time. */
import { connect, type Socket } from "node:net";
import { type RawAnswer, transcriptOf } from "./answers.ts";

export type Outcome =
  | { readonly kind: "answered"; readonly answer: RawAnswer }
  /** The connection ended before the answer did. */
  | { readonly kind: "ended"; readonly heard: Buffer }
  | { readonly kind: "late" }
  | { readonly kind: "garbled"; readonly why: string };

interface Waiting {
  readonly method: string;
  readonly resolve: (outcome: Outcome) => void;
  readonly timer: NodeJS.Timeout;
}

const answerMsMax = 20_000;

export class RawClient {
  readonly #port: number;
  #socket: Socket | undefined;
  #heard: Buffer = Buffer.alloc(0);
  #waiting: Waiting | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  send(bytes: Buffer, method: string): Promise<Outcome> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle({ kind: "late" }), answerMsMax);
      this.#waiting = { method, resolve, timer };
      this.#socket ??= this.#connected();
      this.#socket.write(bytes);
    });
  }

  close(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#heard = Buffer.alloc(0);
    socket?.destroy();
  }

  #connected(): Socket {
    const socket = connect({ port: this.#port, host: "127.0.0.1", noDelay: true });
    socket.on("data", (chunk: Buffer) => {
      if (socket === this.#socket) this.#hear(chunk);
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      if (socket === this.#socket) this.#ended();
    });
    return socket;
  }

  #hear(chunk: Buffer): void {
    this.#heard = this.#heard.length === 0 ? chunk : Buffer.concat([this.#heard, chunk]);
    if (this.#waiting === undefined) return;
    const methods = [this.#waiting.method];
    const { answers, rest, fault } = transcriptOf(this.#heard, { closed: false, methods });
    const [answer, ...others] = answers;
    const many = others.length > 0 || (answer !== undefined && rest.length > 0);
    const why = fault ?? (many ? "more than one answer" : undefined);
    if (why !== undefined) {
      this.#settle({ kind: "garbled", why });
      return;
    }
    if (answer === undefined) return;
    this.#heard = Buffer.alloc(0);
    // The next request must not meet the end of this connection.
    if (answer.headers.get("connection")?.toLowerCase() === "close") this.close();
    this.#settle({ kind: "answered", answer });
  }

  #ended(): void {
    const methods = [this.#waiting?.method ?? "GET"];
    const { answers } = transcriptOf(this.#heard, { closed: true, methods });
    const [answer] = answers;
    const heard = this.#heard;
    this.close();
    this.#settle(answer === undefined ? { kind: "ended", heard } : { kind: "answered", answer });
  }

  #settle(outcome: Outcome): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    clearTimeout(waiting.timer);
    if (outcome.kind !== "answered") this.close();
    waiting.resolve(outcome);
  }
}
