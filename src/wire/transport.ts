/** The socket of a connection. */
export interface Transport {
  /** The address of the peer, in the form of `plainAddress`. */
  readonly peer: string | undefined;
  readonly scheme: "http" | "https";
  /** False when not all of it was taken yet; `drained` is called when it was. */
  write(bytes: Uint8Array): boolean;
  /** The same for text in UTF-8. */
  writeText(text: string): boolean;
  /** Closes the sending side after what was written. Receiving continues. */
  end(): void;
  /** Closes at once. What was sent still arrives, unless something else was not sent yet. */
  destroy(): void;
  pause(): void;
  resume(): void;
}

const noBytes = Buffer.alloc(0);

/** Input that is not processed yet: the start of a method, or pipelined requests. */
export class HeldInput {
  readonly #transport: Transport;
  readonly #bytesMax: number;
  #bytes: Buffer = noBytes;
  /** Nothing more is read until `resume`. */
  paused = false;

  constructor(transport: Transport, bytesMax: number) {
    this.#transport = transport;
    this.#bytesMax = bytesMax;
  }

  get isEmpty(): boolean {
    return this.#bytes.byteLength === 0;
  }

  /** A copy is held. Beyond the limit, the rest waits in the buffers of the peer. */
  add(bytes: Uint8Array): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    if (this.#bytes.byteLength > this.#bytesMax) this.pause();
  }

  take(): Buffer {
    const bytes = this.#bytes;
    this.#bytes = noBytes;
    return bytes;
  }

  pause(): void {
    if (this.paused) return;
    this.paused = true;
    this.#transport.pause();
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    this.#transport.resume();
  }
}
