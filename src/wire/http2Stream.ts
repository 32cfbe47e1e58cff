/** One request of HTTP/2 and its response. */
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { type MaybePromise, then } from "../core/maybePromise.ts";
import type { Connections } from "./connections.ts";
import { bodyMsMax } from "./limits.ts";
import type { HttpHandler, HttpRequest, HttpResponse, WireError } from "./message.ts";
import { RequestBody } from "./requestBody.ts";
import { hostOf, targetOf } from "./requestHead.ts";
import { allowsContent, requirePrintable } from "./response.ts";
import { requestOrigin } from "./trustedProxies.ts";

/** The connection that a stream belongs to. */
interface Connection {
  readonly connections: Connections;
  readonly handler: HttpHandler;
  readonly peer: string | undefined;
}

type Waiting =
  /** For the handler. */
  | "response"
  /** For the rest of the request body, which the handler wants. */
  | "body"
  /** For the client to read more of the response. */
  | "reader"
  /** For the next piece of a response without a known end. */
  | "piece";

export class Http2Stream {
  readonly #connection: Connection;
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  readonly #body: RequestBody;
  #abort: AbortController | undefined;
  #heldBytes = 0;
  #waiting: Waiting = "response";
  #sinceMs: number;
  #ended = false;

  constructor(
    connection: Connection,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    hasBody: boolean,
  ) {
    this.#connection = connection;
    this.#stream = stream;
    this.#headers = headers;
    this.#sinceMs = connection.connections.elapsedMs;
    this.#body = new RequestBody(connection.connections);
    if (!hasBody) this.#body.end();
    const length = this.#header("content-length");
    if (length !== undefined) this.#body.length = Number(length);
  }

  /** Resolves to whether the connection is to be closed after it. */
  respond(): MaybePromise<boolean> {
    const { handler, peer } = this.#connection;
    const request = this.#request();
    const responding =
      typeof request === "string"
        ? handler.refuse(request, peer)
        : this.#handled(() => handler.handle(request));
    return then(responding, (response) => this.#send(response));
  }

  #handled(handle: () => MaybePromise<HttpResponse>): MaybePromise<HttpResponse> {
    const failed = (cause: unknown) => this.#connection.handler.failed(cause);
    try {
      const response = handle();
      return response instanceof Promise ? response.catch(failed) : response;
    } catch (cause) {
      return failed(cause);
    }
  }

