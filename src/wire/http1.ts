/**
 * One connection of HTTP/1.1 (RFC 9112). Requests are handled one at a time, in order; pipelined
 * requests wait in a bounded buffer, and beyond it in the client's own buffers. A message that can be
 * framed never closes the connection. One that cannot is refused, and the connection is closed
 * without losing that response.
 */
import type { MaybePromise } from "../core/maybePromise.ts";
import type { Connections, ManagedConnection } from "./connections.ts";
import { Http1Request, originOfHead } from "./http1Request.ts";
import { overdue, type Reading } from "./limits.ts";
import { inputBytesMax, type ParserEvents, RequestParser } from "./llhttp.ts";
import type { HttpHandler, HttpResponse, WireError } from "./message.ts";
import { afterEmptyLines, isParsed, methodAt, substituteMethod } from "./messageStart.ts";
import { RequestBody } from "./requestBody.ts";
import { RepeatedHead, RequestHead } from "./requestHead.ts";
import { ResponseWriter, type WriterEvents } from "./responseWriter.ts";
import { HeldInput, type Transport } from "./transport.ts";

/** Longer requests are always parsed. */
const textBytesMax = 2_048;
const continueBytes = Buffer.from("HTTP/1.1 100 Continue\r\n\r\n");
/** Held of a body that the handler has not asked for yet. */
const unreadBodyBytesMax = 64 * 1024;

export class Http1Connection implements ManagedConnection, ParserEvents, WriterEvents {
  readonly #transport: Transport;
  readonly #connections: Connections;
  readonly #handler: HttpHandler;
  readonly #parser = new RequestParser();
  #reading: Reading = "start";
  #head = new RequestHead("");
  #body: RequestBody;
  readonly #held: HeldInput;
  #parsing = false;
  readonly #repeated: RepeatedHead;
  /** All that was received, if it is one message without a body. */
  #whole: string | undefined;
  /** The request was passed to the handler. */
  #dispatched = false;
  /** Its response is not sent yet. */
  #responding = false;
  served = false;
  #peerEnded = false;
  #closed = false;
  readonly #writer: ResponseWriter;
  #abort: AbortController | undefined;
  /** When the current wait began: for a head, a body, the client to read, the next request. */
  sinceMs: number;
  /** Received of the body including its framing, or discarded while closing. */
  #receivedBytes = 0;

  constructor(transport: Transport, connections: Connections, handler: HttpHandler) {
    this.#transport = transport;
    this.#connections = connections;
    this.#handler = handler;
    this.#body = new RequestBody(connections);
    this.#writer = new ResponseWriter(transport, connections, this);
    this.#repeated = new RepeatedHead(connections.limits);
    this.#held = new HeldInput(transport, connections.limits.pipelinedBytesMax);
    this.sinceMs = connections.elapsedMs;
  }

  get waiting(): boolean {
    return !this.#responding && (this.#reading === "start" || this.#reading === "head");
  }

