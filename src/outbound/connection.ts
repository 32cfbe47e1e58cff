/** A connection to a server of others: HTTP/1.1, one exchange at a time, all of it limited. */
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import {
  type HeadReceiver,
  inputBytesMax,
  type ParserEvents,
  ResponseParser,
} from "../wire/llhttp.ts";

/** More than this is no answer to a webhook. */
const responseBytesMax = 64 * 1024;
/** Of the body, for whoever looks for the reason of a failure. */
const bodyBytesKept = 4 * 1024;

export interface Response {
  readonly status: number;
  /** The start of the body. */
  readonly body: string;
  readonly retryAfter: string | undefined;
  readonly tooLong: boolean;
}

export interface DialOptions {
  readonly url: URL;
  /** One that was checked. Nothing else is dialled. */
  readonly address: string;
  readonly port: number;
  /** Certificate authorities in place of the usual ones. */
  readonly trustPem?: string | undefined;
}

/** Rejects with the error of the socket; a certificate that is not valid for the host is one. */
export async function dial(options: DialOptions, signal: AbortSignal): Promise<Connection> {
  const { url, address, port, trustPem } = options;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isTls = url.protocol === "https:";
  const socket = isTls
    ? connectTls({
        ...{ host: address, port, ALPNProtocols: ["http/1.1"] },
        ...(isIP(host) === 0 ? { servername: host } : {}),
        ...(trustPem === undefined ? {} : { ca: trustPem }),
      })
    : connectPlain({ host: address, port });
  const end = () => socket.destroy();
  signal.addEventListener("abort", end, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once(isTls ? "secureConnect" : "connect", resolve);
      socket.once("error", reject);
      socket.once("close", () => reject(new Error("It closed the connection.")));
      if (signal.aborted) end();
    });
  } finally {
    signal.removeEventListener("abort", end);
  }
  socket.setNoDelay(true);
  return new Connection(socket);
}

export class Connection implements HeadReceiver, ParserEvents {
  readonly #socket: Socket;
  readonly #parser = new ResponseParser();
  #waiting: { resolve(response: Response): void; reject(cause: unknown): void } | undefined;
  #cause: unknown;
  #ended = false;
  #status = 0;
  #keepAlive = false;
  #bytes = 0;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #name = "";
  #value = "";
  #retryAfter: string | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("error", (cause) => {
      this.#cause = cause;
    });
    socket.on("end", () => this.#finish());
    socket.on("close", () => this.#finish());
  }

  /** Whether another exchange may follow. */
  get isOpen(): boolean {
    return !this.#ended;
  }

  /** Whether any byte of a response has come. */
  get hasAnswered(): boolean {
    return this.#bytes > 0;
  }

  exchange(request: string): Promise<Response> {
    return new Promise((resolve, reject) => {
      if (this.#ended || this.#waiting !== undefined) {
        return reject(new Error("The connection is not free."));
      }
      this.#waiting = { resolve, reject };
      this.#status = this.#bytes = this.#keptBytes = 0;
      this.#kept = [];
      this.#retryAfter = undefined;
      this.#socket.write(request);
    });
  }

  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#parser.release();
    this.#socket.destroy();
    this.#waiting?.reject(this.#cause ?? new Error("The connection was closed."));
    this.#waiting = undefined;
  }

  #take(chunk: Buffer): void {
    // What nobody asked for is not the answer to what is asked next.
    if (this.#waiting === undefined) return void this.close();
    let rest = chunk;
    while (rest.byteLength > 0 && !this.#ended) {
      const part = rest.subarray(0, inputBytesMax);
      this.#bytes += part.byteLength;
      const end = this.#parser.execute(part, this, this);
      if (typeof end === "number") {
        rest = rest.subarray(end);
        if (this.#isInterim) continue;
        if (rest.byteLength > 0) this.#keepAlive = false;
        return void this.#settle(false);
      }
      if (end !== "incomplete") {
        this.#cause = new Error("The response is not HTTP/1.1.");
        return void this.close();
      }
      if (this.#bytes > responseBytesMax) return void this.#settle(true);
      rest = rest.subarray(part.byteLength);
    }
  }

  /** An interim response such as 103 comes before the response (RFC 9110, section 15.2). */
  get #isInterim(): boolean {
    return this.#status < 200 && this.#bytes <= responseBytesMax;
  }

  #finish(): void {
    if (this.#ended) return;
    if (this.#waiting !== undefined && this.#status >= 200 && this.#parser.finish(this, this)) {
      this.#keepAlive = false;
      return void this.#settle(false);
    }
    this.#cause ??= new Error("It closed the connection before it had answered.");
    this.close();
  }

  #settle(tooLong: boolean): void {
    const body = Buffer.concat(this.#kept).toString("utf8");
    const response = { status: this.#status, body, retryAfter: this.#retryAfter, tooLong };
    this.#waiting?.resolve(response);
    this.#waiting = undefined;
    if (tooLong || !this.#keepAlive) this.close();
  }

  addTarget(): void {}

  addName(text: string): void {
    if (this.#value !== "") this.#name = this.#value = "";
    this.#name += text;
  }

  addValue(text: string): void {
    this.#value += text;
    if (this.#name.toLowerCase() === "retry-after") this.#retryAfter = this.#value;
  }

  onHeadersComplete(_version: number, keepAlive: boolean, status: number): void {
    this.#name = this.#value = "";
    this.#keepAlive = keepAlive;
    this.#status = status;
  }

  onBody(bytes: Uint8Array): void {
    const room = bodyBytesKept - this.#keptBytes;
    if (room <= 0) return;
    const part = Buffer.from(bytes.subarray(0, room));
    this.#kept.push(part);
    this.#keptBytes += part.byteLength;
  }
}
