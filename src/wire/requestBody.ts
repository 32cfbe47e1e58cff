/** The body of one request while it is received, within the memory limit for all bodies together. */
import type { Connections } from "./connections.ts";
import { BodyError, type BodyFailure } from "./message.ts";

const laterBytesMin = 4 * 1024;
const noBytes = Buffer.alloc(0);
/** How much chunk sizes, extensions and trailers may add to a body; the first read includes a head. */
const framingBytesMax = 64 * 1024;
const framingBytesPerByte = 8;

export class RequestBody {
  readonly #connections: Connections;
  #buffer = noBytes;
  #filled = 0;
  #failure: BodyFailure | undefined;
  #reader: { resolve(body: Uint8Array): void; reject(cause: BodyError): void } | undefined;
  /** Received so far, held or not. */
  received = 0;
  /** The length that was announced. */
  length = Number.POSITIVE_INFINITY;
  /** The handler's limit; undefined until it asks for the body. */
  bytesMax: number | undefined;
  /** Whether the rest of the body is discarded as it arrives. */
  discarded = false;
  complete = false;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** The body, or a promise of it while it is incomplete. */
  read(): Uint8Array | Promise<Uint8Array> {
    if (this.#failure !== undefined) throw new BodyError(this.#failure);
    if (this.complete) return this.#take();
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  add(bytes: Uint8Array): void {
    this.received += bytes.byteLength;
    if (this.discarded) return;
    // HTTP/2 does not frame a body by its Content-Length.
    if (this.received > this.length) return void this.fail("malformed");
    const { bytesMax } = this;
    if (bytesMax !== undefined && this.received > bytesMax) return void this.fail("too_large");
    const length = this.#filled + bytes.byteLength;
    if (length > this.#buffer.byteLength && !this.#grow(length))
      return void this.fail("out_of_memory");
    this.#buffer.set(bytes, this.#filled);
    this.#filled = length;
  }

  /** Whether the overhead of its framing is acceptable; `bytes` are all that were received of it. */
  allowsFraming(bytes: number): boolean {
    return bytes - this.received <= framingBytesMax + framingBytesPerByte * this.received;
  }

  end(): void {
    this.complete = true;
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.resolve(this.#take());
  }

  /** From now on it is read only to keep the connection usable. */
  fail(failure: BodyFailure): void {
    this.#failure ??= failure;
    this.discard();
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.reject(new BodyError(this.#failure));
  }

  discard(): void {
    this.discarded = true;
    this.#release();
  }

  /** Doubles, so that a body in many small pieces is neither copied often nor held in pieces. */
  #grow(bytes: number): boolean {
    const before = this.#buffer.byteLength;
    const wanted = before === 0 ? bytes : Math.max(bytes, laterBytesMin, 2 * before);
    const size = Math.min(wanted, this.length);
    const held = this.#connections.heldBodyBytes + size - before;
    if (held > this.#connections.limits.heldBodyBytesMax) return false;
    this.#connections.heldBodyBytes = held;
    const grown = Buffer.allocUnsafeSlow(size);
    grown.set(this.#buffer.subarray(0, this.#filled));
    this.#buffer = grown;
    return true;
  }

  #take(): Uint8Array {
    const taken = this.#buffer.subarray(0, this.#filled);
    this.#release();
    return taken;
  }

  #release(): void {
    this.#connections.heldBodyBytes -= this.#buffer.byteLength;
    this.#buffer = noBytes;
    this.#filled = 0;
  }
}
