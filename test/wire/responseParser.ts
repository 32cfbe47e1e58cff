/** Reads responses with llhttp as clients of Node.js do: strictly, and nothing may follow a last one. */
import { wasm } from "../../src/wire/llhttpWasm.cjs";

export interface ParsedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

export interface ParsedResponses {
  /** Those of 1xx are left out. */
  readonly responses: readonly ParsedResponse[];
  /** The last response is not all there. */
  readonly cutOff: boolean;
}

interface Exports {
  readonly memory: WebAssembly.Memory;
  malloc(bytes: number): number;
  free(pointer: number): void;
  llhttp_alloc(type: number): number;
  llhttp_free(parser: number): void;
  llhttp_execute(parser: number, data: number, bytes: number): number;
  llhttp_get_error_reason(parser: number): number;
}

const responseType = 2;
const skipBody = 1;

/** Of the one call that is active. */
let read: Reading;

class Reading {
  readonly responses: ParsedResponse[] = [];
  readonly #methods: readonly string[];
  #fields: [name: string, value: string][] = [];
  #chunks: Buffer[] = [];
  #status = 0;
  begun = false;

  constructor(methods: readonly string[]) {
    this.#methods = methods;
  }

  begin(): void {
    this.begun = true;
    this.#fields = [];
    this.#chunks = [];
  }

  name(text: string): void {
    this.#fields.push([text, ""]);
  }

  value(text: string): void {
    const field = this.#fields.at(-1);
    if (field !== undefined) field[1] = text;
  }

  /** Whether it has a body, as far as the method tells. */
  endHead(status: number): boolean {
    this.#status = status;
    return this.#methods[this.responses.length] !== "HEAD";
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  end(): void {
    this.begun = false;
    if (this.#status < 200) return;
    const headers = new Headers(this.#fields);
    this.responses.push({ status: this.#status, headers, body: Buffer.concat(this.#chunks) });
  }
}

const bytesAt = (at: number, bytes: number) =>
  Buffer.from(Buffer.from(llhttp.memory.buffer, at, bytes));
const textAt = (at: number, bytes: number) => bytesAt(at, bytes).toString("latin1");

/** What a callback returns to go on. */
const done = (_result: unknown) => 0;

const llhttp = new WebAssembly.Instance(new WebAssembly.Module(wasm), {
  env: {
    wasm_on_message_begin: () => done(read.begin()),
    wasm_on_url: () => 0,
    wasm_on_status: () => 0,
    wasm_on_header_field: (_: number, at: number, bytes: number) =>
      done(read.name(textAt(at, bytes))),
    wasm_on_header_value: (_: number, at: number, bytes: number) =>
      done(read.value(textAt(at, bytes))),
    wasm_on_headers_complete: (_: number, status: number) => (read.endHead(status) ? 0 : skipBody),
    wasm_on_body: (_: number, at: number, bytes: number) => done(read.add(bytesAt(at, bytes))),
    wasm_on_message_complete: () => done(read.end()),
  },
}).exports as unknown as Exports;

/** Throws where the bytes are no sequence of responses to requests with these methods. */
export function parseResponses(bytes: Buffer, methods: readonly string[]): ParsedResponses {
  read = new Reading(methods);
  if (bytes.byteLength === 0) return { responses: [], cutOff: false };
  const parser = llhttp.llhttp_alloc(responseType);
  const input = llhttp.malloc(bytes.byteLength);
  try {
    new Uint8Array(llhttp.memory.buffer, input, bytes.byteLength).set(bytes);
    const error = llhttp.llhttp_execute(parser, input, bytes.byteLength);
    if (error !== 0) {
      const memory = Buffer.from(llhttp.memory.buffer);
      const reason = llhttp.llhttp_get_error_reason(parser);
      throw new Error(`no HTTP: ${memory.toString("latin1", reason, memory.indexOf(0, reason))}`);
    }
    return { responses: read.responses, cutOff: read.begun };
  } finally {
    llhttp.free(input);
    llhttp.llhttp_free(parser);
  }
}
