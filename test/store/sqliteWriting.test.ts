import { describe, expect, test } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { systemClock } from "../../src/core/clock.ts";
import { Problem } from "../../src/core/problems.ts";
import { type BatchReply, writesPendingMax } from "../../src/storage/repositories/writeQueue.ts";
import { BatchRunner } from "../../src/storage/sqlite/batch.ts";
import { connect } from "../../src/storage/sqlite/connection.ts";
import { errorFrom, type Failure } from "../../src/storage/sqlite/failures.ts";
import { startWriterThread, Writer, type WriterWorker } from "../../src/storage/sqlite/writer.ts";
import type { WriterMessage } from "../../src/storage/sqlite/writerThread.ts";
import type { CommitReport } from "../../src/storage/stores.ts";
import { eventually } from "../../testkit/eventually.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { useTemporaryFolder } from "./folder.ts";
import { keyNamed } from "./keys.suite.ts";
import { doneOf } from "./outcomes.ts";
import { rejectionOf } from "./rejection.ts";

const folder = useTemporaryFolder();
/** https://www.sqlite.org/pragma.html#pragma_temp_store */
const memory = 2;
const bella = { name: "Bella", categoryId: 3n, status: "available" } as const;

function codeOf(reason: unknown): string | undefined {
  return reason instanceof Problem ? reason.code : undefined;
}

describe("group commit", () => {
  test("64 pets added at once share a few commits", async () => {
    const commits: CommitReport[] = [];
    const { catalogue } = await folder.open({ onCommit: (report) => commits.push(report) });
    await catalogue.add(bella);
    commits.length = 0;
    await Promise.all(Array.from({ length: 64 }, () => catalogue.add(bella)));
    expect(commits.length).toBeLessThanOrEqual(4);
    expect(commits.reduce((sum, { writes }) => sum + writes, 0)).toBe(64);
    for (const { durationMs } of commits) expect(durationMs).toBeGreaterThan(0);
  });

  test("what arrives during a commit goes along in the next one", async () => {
    const commits: CommitReport[] = [];
    const { catalogue } = await folder.open({ onCommit: (report) => commits.push(report) });
    const first = catalogue.add(bella);
    // Past the end of this turn of the event loop, at which the first one leaves.
    await new Promise((resolve) => setImmediate(resolve));
    const others = Array.from({ length: 63 }, () => catalogue.add(bella));
    await Promise.all([first, ...others]);
    expect(commits.map(({ writes }) => writes)).toEqual([1, 63]);
  });

  test("a write that cannot be done fails alone among those it shares a commit with", async () => {
    const { catalogue, keys } = await folder.open();
    await keys.add(keyNamed("a"));
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 10 }, () => catalogue.add(bella)),
      keys.add(keyNamed("a")),
      keys.add(keyNamed("b")),
      ...Array.from({ length: 10 }, () => catalogue.add(bella)),
    ]);
    const failed = outcomes.flatMap((outcome, index) =>
      outcome.status === "rejected" ? [{ index, reason: outcome.reason }] : [],
    );
    expect(failed.map(({ index }) => index)).toEqual([10]);
    // A fault of ours, so no Problem: the disk has nothing to do with it.
    expect(failed[0]?.reason).not.toBeInstanceOf(Problem);
    expect((await catalogue.list({ limit: 100 })).pets).toHaveLength(20);
    expect(catalogue.get(20n)).toBeDefined();
    expect(keys.list()).toHaveLength(2);
  });

  test("the results of a batch are given a few at a time, with other work in between", async () => {
    let reply: (reply: BatchReply<Failure>) => void = () => {};
    const batches: WriterMessage[] = [];
    const worker: WriterWorker = {
      on: (event: string, listener: (reply: BatchReply<Failure>) => void) => {
        if (event === "message") reply = listener;
      },
      postMessage: (message) => void batches.push(message),
    };
    const writer = new Writer(() => worker, systemClock);
    const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
    const results = Array.from({ length: 64 }, (_, at) => BigInt(at));
    const given: bigint[] = [];
    for (const _ of results) void writer.submit("addPet", bella).then((id) => given.push(id));
    await nextTurn();
    expect(batches).toHaveLength(1);
    reply({ results, failures: [], commits: [] });
    let before = 0;
    while (given.length < results.length) {
      await nextTurn();
      expect(given.length - before).toBeWithin(1, 17);
      before = given.length;
    }
    expect(given).toEqual(results);
  });

  test("what can wait shares the commit of another write, or has one of its own after its time", async () => {
    let reply: (reply: BatchReply<Failure>) => void = () => {};
    const batches: Exclude<WriterMessage, "close">[] = [];
    const worker: WriterWorker = {
      on: (event: string, listener: (reply: BatchReply<Failure>) => void) => {
        if (event === "message") reply = listener;
      },
      postMessage: (message) => void (message === "close" || batches.push(message)),
    };
    const clock = fakeClock(0);
    const writer = new Writer(() => worker, clock);
    const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
    const sent = () => batches.splice(0).map(({ names }) => names.length);
    const done = (count: number) =>
      reply({ results: Array(count).fill(1n), failures: [], commits: [] });
    const wait = { canWaitMs: 10 };

    void writer.submit("addPet", bella, wait);
    await nextTurn();
    expect(sent()).toEqual([]);
    void writer.submit("addPet", bella);
    await nextTurn();
    expect(sent()).toEqual([2]);
    // Not at once after another commit either: the next requests are about to come.
    void writer.submit("addPet", bella, wait);
    done(2);
    await nextTurn();
    expect(sent()).toEqual([]);
    clock.advance(10);
    await nextTurn();
    expect(sent()).toEqual([1]);
    done(1);

    const last = writer.submit("addPet", bella, wait);
    void writer.close();
    await nextTurn();
    expect(sent()).toEqual([1]);
    done(1);
    expect(await last).toBe(1n);
  });

  test("closing waits for everything that was submitted", async () => {
    const stores = await folder.open();
    const adding = Array.from({ length: 3_000 }, () => stores.catalogue.add(bella));
    await stores.close();
    await Promise.all(adding);
    const { catalogue } = await folder.open();
    expect(catalogue.get(3_000n)).toBeDefined();
  });

  test("a closed store refuses writes", async () => {
    const { catalogue, close } = await folder.open();
    await close();
    expect(codeOf(await rejectionOf(catalogue.add(bella)))).toBe("store_unavailable");
  });

  test("past the bound a write is refused at once, and the others are done", async () => {
    const { catalogue } = await folder.open();
    const adding = Array.from({ length: writesPendingMax }, () => catalogue.add(bella));
    const refused = await rejectionOf(catalogue.add(bella));
    expect(codeOf(refused)).toBe("store_unavailable");
    await Promise.all(adding);
    expect(doneOf(await catalogue.add(bella)).id).toBe(BigInt(writesPendingMax + 1));
  });
});