  receive(chunk: Buffer): void {
    if (this.#closed) return;
    this.#connections.receivedBytes += chunk.byteLength;
    if (this.#reading === "closing") {
      this.#receivedBytes += chunk.byteLength;
      if (this.#receivedBytes > this.#connections.limits.discardedBytesMax) this.destroy();
      return;
    }
    if (this.#reading === "complete") return void this.#held.add(chunk);
    if (this.#held.isEmpty) {
      if (this.#reading !== "start") return void this.#parse(chunk);
      const text = chunk.byteLength > textBytesMax ? undefined : chunk.toString("latin1");
      if (text !== undefined && this.#recognise(text)) return;
      if (this.served) this.sinceMs = this.#connections.elapsedMs;
      return void this.#parse(chunk, text);
    }
    this.#parse(Buffer.concat([this.#held.take(), chunk]));
  }

  /** Responds to a request of which nothing, or only its target, has to be parsed. */
  #recognise(text: string): boolean {
    const { stopping, elapsedMs } = this.#connections;
    const prepared = stopping ? undefined : this.#handler.cached?.(text, this.#transport.peer);
    if (prepared !== undefined) {
      this.sinceMs = elapsedMs;
      this.#responding = true;
      // The rest is another message.
      this.#reading = "complete";
      this.#writer.writePrepared(prepared);
      return true;
    }
    const head = this.#repeated.find(text);
    if (head === undefined) return false;
    this.#expect(head);
    this.#body.end();
    this.#reading = "complete";
    this.#whole = text;
    this.#handle(head);
    this.#whole = undefined;
    return true;
  }

  textOf(head: RequestHead): string | undefined {
    return head === this.#head && head.keepAlive && head.version === 11 ? this.#whole : undefined;
  }

  /** `text` is all bytes as text, if known. */
  #parse(bytes: Buffer, text?: string): void {
    this.#parsing = true;
    let at = 0;
    while (at < bytes.byteLength) {
      if (this.#closed || this.#reading === "closing") break;
      if (this.#reading === "complete") {
        this.#held.add(bytes.subarray(at));
        break;
      }
      let beganAt: number | undefined;
      if (this.#reading === "start") {
        beganAt = this.#begin(bytes, at);
        if (beganAt === undefined) break;
        at = beganAt;
      }
      const piece = bytes.subarray(at, at + inputBytesMax);
      const result = this.#parser.execute(piece, this.#head, this);
      if (result === "malformed" || result === "version_unsupported") {
        this.#refuse(result);
        break;
      }
      if (result !== "incomplete") this.#reading = "complete";
      const taken = result === "incomplete" ? piece.byteLength : result;
      at += taken;
      this.#receivedBytes += taken;
      // From its first byte to its last: the end of a request must never count as all of it.
      const isWhole = beganAt === 0 && result === bytes.byteLength && this.#body.received === 0;
      this.#whole = isWhole ? text : undefined;
      this.#advance();
      this.#whole = undefined;
    }
    this.#parsing = false;
  }

  /** Starts a message; returns the offset to continue at, or undefined if more input is needed. */
  #begin(bytes: Buffer, from: number): number | undefined {
    const at = afterEmptyLines(bytes, from);
    if (at === bytes.byteLength) return undefined;
    const method = methodAt(bytes, at);
    if (method === undefined) {
      this.#held.add(bytes.subarray(at));
      return undefined;
    }
    this.#expect(new RequestHead(method));
    this.#reading = "head";
    if (isParsed(method)) return at;
    if (method === "") {
      this.#refuse("malformed");
      return undefined;
    }
    this.#parser.execute(substituteMethod, this.#head, this);
    return at + method.length;
  }

  #expect(head: RequestHead): void {
    this.#head = head;
    this.#body = new RequestBody(this.#connections);
    this.#abort = undefined;
  }

  /** Decides how to continue after more of the message was received. */
  #advance(): void {
    const oversize = this.#head.oversize(this.#connections.limits);
    if (oversize !== undefined) return void this.#refuse(oversize);
    if (this.#reading === "head") return;
    if (!this.#body.allowsFraming(this.#receivedBytes)) return void this.#refuse("malformed");
    if (this.#reading === "complete") this.#body.end();
    if (!this.#dispatched) this.#dispatch();
    else if (this.#reading === "complete") this.#finishExchange();
    if (this.#reading !== "body") return;
    const { discarded, bytesMax, received } = this.#body;
    if (discarded) this.#checkDiscarded();
    else if (bytesMax === undefined && received > unreadBodyBytesMax) this.#held.pause();
  }

  #dispatch(): void {
    const error = this.#head.interpret(this.#connections.limits);
    if (error !== undefined) return void this.#refuse(error);
    this.#repeated.remember(this.textOf(this.#head), this.#head);
    this.#handle(this.#head);
  }

  #handle(head: RequestHead): void {
    this.#dispatched = true;
    this.#responding = true;
    this.sinceMs = this.#connections.elapsedMs;
    const { proxies } = this.#connections;
    const request = new Http1Request(this, this.#transport, head, this.#body, proxies);
    let handled: MaybePromise<HttpResponse>;
    try {
      handled = this.#handler.handle(request);
    } catch (cause) {
      handled = this.#handler.failed(cause);
    }
    if (!(handled instanceof Promise)) return void this.#respond(head, handled);
    handled.then(
      (response) => this.#respond(head, response),
      (cause) => this.#respond(head, this.#handler.failed(cause)),
    );
  }

  signalOf(head: RequestHead): AbortSignal {
    if (head !== this.#head) return AbortSignal.abort();
    this.#abort ??= new AbortController();
    if (this.#closed) this.#abort.abort();
    return this.#abort.signal;
  }

  // Events of the parser; the head receives its pieces itself.

  onHeadersComplete(version: number, keepAlive: boolean): void {
    this.#head.end(version, keepAlive);
    const length = this.#head.header("content-length");
    if (length !== undefined) this.#body.length = Number(length);
    this.#reading = "body";
    this.#receivedBytes = 0;
    this.sinceMs = this.#connections.elapsedMs;
  }

  onBody(bytes: Uint8Array): void {
    this.#body.add(bytes);
  }

  // The body of the request.

  readBody(head: RequestHead, body: RequestBody, bytesMax: number): MaybePromise<Uint8Array> {
    body.bytesMax = bytesMax;
    const announced = Number.isFinite(body.length) ? body.length : 0;
    if (announced > bytesMax || body.received > bytesMax) {
      body.fail("too_large");
    } else if (head.awaitsContinue && !body.complete) {
      head.awaitsContinue = false;
      if (body.received === 0 && !this.#closed) this.#transport.write(continueBytes);
    }
    this.#held.resume();
    return body.read();
  }

  /** A client that keeps sending a body that is discarded gets its response, then is disconnected. */
  #checkDiscarded(): void {
    if (this.#body.received <= this.#connections.limits.discardedBytesMax) return;
    if (this.#responding) this.#held.pause();
    else this.#close();
  }

  #respond(head: RequestHead, response: HttpResponse): void {
    if (this.#closed || head !== this.#head) return;
    this.#body.discard();
    this.#held.resume();
    const fitting = this.#writer.fits(response) ? response : this.#refusal(head, "overloaded");
    try {
      this.#writer.write(head, fitting, this.#closesAfter(head, fitting));
    } catch (cause) {
      this.#writer.write(head, this.#handler.failed(cause), this.#closesAfter(head, fitting));
    }
  }

  #closesAfter(head: RequestHead, { close }: HttpResponse): boolean {
    return (
      close === true ||
      !head.keepAlive ||
      this.#connections.stopping ||
      // Whether the client will still send the body is unknown.
      (head.awaitsContinue && this.#reading === "body")
    );
  }

  /** Leaves out the last chunk, so that the response does not count as complete. */
  failed(cause: unknown): void {
    this.#handler.failed(cause);
    this.destroy();
  }

  drained(): void {
    this.#writer.drained();
  }

  sent(last: boolean): void {
    this.#responding = false;
    this.served = true;
    this.sinceMs = this.#connections.elapsedMs;
    if (last || this.#reading === "closing") return void this.#close();
    if (this.#reading === "complete") this.#finishExchange();
    else this.#checkDiscarded();
  }

  /** Continues with the next request once the message was received and its response sent. */
  #finishExchange(): void {
    if (this.#responding || this.#reading !== "complete") return;
    this.#reading = "start";
    this.#dispatched = false;
    this.#held.resume();
    if (this.#connections.closing && this.#held.isEmpty) return void this.#close();
    if (this.#parsing) return;
    if (!this.#held.isEmpty) this.#parse(this.#held.take());
    if (this.#peerEnded && !this.#responding) this.#close();
  }

  /** Closes the connection afterwards, since the start of the next message is unknown. */
  #refuse(error: WireError): void {
    if (this.#reading === "start") this.#head = new RequestHead("");
    const head = this.#head;
    head.keepAlive = false;
    this.#reading = "closing";
    if (this.#responding) return void this.#body.fail("malformed");
    if (this.#dispatched) return void this.#close();
    this.#responding = true;
    this.#respond(head, this.#refusal(head, error));
  }

  #refusal(head: RequestHead, error: WireError): HttpResponse {
    const { client } = originOfHead(this.#transport, head, this.#connections.proxies);
    return this.#handler.refuse(error, client);
  }

  /**
   * Closes without losing the response: a socket that is closed with unread input is reset, and a
   * reset discards what the peer has not read yet (RFC 9112, section 9.6).
   */
  #close(): void {
    this.#reading = "closing";
    this.#held.take();
    this.#receivedBytes = 0;
    this.sinceMs = this.#connections.elapsedMs;
    this.#held.resume();
    this.#transport.end();
    if (this.#peerEnded) this.destroy();
  }

  /** The peer sends nothing more. It may still read. */
  ended(): void {
    this.#peerEnded = true;
    // A client that reads an endless stream has no reason to close its side first.
    const gone = this.#reading === "head" || this.#reading === "body" || this.#writer.streaming;
    if (gone) return void this.destroy();
    if (!this.#responding) this.#reading === "closing" ? this.destroy() : this.#close();
  }

  /** The socket was closed. */
  closed(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#connections.delete(this);
    this.#parser.release();
    this.#writer.close();
    this.#body.fail("incomplete");
    this.#abort?.abort();
  }

  destroy(): void {
    this.#transport.destroy();
    this.closed();
  }

  finish(): void {
    if (this.#reading === "start" && this.#held.isEmpty) this.#close();
  }

  checkDeadlines(): void {
    const { limits, elapsedMs } = this.#connections;
    const action = overdue(
      {
        reading: this.#reading,
        waitedMs: elapsedMs - this.sinceMs,
        startHeld: !this.#held.isEmpty,
        served: this.served,
        paused: this.#held.paused,
        responding: this.#responding,
        bodyBytes: this.#body.received,
        streaming: this.#writer.streaming,
        stalledMs: this.#writer.waits ? elapsedMs - this.#writer.progressAtMs : undefined,
      },
      limits,
    );
    if (action === "close") this.#close();
    else if (action === "destroy") this.destroy();
    else if (action === "refuse_head") this.#refuse("timeout");
    else if (action === "refuse_body") {
      this.#head.keepAlive = false;
      this.#reading = "closing";
      if (this.#responding) this.#body.fail("too_slow");
      else this.destroy();
    }
  }
}
