/** The socket of a connection. */
export interface Transport {
  /** The address at the other end, as `plainAddress` writes it. */
  readonly peer: string | undefined;
  readonly scheme: "http" | "https";
  /** False when not all of it was taken yet; `drained` is called when it was. */
  write(bytes: Uint8Array): boolean;
  /** Sends what was written, then nothing more. Receiving goes on. */
  end(): void;
  /** Closes at once. What was sent still arrives, unless something else was not sent yet. */
  destroy(): void;
  pause(): void;
  resume(): void;
}
