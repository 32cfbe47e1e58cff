/** The socket of a connection. */
export interface Transport {
  /** The address at the other end, as `plainAddress` writes it. */
  readonly peer: string | undefined;
  readonly scheme: "http" | "https";
  /** False when not all of it was taken yet; `drained` is called when it was. */
  write(bytes: Uint8Array): boolean;
  /** The same for text in UTF-8. */
  writeText(text: string): boolean;
  /** Sends what was written, then nothing more. Receiving goes on. */
  end(): void;
  /** Closes at once. What was sent still arrives, unless something else was not sent yet. */
  destroy(): void;
  pause(): void;
  resume(): void;
}

const noBytes = Buffer.alloc(0);

/** Input that waits for its turn: the start of a method, or requests sent ahead. */
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

  /** A copy is held. Beyond the bound, the rest waits in the buffers of the other end. */
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