describe("the writing thread", () => {
  /** A writer whose threads the test can get at, on a database that is there. */
  async function writerWithThreads(path = folder.path("petstore.db")) {
    const stores = await folder.open();
    const threads: Worker[] = [];
    const writer = new Writer(() => {
      const thread = startWriterThread(path);
      threads.push(thread);
      return thread;
    }, systemClock);
    return { stores, writer, threads };
  }

  test("what it had not acknowledged when it died is rejected, and another one takes over", async () => {
    const { stores, writer, threads } = await writerWithThreads();
    await writer.submit("addPet", bella);
    const sent = Array.from({ length: 50 }, () => writer.submit("addPet", bella));
    await new Promise((resolve) => setImmediate(resolve));
    const waiting = Array.from({ length: 50 }, () => writer.submit("addPet", bella));
    const ended = threads[0]?.terminate();
    const outcomes = await Promise.allSettled([...sent, ...waiting]);
    await ended;

    const rejected = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(rejected.length).toBeGreaterThan(0);
    for (const { reason } of rejected) expect(codeOf(reason)).toBe("store_unavailable");
    for (const outcome of outcomes) {
      if (outcome.status === "fulfilled") {
        expect(stores.catalogue.get(outcome.value)).toBeDefined();
      }
    }

    const id = await writer.submit("addPet", bella);
    expect(threads).toHaveLength(2);
    expect(stores.catalogue.get(id)).toBeDefined();
    await writer.close();
  });

  test("a thread that dies before it wrote anything is not started over and over", async () => {
    const { writer, threads } = await writerWithThreads(folder.path("no/such/folder.db"));
    for (let attempt = 0; attempt < 5; attempt++) {
      const reason = await rejectionOf(writer.submit("addPet", bella));
      expect(codeOf(reason)).toBe("store_unavailable");
    }
    expect(threads).toHaveLength(1);
    await writer.close();
  });
});

test("writes of one batch run one after the other, in one transaction", async () => {
  const stores = await folder.open();
  await stores.sites.addOwner({ id: "owner", name: "Owner", plan: "free" });
  const db = connect(folder.path("petstore.db"));
  const project = { slug: "docs", ownerId: "owner", nowMs: 0 };
  const reply = await new BatchRunner(db, systemClock).run({
    nowMs: 0,
    names: ["addProject", "addProject", "beginDeployment", "buildDeployment", "buildDeployment"],
    arguments: [
      ...[project, project, { id: "dep", project: "docs", nowMs: 0 }],
      ...[
        { id: "dep", nowMs: 1 },
        { id: "dep", nowMs: 2 },
      ],
    ],
  });
  db.close();
  expect(reply.results).toEqual(["added", "slug_taken", true, true, false]);
  expect(reply.commits).toMatchObject([{ writes: 5 }]);
});

