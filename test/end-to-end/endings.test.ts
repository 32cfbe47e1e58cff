/** How the service ends, by order and by force, while clients are writing. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { judge } from "../../testkit/contractJudge.ts";
import { eventually } from "../../testkit/eventually.ts";
import { rounds } from "../../testkit/rounds.ts";
import { petstore, type Running, startProcess } from "../../testkit/serviceProcess.ts";
import { describeOnEngines, type Engine, type TestDatabase } from "./engines.ts";

let database: TestDatabase;

/** An empty one for each test. */
function useDatabase(engine: Engine): void {
  beforeEach(async () => {
    database = await engine.newDatabase();
  });
  afterEach(() => database.remove());
}

/** What a client knows for certain: the text of every 201 it has seen, by id. */
type Acknowledged = Map<string, string>;

interface Load {
  /** Resolves with the number of requests that got no answer once every client has stopped. */
  readonly finished: Promise<number>;
  stop(): void;
}

let written = 0;

function createUnderLoad(
  base: string,
  token: string,
  clients: number,
  acknowledged: Acknowledged,
): Load {
  let stopped = false;
  let unanswered = 0;
  async function client() {
    while (!stopped) {
      const name = `Pet ${written++} ${"é".repeat(written % 50)}`;
      try {
        const response = await fetch(`${base}/pets`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: JSON.stringify({ name, categoryId: written }),
        });
        const text = await response.text();
        judge("POST", `${base}/pets`, { status: response.status, headers: response.headers, text });
        if (response.status !== 201) throw new Error(text);
        const { id } = JSON.parse(text);
        if (acknowledged.has(`${id}`)) throw new Error(`The id ${id} was given twice.`);
        acknowledged.set(`${id}`, text);
      } catch (cause) {
        if (!(cause instanceof Error) || !/connect|socket|ECONN|closed/i.test(cause.message))
          throw cause;
        unanswered++;
        return;
      }
    }
  }
  const finished = Promise.all(Array.from({ length: clients }, client)).then(() => unanswered);
  return {
    finished,
    stop() {
      stopped = true;
    },
  };
}

/** Reads the database itself, past every line of our own code. */
async function storedPets(): Promise<Map<string, string>> {
  const rows = await database.query(
    `SELECT CAST(id AS TEXT) AS id, name, CAST(category_id AS TEXT) AS category, status, json
     FROM pets`,
  );
  return new Map(
    rows.map(({ id, name, category, status, json }) => {
      const whole = `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${category},"status":"${status}"}`;
      if (json !== whole) throw new Error(`Half-written: ${json} beside ${whole}`);
      return [String(id), whole];
    }),
  );
}

function expectAllPresent(acknowledged: Acknowledged, rows: Map<string, string>): void {
  const missing = [...acknowledged].filter(([id, text]) => rows.get(id) !== text);
  expect(missing).toEqual([]);
}

async function newToken(variables: Record<string, string>): Promise<string> {
  const { stdout } = await petstore(["keys", "create", "--name", "load", "--json"], variables);
  return (JSON.parse(stdout) as { key: string }).key;
}

describeOnEngines("SIGKILL under concurrent creates", (engine) => {
  useDatabase(engine);
  const kills = rounds(6, 20);
  test(`${kills} times: every acknowledged pet is there and whole, and no id was given twice`, async () => {
    const variables = { ...database.variables, PETSTORE_LOG: "off" };
    const token = await newToken(variables);
    const acknowledged: Acknowledged = new Map();
    for (let round = 1; round <= kills; round++) {
      const running: Running = await startProcess(variables);
      const load = createUnderLoad(running.base, token, 16, acknowledged);
      // At another point of the load each time, so that the kill hits other moments of a commit.
      const goal = acknowledged.size + 40 + ((round * 37) % 200);
      await eventually(() => acknowledged.size >= goal);
      expect(await running.end("SIGKILL")).toBe("SIGKILL");
      expect(await load.finished).toBeGreaterThan(0);
      expect(await database.damage()).toEqual([]);
      expectAllPresent(acknowledged, await storedPets());
    }
    expect(acknowledged.size).toBeGreaterThan(kills * 40);
  });
});

