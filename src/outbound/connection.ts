/** A connection to a server of others: HTTP/1.1, one exchange at a time, all of it limited. */
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { bareHost } from "../petstore/webhooks/address.ts";
import type { Header } from "../petstore/webhooks/webhooks.ts";
import {
  type HeadReceiver,
  inputBytesMax,
  type ParserEvents,
  ResponseParser,
} from "../wire/llhttp.ts";

/** More than this is no answer to a webhook. */
const responseBytesMax = 64 * 1024;
/** Of the headers, and of the body, for whoever looks for the reason of a failure. */
const bytesKept = 4 * 1024;

export interface Response {
  readonly status: number;
  /** The first ones. */
  readonly headers: readonly Header[];
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
  // A certificate has no name with a dot at the end, nor has the name that is asked for (RFC 6066).
  const host = bareHost(url).replace(/\.$/, "");
  const isTls = url.protocol === "https:";
  const socket = isTls
    ? connectTls({
        ...{ host: address, port, ALPNProtocols: ["http/1.1"], rejectUnauthorized: true },
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
  #headers: Header[] = [];
  #headerBytes = 0;
  #name = "";
  #value: string | undefined;
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
      this.#beginHead();
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
      const end = this.#parser.execute(part, this, this);
      this.#bytes += typeof end === "number" ? end : part.byteLength;
      if (typeof end === "number") {
        rest = rest.subarray(end);
        // An interim response such as 103 comes before the response (RFC 9110, section 15.2).
        if (this.#status < 200 && this.#bytes <= responseBytesMax) {
          this.#beginHead();
          continue;
        }
        if (rest.byteLength > 0) this.#keepAlive = false;
        return void this.#settle(this.#status < 200);
      }
      if (end !== "incomplete") {
        this.#cause = new Error("The response is not HTTP/1.1.");
        return void this.close();
      }
      if (this.#bytes > responseBytesMax) return void this.#settle(true);
      rest = rest.subarray(part.byteLength);
    }
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
    const headers = this.#headers;
    const response = {
      ...{ status: this.#status, headers, body, retryAfter: this.#retryAfter, tooLong },
    };
    this.#waiting?.resolve(response);
    this.#waiting = undefined;
    if (tooLong || !this.#keepAlive) this.close();
  }

  addTarget(): void {}

  addName(text: string): void {
    if (this.#value !== undefined) this.#addHeader();
    this.#name += text;
  }

  addValue(text: string): void {
    this.#value = (this.#value ?? "") + text;
  }

  #beginHead(): void {
    // Of a trailer, the last one may be left.
    this.#name = "";
    this.#value = undefined;
    this.#headers = [];
    this.#headerBytes = 0;
    this.#retryAfter = undefined;
  }

  #addHeader(): void {
    const [name, value] = [this.#name.toLowerCase(), (this.#value ?? "").trim()];
    this.#name = "";
    this.#value = undefined;
    // What comes after the head is a trailer.
    if (this.#status >= 200) return;
    if (name === "retry-after") this.#retryAfter = value;
    this.#headerBytes += name.length + value.length;
    if (this.#headerBytes <= bytesKept) this.#headers.push([name, value]);
  }

  onHeadersComplete(_version: number, keepAlive: boolean, status: number): void {
    if (this.#value !== undefined) this.#addHeader();
    this.#keepAlive = keepAlive;
    this.#status = status;
  }

  onBody(bytes: Uint8Array): void {
    const room = bytesKept - this.#keptBytes;
    if (room <= 0) return;
    const part = Buffer.from(bytes.subarray(0, room));
    this.#kept.push(part);
    this.#keptBytes += part.byteLength;
  }
}
