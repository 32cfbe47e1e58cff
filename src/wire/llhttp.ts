/**
 * llhttp, the HTTP/1.1 parser of Node.js, as the WebAssembly module that undici ships. One instance
 * serves all connections. It enforces the framing of RFC 9112; limits, deadlines and the meaning of
 * a message are decided in `http1.ts`.
 */
import { wasm } from "./llhttpWasm.cjs";

/** Takes the head that the parser finds. A response has no target. */
export interface HeadReceiver {
  /** A piece of the request target; more may follow. */
  addTarget(text: string): void;
  /** A piece of a header or trailer name; more may follow. */
  addName(text: string): void;
  /** A piece of a header or trailer value; more may follow. */
  addValue(text: string): void;
}

/** Takes the rest of what the parser finds. */
export interface ParserEvents {
  /** `version` is 10 for HTTP/1.0 and 11 for HTTP/1.1; the status is 0 for a request. */
  onHeadersComplete(version: number, keepAlive: boolean, status: number): void;
  /** A piece of the bytes that were given to `execute`; more may follow. */
  onBody(bytes: Uint8Array): void;
}

/**
 * The offset at which the message ended; `incomplete` when all bytes were taken and more must come;
 * otherwise why this is not HTTP/1.1.
 */
export type ParserResult = number | "incomplete" | "malformed" | "version_unsupported";

/** Codes of `llhttp_errno_t`. */
const ok = 0;
const paused = 21;
const pausedUpgrade = 22;
const pausedH2Upgrade = 23;

interface Exports {
  readonly memory: WebAssembly.Memory;
  malloc(bytes: number): number;
  llhttp_alloc(type: number): number;
  llhttp_free(parser: number): void;
  llhttp_reset(parser: number): void;
  llhttp_execute(parser: number, data: number, bytes: number): number;
  llhttp_finish(parser: number): number;
  llhttp_get_error_pos(parser: number): number;
  llhttp_get_error_reason(parser: number): number;
  llhttp_get_http_major(parser: number): number;
  llhttp_get_http_minor(parser: number): number;
}

const requestType = 1;
const responseType = 2;

/** Of the one call of `llhttp_execute` that can be active at a time. */
let source: Buffer;
let head: HeadReceiver;
let events: ParserEvents;
let inputPointer = 0;
let messageComplete = false;

const textAt = (at: number, bytes: number) =>
  source.toString("latin1", at - inputPointer, at - inputPointer + bytes);

const callbacks = {
  wasm_on_message_begin: () => ok,
  wasm_on_status: () => ok,
  wasm_on_url(_parser: number, at: number, bytes: number) {
    head.addTarget(textAt(at, bytes));
    return ok;
  },
  wasm_on_header_field(_parser: number, at: number, bytes: number) {
    head.addName(textAt(at, bytes));
    return ok;
  },
  wasm_on_header_value(_parser: number, at: number, bytes: number) {
    head.addValue(textAt(at, bytes));
    return ok;
  },
  wasm_on_headers_complete(parser: number, status: number, _upgrade: number, keepAlive: number) {
    const version =
      llhttp.llhttp_get_http_major(parser) * 10 + llhttp.llhttp_get_http_minor(parser);
    events.onHeadersComplete(version, keepAlive === 1, status);
    return ok;
  },
  wasm_on_body(_parser: number, at: number, bytes: number) {
    events.onBody(source.subarray(at - inputPointer, at - inputPointer + bytes));
    return ok;
  },
  wasm_on_message_complete() {
    messageComplete = true;
    // The connection inspects the start of the next message before the parser does.
    return paused;
  },
};

const llhttp = new WebAssembly.Instance(new WebAssembly.Module(wasm), { env: callbacks })
  .exports as unknown as Exports;

/** The most that `execute` takes at once. */
export const inputBytesMax = 64 * 1024;
inputPointer = llhttp.malloc(inputBytesMax);
let input = new Uint8Array(llhttp.memory.buffer, inputPointer, inputBytesMax);

/** Parsers of closed connections, to be used again. */
const freeRequests: number[] = [];
const freeResponses: number[] = [];
const freeMax = 1_024;

class Parser {
  readonly #free: number[];
  readonly #parser: number;

  constructor(type: number, free: number[]) {
    this.#free = free;
    this.#parser = free.pop() ?? llhttp.llhttp_alloc(type);
  }

  /** Parses up to the end of the message, after which the next call starts another one. */
  execute(bytes: Buffer, headReceiver: HeadReceiver, receiver: ParserEvents): ParserResult {
    // When the module's memory has grown, views of it are detached.
    if (input.length === 0) {
      input = new Uint8Array(llhttp.memory.buffer, inputPointer, inputBytesMax);
    }
    input.set(bytes);
    source = bytes;
    head = headReceiver;
    events = receiver;
    messageComplete = false;
    const error = llhttp.llhttp_execute(this.#parser, inputPointer, bytes.byteLength);
    if (error === ok) return "incomplete";
    if (messageComplete && (error === paused || error === pausedUpgrade)) {
      const end = llhttp.llhttp_get_error_pos(this.#parser) - inputPointer;
      llhttp.llhttp_reset(this.#parser);
      return end;
    }
    // A wrong line end after the version has the same code as a wrong version.
    const version = error === pausedH2Upgrade || this.#reason() === "Invalid HTTP version";
    return version ? "version_unsupported" : "malformed";
  }

  #reason(): string {
    const start = llhttp.llhttp_get_error_reason(this.#parser);
    const memory = Buffer.from(llhttp.memory.buffer);
    return memory.toString("latin1", start, memory.indexOf(0, start));
  }

  /** The parser must not be used afterwards. */
  release(): void {
    if (this.#free.length >= freeMax) return void llhttp.llhttp_free(this.#parser);
    llhttp.llhttp_reset(this.#parser);
    this.#free.push(this.#parser);
  }

  /** Whether the end of the connection is the end of the message: that of a response without a length. */
  finish(headReceiver: HeadReceiver, receiver: ParserEvents): boolean {
    head = headReceiver;
    events = receiver;
    messageComplete = false;
    llhttp.llhttp_finish(this.#parser);
    return messageComplete;
  }
}

export class RequestParser extends Parser {
  constructor() {
    super(requestType, freeRequests);
  }
}

export class ResponseParser extends Parser {
  constructor() {
    super(responseType, freeResponses);
  }
}
