/** A command line on a database in a temporary folder, with a clock that the test controls. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CliContext } from "../../src/cli/context.ts";
import type { Output } from "../../src/cli/output.ts";
import { run } from "../../src/cli/run.ts";
import { Stopped } from "../../src/cli/stopping.ts";
import { systemClock } from "../../src/core/clock.ts";
import { backupStoppable, restoreSqlite } from "../../src/storage/sqlite/backup.ts";
import { openDatabase, openSqlite, sqliteVersion } from "../../src/storage/sqlite/store.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { type FakeClock, fakeClock } from "../../testkit/fakeClock.ts";
import { takeWriterThread } from "../store/writerPool.ts";
import { webhookToolsForTests } from "../webhooks/webhookTools.ts";

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export const dayMs = 24 * 60 * 60 * 1000;

/** Seeds the clock, so that no two fixtures of a test create the same keys. */
let fixturesOpened = 0;

export class CliFixture implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "petstore-cli-"));
  /** How much the clock's stopwatch moves each time it is looked at. */
  elapsedStepMs = 0;
  #elapsedMs = 0;

  readonly clock: FakeClock = {
    ...fakeClock(Date.parse("2026-11-15T12:00:00Z"), ++fixturesOpened),
    elapsed: () => {
      this.#elapsedMs += this.elapsedStepMs;
      return this.#elapsedMs;
    },
  };

  readonly #stop = new AbortController();

  constructor({ store = true } = {}) {
    if (store) openDatabase(this.database, "production").close();
  }

  /** As if the person pressed Ctrl-C. */
  interrupt(): void {
    this.#stop.abort(new Stopped("SIGINT"));
  }

  get database(): string {
    return join(this.folder, "petstore.db");
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  context(parts: Partial<CliContext> = {}): CliContext {
    return {
      clock: this.clock,
      environment: "production",
      stdin: chunks(),
      stdout: new CapturedOutput(),
      stderr: new CapturedOutput(),
      locateStore: () => ({ path: this.database, exists: existsSync(this.database) }),
      openStores: () =>
        openSqlite(
          this.database,
          { environment: "production", clock: systemClock },
          takeWriterThread,
        ),
      storeVersion: async () =>
        sqliteVersion(existsSync(this.database) ? this.database : undefined, "production"),
      stopSignal: () => this.#stop.signal,
      remote: () => ({
        to: undefined,
        token: undefined,
        credentialsFile: this.path("config/petstore/credentials.json"),
      }),
      siteAddress: (slug) => `http://${slug}.localhost:8080/`,
      previewAddress: () => undefined,
      buildDocs: async () => new Map(),
      domainSettings: () => ({
        target: "sites.platform.test",
        ownLimits: true,
        reserved: ["platform.test"],
      }),
      webhooks: () => webhookToolsForTests(),
      mail: () => undefined,
      serviceAddress: () => "http://127.0.0.1:8080",
      servicePreface: () => new Uint8Array(),
      dashboardAddress: () => "http://127.0.0.1:8080/dashboard/",
      serve: async () => {},
      observeSetup: async () => {
        throw new Error("This test observes nothing.");
      },
      reload: async () => ({ processes: 1 }),
      backup: (file) => backupStoppable(this.database, file, this.#stop.signal),
      restore: (file) => restoreSqlite(this.database, file, "production", systemClock),
      ...parts,
    };
  }

  /** Runs a command, optionally with stdin. */
  async run(argv: readonly string[], stdin: AsyncIterable<Uint8Array> = chunks()) {
    const stdout = new CapturedOutput();
    const stderr = new CapturedOutput();
    const code = await run(argv, this.context({ stdin, stdout, stderr }));
    return { code, out: stdout.text, err: stderr.text } satisfies Outcome;
  }

  /** The one JSON value that a command prints. */
  // biome-ignore lint/suspicious/noExplicitAny: tests compare whole values with what they expect
  async json(...argv: string[]): Promise<any> {
    const { code, out, err } = await this.run([...argv, "--json"]);
    if (code !== 0 || err !== "") throw new Error(`exit ${code}: ${err}`);
    return JSON.parse(out);
  }

  async withStores<T>(work: (stores: Stores) => T | Promise<T>): Promise<T> {
    const stores = await this.context().openStores();
    try {
      return await work(stores);
    } finally {
      await stores.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** An output that records what is written. */
export class CapturedOutput implements Output {
  text = "";
  readonly isTTY: boolean;
  readonly columns: number | undefined;

  constructor(terminal?: { readonly columns: number | undefined }) {
    this.isTTY = terminal !== undefined;
    this.columns = terminal?.columns;
  }

  write(text: string): boolean {
    this.text += text;
    return true;
  }

  async drained(): Promise<void> {}
}

export async function* chunks(
  ...parts: readonly (string | Uint8Array)[]
): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === "string" ? Buffer.from(part) : part;
}