const betweenCommitAndAnswer = (engine: Engine) => {
  useDatabase(engine);

  /** Long enough to be seen: a server that has begun to commit goes on when we are gone. */
  const commitsSlowly = async () => {
    if (engine.name === "SQLite") return;
    await database.query("ALTER ROLE postgres SET commit_delay = 50000");
    await database.query("ALTER ROLE postgres SET commit_siblings = 0");
  };
  const asksMax = 20_000;
  const untilCommitting = async () => {
    if (engine.name === "SQLite") return;
    const committing = "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query = 'COMMIT'";
    for (let asked = 0; asked < asksMax; asked++) {
      if ((await database.query(committing)).length > 0) return;
    }
    throw new Error(`Nothing was seen to commit in ${asksMax} looks.`);
  };

  test("whoever got no answer asks again with the same Idempotency-Key, and nothing is created twice", async () => {
    const variables = { ...database.variables, PETSTORE_LOG: "off" };
    const token = await newToken(variables);
    const attempt = (base: string, name: string) =>
      fetch(`${base}/pets`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          "idempotency-key": name,
        },
        body: JSON.stringify({ name, categoryId: 1 }),
      });
    await commitsSlowly();
    const asked: string[] = [];
    let replayed = 0;
    // Each kill finds some attempts committed and not yet answered; a few rounds make it certain.
    for (let round = 0; round < 30 && replayed < 5; round++) {
      const running = await startProcess(variables);
      const unanswered: string[] = [];
      let answered = 0;
      const clients = Array.from({ length: 32 }, async (_, client) => {
        for (let n = 0; ; n++) {
          const name = `${round}-${client}-${n}`;
          asked.push(name);
          try {
            const response = await attempt(running.base, name);
            await response.text();
            answered++;
          } catch {
            unanswered.push(name);
            return;
          }
        }
      });
      await eventually(() => answered >= 100 + round * 7);
      await untilCommitting();
      // The first to ask again was alone in that commit, and the others wait for the next one.
      const before = answered;
      await eventually(() => answered > before);
      await untilCommitting();
      await running.end("SIGKILL");
      await Promise.all(clients);
      const again = await startProcess(variables);
      for (const name of unanswered) {
        const response = await attempt(again.base, name);
        expect(response.status).toBe(201);
        expect(await response.json()).toMatchObject({ name });
        if (response.headers.get("idempotency-replayed") === "true") replayed++;
      }
      expect(await again.end("SIGTERM")).toBe(0);
    }
    expect(replayed).toBeGreaterThanOrEqual(5);
    const names = [...(await storedPets()).values()].map(
      (json) => (JSON.parse(json) as { name: string }).name,
    );
    expect(names.sort()).toEqual(asked.sort());
  });
};

// Without a sync to wait for there is no delay before it.
const syncing = { fsync: "on" };
describeOnEngines(
  "SIGKILL between a commit and its answer",
  betweenCommitAndAnswer,
  describe,
  syncing,
);

describeOnEngines("SIGTERM under load", (engine) => {
  useDatabase(engine);
  test("every request that was taken is answered and on disk, and the exit is clean", async () => {
    const variables = { ...database.variables, PETSTORE_LOG: "info" };
    const token = await newToken(variables);
    const acknowledged: Acknowledged = new Map();
    for (let round = 1; round <= rounds(2, 5); round++) {
      const running = await startProcess(variables);
      const load = createUnderLoad(running.base, token, 16, acknowledged);
      const goal = acknowledged.size + 200;
      await eventually(() => acknowledged.size >= goal);
      expect(await running.end("SIGTERM")).toBe(0);
      await load.finished;
      const events = running
        .stderr()
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line).event);
      expect(events).toContain("service.stopped");
      expect(events).not.toContain("shutdown.forced");
      expect(await database.damage()).toEqual([]);
      const rows = await storedPets();
      expectAllPresent(acknowledged, rows);
      // Nothing was stored that its client was not told of: no request was cut off after its commit.
      expect(rows.size).toBe(acknowledged.size);
    }
  });

  test("a client that never finishes its request is cut off when the time is over", async () => {
    const variables = { ...database.variables, PETSTORE_SHUTDOWN_SECONDS: "1" };
    const token = await newToken(variables);
    const running = await startProcess(variables);
    const socket = connect(Number(new URL(running.base).port), "127.0.0.1");
    socket.on("error", () => {});
    socket.write(
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 50\r\nExpect: 100-continue\r\n\r\n`,
    );
    // The service says that it has the request, and waits for the body that never comes.
    const [invited] = await once(socket, "data");
    expect(String(invited)).toStartWith("HTTP/1.1 100");
    expect(await running.end("SIGTERM")).toBe(0);
    expect(running.stderr()).toContain("shutdown.forced");
    socket.destroy();
  });
});
