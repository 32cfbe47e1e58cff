import type { Clock } from "../clock.ts";
import type { Environment } from "../keys/token.ts";
import type { CopyReport, Stores } from "../stores.ts";

/** What the command line works with. `main.ts` gives it the real ones, a test its own. */
export interface World {
  readonly clock: Clock;
  readonly environment: Environment;
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: Output;
  readonly stderr: Output;
  /** The store that the settings name, created if it is not there yet. Close it after use. */
  openStores(): Promise<Stores>;
  /** Runs the service until it is told to stop. `started` is called once it takes requests. */
  serve(started: (service: StartedService) => void): Promise<void>;
  /** Copies the store into a new file while it is in use. Refuses to overwrite a file. */
  backup(file: string): Promise<CopyReport>;
  /** Replaces the contents of the store by those of a backup, in one commit, while it is in use. */
  restore(file: string): Promise<CopyReport>;
}

export interface StartedService {
  /** `http://127.0.0.1:8080/v1` */
  readonly baseUrl: string;
  readonly environment: Environment;
  /** The key that an empty store is given. It is known now and never again. */
  readonly firstKey: string | undefined;
}

export interface Output {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  /** False when the reader is slower: wait for `drained` before writing much more. */
  write(text: string): boolean;
  /** Resolves when all of it is taken. Rejects with the code EPIPE when the reader went away. */
  drained(): Promise<void>;
}

/** What the person can mend: said in full on stderr, without a stack. */
export class CommandFailure extends Error {
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.name = "CommandFailure";
    this.exitCode = exitCode;
  }
}
