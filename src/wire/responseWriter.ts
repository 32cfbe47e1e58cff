/** Writes the responses of one connection, no faster than the client reads them. */
import type { Connections } from "./connections.ts";
import type { HttpResponse, ResponseBody } from "./message.ts";
import type { RequestHead } from "./requestHead.ts";
import { allowsContent, type PreparedResponse, responseHead } from "./response.ts";
import type { Transport } from "./transport.ts";

const lastChunk = Buffer.from("0\r\n\r\n");
const crlf = Buffer.from("\r\n");
/** Large bodies are sent in pieces of this size, so that the client's progress can be measured. */
const pieceBytes = 64 * 1024;

/** The rest of a response that the client has not read yet. */
interface Outgoing {
  readonly bytes: Uint8Array;
  at: number;
  readonly last: boolean;
}

export interface WriterEvents {
  /** The response was handed over; `last` when the connection is to be closed. */
  sent(last: boolean): void;
  /** A body without a known length ended prematurely. */
  failed(cause: unknown): void;
}

export class ResponseWriter {
  readonly #transport: Transport;
  readonly #connections: Connections;
  readonly #events: WriterEvents;
  #outgoing: Outgoing | undefined;
  #drained: (() => void) | undefined;
  #closed = false;
  /** A body without a known length is being sent. */
  streaming = false;
  /** When something was last written. */
  progressAtMs = 0;

  constructor(transport: Transport, connections: Connections, events: WriterEvents) {
    this.#transport = transport;
    this.#connections = connections;
    this.#events = events;
  }

  /** Something was written that the peer has not read yet. */
  get waits(): boolean {
    return this.#outgoing !== undefined || this.#drained !== undefined;
  }

  /** Whether a response is within what all responses together may hold. */
  fits({ body }: HttpResponse): boolean {
    const { heldResponseBytes, limits } = this.#connections;
    return heldResponseBytes + byteLengthOf(body) <= limits.heldResponseBytesMax;
  }

  /** Throws, with nothing written, if a header is invalid. */
  write(request: RequestHead, response: HttpResponse, close: boolean): void {
    const { body, status } = response;
    const streamed = typeof body === "object" && !(body instanceof Uint8Array);
    const sendsContent = request.method !== "HEAD" && allowsContent(status);
    const chunked = streamed && request.version === 11;
    const last = close || (streamed && !chunked && sendsContent);
    const text = responseHead(response, {
      nowMs: this.#connections.nowMs(),
      contentLength: streamed || !allowsContent(status) ? undefined : byteLengthOf(body),
      chunked,
      connection: last ? "close" : request.version === 10 ? "keep-alive" : undefined,
    });
    if (typeof body === "string" && sendsContent) {
      return void this.#sendText(text + body, last);
    }
    const head = Buffer.from(text, "latin1");
    if (body === undefined || typeof body === "string" || !sendsContent) this.#send(head, last);
    else if (!(body instanceof Uint8Array)) void this.#stream(head, body, chunked, last);
    else if (body.byteLength <= pieceBytes) this.#send(Buffer.concat([head, body]), last);
    else {
      this.#transport.write(head);
      this.#send(body, last);
    }
  }

  writePrepared(prepared: PreparedResponse): void {
    this.#send(prepared.at(this.#connections.nowMs()), false);
  }

  #sendText(text: string, last: boolean): void {
    if (text.length > pieceBytes) return void this.#send(Buffer.from(text), last);
    this.progressAtMs = this.#connections.elapsedMs;
    if (this.#transport.writeText(text)) return void this.#events.sent(last);
    this.#hold(Buffer.from(text), last, true);
  }

  #send(bytes: Uint8Array, last: boolean): void {
    this.progressAtMs = this.#connections.elapsedMs;
    const short = bytes.byteLength <= pieceBytes;
    if (short && this.#transport.write(bytes)) return void this.#events.sent(last);
    const outgoing = this.#hold(bytes, last, short);
    if (!short) this.#pump(outgoing);
  }

  #hold(bytes: Uint8Array, last: boolean, written: boolean): Outgoing {
    this.#connections.heldResponseBytes += bytes.byteLength;
    this.#outgoing = { bytes, at: written ? bytes.byteLength : 0, last };
    return this.#outgoing;
  }

  #pump(outgoing: Outgoing): void {
    this.progressAtMs = this.#connections.elapsedMs;
    while (outgoing.at < outgoing.bytes.byteLength) {
      const piece = outgoing.bytes.subarray(outgoing.at, outgoing.at + pieceBytes);
      outgoing.at += piece.byteLength;
      if (!this.#transport.write(piece) || this.#closed) return;
    }
    this.#release();
    this.#events.sent(outgoing.last);
  }

  #release(): void {
    this.#connections.heldResponseBytes -= this.#outgoing?.bytes.byteLength ?? 0;
    this.#outgoing = undefined;
  }

  async #stream(
    head: Buffer,
    body: AsyncIterable<Uint8Array>,
    chunked: boolean,
    last: boolean,
  ): Promise<void> {
    this.streaming = true;
    await this.#writeAll(head);
    try {
      for await (const piece of body) {
        if (this.#closed) return;
        if (piece.byteLength === 0) continue;
        const size = Buffer.from(`${piece.byteLength.toString(16)}\r\n`);
        await this.#writeAll(chunked ? Buffer.concat([size, piece, crlf]) : piece);
      }
    } catch (cause) {
      return this.#events.failed(cause);
    }
    if (this.#closed) return;
    if (chunked) await this.#writeAll(lastChunk);
    this.streaming = false;
    this.#events.sent(last);
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    if (this.#closed) return;
    this.progressAtMs = this.#connections.elapsedMs;
    if (this.#transport.write(bytes)) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
    this.#drained = undefined;
  }

  /** All that was written was taken. */
  drained(): void {
    if (this.#outgoing !== undefined) this.#pump(this.#outgoing);
    else this.#drained?.();
  }

  /** The client is gone. */
  close(): void {
    this.#closed = true;
    this.#release();
    this.#drained?.();
  }
}

function byteLengthOf(body: ResponseBody | undefined): number {
  if (typeof body === "string") return Buffer.byteLength(body);
  return body instanceof Uint8Array ? body.byteLength : 0;
}