  /** The request, or why it is not a valid one. */
  #request(): HttpRequest | WireError {
    const { peer, connections } = this.#connection;
    const header = (name: string) => this.#header(name);
    const [first, ...others] = [header(":authority"), header("host")].filter(
      (host) => host !== undefined,
    );
    if (first === undefined || others.some((host) => hostOf(host) !== hostOf(first)))
      return "host_invalid";
    const sent = header(":path") ?? "";
    if (sent.length > connections.limits.targetBytesMax) return "target_too_long";
    const method = header(":method") ?? "";
    const target = targetOf(sent, [first], 11, method);
    if (typeof target === "string") return target;
    const { authority, path, query } = target;
    const signal = () => this.#signal();
    return {
      method,
      ...requestOrigin({ client: peer, scheme: "https", authority }, header, connections.proxies),
      host: hostOf(authority),
      path,
      query,
      header,
      body: (bytesMax) => this.#readBody(bytesMax),
      text: undefined,
      get signal() {
        return signal();
      },
    };
  }

  #header(name: string): string | undefined {
    const value = this.#headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  /** Created on first use. */
  #signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#ended) this.#abort.abort();
    return this.#abort.signal;
  }

  #readBody(bytesMax: number): MaybePromise<Uint8Array> {
    const body = this.#body;
    body.bytesMax = bytesMax;
    if (Number.isFinite(body.length) && body.length > bytesMax) body.fail("too_large");
    if (body.complete || body.discarded) return body.read();
    if (this.#header("expect") !== undefined) {
      this.#stream.additionalHeaders({ ":status": constants.HTTP_STATUS_CONTINUE });
    }
    this.#waitFor("body");
    this.#stream.on("data", (bytes: Uint8Array) => {
      this.#connection.connections.receivedBytes += bytes.byteLength;
      body.add(bytes);
    });
    this.#stream.once("end", () => {
      const whole = !Number.isFinite(body.length) || body.received === body.length;
      if (whole) body.end();
      else body.fail("malformed");
    });
    return then(body.read(), (bytes) => {
      this.#waitFor("response");
      return bytes;
    });
  }

  #send(given: HttpResponse): MaybePromise<boolean> {
    const { connections, handler, peer } = this.#connection;
    this.#body.discard();
    if (this.#ended || this.#stream.destroyed || this.#stream.closed) return false;
    const bytes = wholeBody(given);
    const held = connections.heldResponseBytes + (bytes?.byteLength ?? 0);
    if (held > connections.limits.heldResponseBytesMax) {
      return this.#sendWhole(handler.refuse("overloaded", peer));
    }
    try {
      return bytes === undefined
        ? this.#sendPieces(given, given.body as AsyncIterable<Uint8Array>)
        : this.#sendWhole(given, bytes);
    } catch (cause) {
      // A header is invalid, so nothing was sent.
      return this.#sendWhole(handler.failed(cause));
    }
  }

  #sendWhole(response: HttpResponse, bytes = wholeBody(response) ?? noBytes): boolean {
    const { close = false } = response;
    if (!this.#sendHead(response, bytes.byteLength)) return close;
    this.#connection.connections.heldResponseBytes += bytes.byteLength;
    this.#heldBytes += bytes.byteLength;
    let at = 0;
    const go = () => {
      // On a destroyed stream, Bun accepts every write and emits nothing.
      while (!this.#stream.destroyed) {
        const piece = bytes.subarray(at, at + pieceBytes);
        this.#sending(piece);
        at += piece.byteLength;
        if (at >= bytes.byteLength) return this.#finish(piece);
        if (!this.#stream.write(piece)) return void this.#stream.once("drain", go);
      }
    };
    go();
    return close;
  }

  #sendPieces(response: HttpResponse, body: AsyncIterable<Uint8Array>): MaybePromise<boolean> {
    const { close = false } = response;
    if (!this.#sendHead(response, undefined)) return close;
    const sending = async () => {
      this.#waitFor("piece");
      for await (const piece of body) {
        if (this.#ended) return false;
        if (piece.byteLength === 0) continue;
        this.#sending(piece);
        if (!this.#stream.write(piece)) await this.#drained();
        this.#waitFor("piece");
      }
      if (!this.#ended) this.#finish();
      return close;
    };
    return sending();
  }

  /** Refuses the rest of a body that was not read (RFC 9113, section 8.1). */
  #finish(last?: Uint8Array): void {
    const refuseRest = () => this.#stream.close(constants.NGHTTP2_NO_ERROR);
    this.#stream.end(last, this.#body.complete ? undefined : refuseRest);
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const settle = () => {
        this.#stream.off("drain", settle);
        this.#stream.off("close", settle);
        resolve();
      };
      this.#stream.on("drain", settle);
      this.#stream.on("close", settle);
    });
  }

  /** False where nothing follows the head. */
  #sendHead(response: HttpResponse, length: number | undefined): boolean {
    const content = allowsContent(response.status);
    const endStream = this.#header(":method") === "HEAD" || !content || length === 0;
    this.#stream.respond(fieldsOf(response, content ? length : undefined), { endStream });
    if (endStream) this.#finish();
    return !endStream;
  }

  #sending(piece: Uint8Array): void {
    this.#connection.connections.sentBytes += piece.byteLength;
    this.#waitFor("reader");
  }

  #waitFor(what: Waiting): void {
    this.#waiting = what;
    this.#sinceMs = this.#connection.connections.elapsedMs;
  }

  checkDeadlines(): void {
    const { limits, elapsedMs } = this.#connection.connections;
    const waitedMs = elapsedMs - this.#sinceMs;
    if (this.#waiting === "body" && waitedMs > bodyMsMax(this.#body.received, limits)) {
      this.#body.fail("too_slow");
      this.#waitFor("response");
    }
    const grantedMs = { response: limits.handlerMsMax, reader: limits.stallMsMax };
    const most = grantedMs[this.#waiting as "response" | "reader"] ?? Number.POSITIVE_INFINITY;
    // The client neither reads nor resets it, or the handler is stuck.
    if (waitedMs >= most) this.#stream.destroy(new Error("It took too long."));
  }

  /** The client will send nothing more. */
  inputEnded(): void {
    if (!this.#body.complete) this.#body.fail("incomplete");
  }

  /** The stream was closed, by either side. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#connection.connections.heldResponseBytes -= this.#heldBytes;
    this.#body.fail("incomplete");
    this.#abort?.abort();
  }
}

const noBytes = new Uint8Array();
const pieceBytes = 64 * 1024;

/** Undefined for a response without a known end. */
function wholeBody({ body }: HttpResponse): Uint8Array | undefined {
  if (typeof body === "string") return Buffer.from(body);
  if (body === undefined) return noBytes;
  return body instanceof Uint8Array ? body : undefined;
}

type Fields = NonNullable<Parameters<ServerHttp2Stream["respond"]>[0]>;
/** Of responses that are sent repeatedly. */
const knownFields = new WeakMap<HttpResponse, Fields>();

function fieldsOf(response: HttpResponse, length: number | undefined): Fields {
  const known = knownFields.get(response);
  if (known !== undefined) return known;
  const { status, headers } = response;
  for (const [name, value] of Object.entries(headers)) requirePrintable(name, value);
  const measured = length === undefined ? {} : { "content-length": length };
  // Frozen: `node:http2` adds the date to a copy.
  const fields = Object.freeze({ ":status": status, ...headers, ...measured } as Fields);
  knownFields.set(response, fields);
  return fields;
}