describe("when the disk refuses", () => {
  async function runnerWith(pragma: string, lockMsMax?: number) {
    const stores = await folder.open();
    await stores.catalogue.add(bella);
    const db = connect(folder.path("petstore.db"));
    db.exec(pragma);
    const runner = new BatchRunner(db, systemClock, lockMsMax);
    return { stores, db, add: (count: number) => runner.run(batchOf(count)) };
  }

  function batchOf(count: number) {
    const pet = { ...bella, name: "x".repeat(200) };
    return { names: Array(count).fill("addPet"), arguments: Array(count).fill(pet), nowMs: 0 };
  }

  test("a full disk fails the batch as unavailable and keeps nothing of it", async () => {
    const { stores, db, add } = await runnerWith("PRAGMA max_page_count = 20");
    const { failures, commits } = await add(500);
    expect(failures).toHaveLength(500);
    expect(commits).toEqual([]);
    const error = errorFrom(failures[0]?.failure ?? { message: "none", errcode: undefined });
    expect(codeOf(error)).toBe("store_unavailable");
    expect((error.cause as Error).message).toContain("SQLITE_FULL");
    expect((await stores.catalogue.list({ limit: 100 })).pets).toHaveLength(1);

    db.exec("PRAGMA max_page_count = 4294967294");
    expect((await add(2)).results).toEqual([2n, 3n]);
    db.close();
  });

  test("a database that another process keeps locked is unavailable until it lets go", async () => {
    const { db, add } = await runnerWith("", 0);
    const other = new DatabaseSync(folder.path("petstore.db"));
    other.exec("BEGIN IMMEDIATE");
    const { failures } = await add(3);
    expect(failures).toHaveLength(3);
    const error = errorFrom(failures[0]?.failure ?? { message: "none", errcode: undefined });
    expect((error.cause as Error).message).toContain("SQLITE_BUSY");
    other.exec("ROLLBACK");
    expect((await add(1)).results).toEqual([2n]);
    other.close();
    db.close();
  });

  test("beside a process that writes all the time it has its turn after a few commits", async () => {
    const { db, add } = await runnerWith("");
    const commits = new Int32Array(new SharedArrayBuffer(4));
    const path = folder.path("petstore.db");
    const rival = new Worker(new URL("./busyWriter.ts", import.meta.url), {
      workerData: { path, commits },
    });
    const turns = 10;
    let waited = 0;
    for (let turn = 0; turn < turns; turn++) {
      // From a moment at which the other one is writing again.
      let before = commits[0] as number;
      await eventually(() => (commits[0] as number) > before);
      before = commits[0] as number;
      expect((await add(1)).failures).toEqual([]);
      waited += (commits[0] as number) - before;
    }
    await rival.terminate();
    db.close();
    // Some ten each. SQLite's own way of waiting takes hundreds.
    expect(waited).toBeLessThan(turns * 40);
  });

  test("a process whose files may not grow says so, reads on and loses nothing", async () => {
    const path = folder.path("petstore.db");
    // The limit is in blocks of 512 bytes; ignoring the signal makes the write itself fail.
    const limited = Bun.spawn(
      ["sh", "-c", `trap '' XFSZ; ulimit -f 2400; exec "$@"`, "sh", process.execPath].concat(
        `${import.meta.dir}/addForever.ts`,
        path,
      ),
      { stdout: "pipe", stderr: "inherit" },
    );
    const lines = (await new Response(limited.stdout).text()).trim().split("\n");
    expect(lines.at(-1)).toBe("store_unavailable readable");
    const { catalogue } = await folder.open();
    const acknowledged = lines.slice(0, -1).map(BigInt);
    expect(acknowledged.length).toBeGreaterThan(100);
    expect(acknowledged.filter((id) => catalogue.get(id) === undefined)).toEqual([]);
    await catalogue.add(bella);
  });

  test("a process that is killed has lost nothing that it acknowledged", async () => {
    const path = folder.path("petstore.db");
    const adding = Bun.spawn([process.execPath, `${import.meta.dir}/addForever.ts`, path], {
      stdout: "pipe",
      stderr: "inherit",
    });
    let output = "";
    const decoder = new TextDecoder();
    for await (const chunk of adding.stdout) {
      output += decoder.decode(chunk, { stream: true });
      if (output.length > 10_000) adding.kill("SIGKILL");
    }
    await adding.exited;
    // The last line may be cut off.
    const acknowledged = output.split("\n").slice(0, -1).map(BigInt);
    const { catalogue } = await folder.open();
    expect(acknowledged.length).toBeGreaterThan(1_000);
    expect(acknowledged.filter((id) => catalogue.get(id) === undefined)).toEqual([]);
    expect(doneOf(await catalogue.add(bella)).id > (acknowledged.at(-1) ?? 0n)).toBe(true);
  });
});

test("SQLite needs no folder for temporary files", async () => {
  await folder.open();
  const db = connect(folder.path("petstore.db"));
  try {
    expect(db.prepare("PRAGMA temp_store").get()).toEqual({ temp_store: memory });
  } finally {
    db.close();
  }
});
