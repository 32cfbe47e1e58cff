import { afterEach, expect, test } from "bun:test";
import { execFileSync, spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { freePort } from "../../testkit/freePorts.ts";
import { petstore, program, startProcess } from "../../testkit/serviceProcess.ts";
import { Client } from "./client.ts";
import { describeOnEngines, type Engine, type TestDatabase } from "./engines.ts";
import { startTestService } from "./service.ts";

/** Databases for one test each. */
function useDatabases(engine: Engine): () => Promise<TestDatabase> {
  let made: TestDatabase[] = [];
  afterEach(async () => {
    for (const database of made) await database.remove();
    made = [];
  });
  return async () => {
    const database = await engine.newDatabase();
    made.push(database);
    return database;
  };
}

describeOnEngines("starting", (engine) => {
  const newDatabase = useDatabases(engine);

  test("the first start prints a key once, with a curl line that works when pasted; a second start does not", async () => {
    const { variables } = await newDatabase();
    const first = await startProcess(variables);
    const line = /^\s*(curl .*)$/m.exec(first.stdout())?.[1] ?? "";
    expect(line).toStartWith("curl ");
    // Where a missing curl is no excuse, the line is run and fails.
    if (Bun.which("curl") !== null || process.env["CI"] === "true") {
      expect(execFileSync("sh", ["-c", `${line} --silent`], { encoding: "utf8" })).toBe("[]");
    }
    const token = /Bearer (pet_live_\w+)/.exec(line)?.[1] ?? "";
    expect(await first.end("SIGTERM")).toBe(0);
    expect(first.stderr()).not.toContain(token);

    const second = await startProcess(variables);
    expect((await new Client(second.base, token).get("/pets")).status).toBe(200);
    expect(await second.end("SIGINT")).toBe(0);
    expect(second.stdout()).not.toContain("pet_live_");
  });

  test("data, secrets and keys of the two environments lie apart, readable by their owner alone", async () => {
    const { folder, variables } = await newDatabase();
    // On SQLite each has a file of its own in the folder; a server is asked for a second database.
    const other = engine.name === "SQLite" ? variables : (await newDatabase()).variables;
    const production = await startProcess(variables);
    const staging = await startProcess({
      ...other,
      PETSTORE_DATA: folder,
      PETSTORE_ENV: "staging",
    });
    for (const [running, prefix] of [
      [production, "pet_live_"],
      [staging, "pet_test_"],
    ] as const) {
      expect(running.stdout()).toContain(prefix);
      await running.end("SIGTERM");
    }
    const files = engine.name === "SQLite" ? ["petstore.db", "secret"] : ["secret"];
    for (const environment of ["production", "staging"]) {
      for (const file of files) {
        expect(statSync(join(folder, environment, file)).mode & 0o077).toBe(0);
      }
      expect(statSync(join(folder, environment)).mode & 0o077).toBe(0);
    }
  });

  test("a cursor outlives a restart", async () => {
    const { variables } = await newDatabase();
    const first = await startProcess(variables);
    const token = /Bearer (\w+)/.exec(first.stdout())?.[1] ?? "";
    const client = new Client(first.base, token);
    for (const name of ["A", "B"]) await client.post("/pets", { name, categoryId: 1 });
    const link = (await client.get("/pets?limit=1")).headers.get("link") ?? "";
    await first.end("SIGTERM");
    const second = await startProcess(variables);
    const cursor = /cursor=([\w-]+)/.exec(link)?.[1];
    const seen = await new Client(second.base, token).get(`/pets?limit=1&cursor=${cursor}`);
    expect(seen.body).toMatchObject([{ name: "B" }]);
    await second.end("SIGTERM");
  });

  if (engine.name === "PostgreSQL") {
    test("the database of the other environment is refused, with what to do, and nothing is written", async () => {
      const { variables, query } = await newDatabase();
      expect(await (await startProcess(variables)).end("SIGTERM")).toBe(0);
      const keys = await query("SELECT * FROM keys");
      expect(keys).toHaveLength(1);
      const { code, stdout, stderr } = await petstore(["serve"], {
        ...variables,
        PORT: "0",
        PETSTORE_METRICS_PORT: "off",
        PETSTORE_ENV: "staging",
      });
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain("holds the data of production, and this is staging.");
      expect(stderr).not.toContain("    at ");
      expect(await query("SELECT * FROM keys")).toEqual(keys);
    });

    test("a server that is not there is told without a stack, and without the password", async () => {
      const { variables } = await newDatabase();
      const { code, stdout, stderr } = await petstore(["serve"], {
        ...variables,
        PORT: "0",
        PETSTORE_METRICS_PORT: "off",
        DATABASE_URL: "postgres://ada:hushhush@127.0.0.1:1/pets",
      });
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain("postgres://127.0.0.1:1/pets");
      expect(stderr).not.toContain("hushhush");
      expect(stderr).not.toContain("    at ");
    });
  }

  // What is wrong with the settings is found before any database is looked for.
  if (engine.first) {
    test("a wrong setting ends the start with its name and what it accepts, exit code 2", async () => {
      const { code, stdout, stderr } = await petstore(["serve"], {
        PORT: "eighty",
        PETSTORE_ENV: "prod",
      });
      expect(code).toBe(2);
      expect(stdout).toBe("");
      expect(stderr).toContain(
        'PORT must be a port number from 0 to 65535 (0 picks a free one); "eighty" is not.',
      );
      expect(stderr).toContain('PETSTORE_ENV must be production or staging; "prod" is not.');
      expect(stderr).not.toContain("    at ");
    });
  }

  test("a port taken by another program or another service is told by its setting, and nothing is left behind", async () => {
    const first = await startProcess({
      ...(await newDatabase()).variables,
      PETSTORE_LOG: "off",
    });
    const { port } = new URL(first.base);
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const foreign = String((other.address() as { port: number }).port);
    const taken: [Record<string, string>, string][] = [
      [
        { PORT: port, PETSTORE_METRICS_PORT: "off" },
        `Port ${port} is taken by another program. Stop it, or set PORT to`,
      ],
      [
        { PORT: foreign, PETSTORE_METRICS_PORT: "0" },
        `Port ${foreign} is taken by another program. Stop it, or set PORT to`,
      ],
      [
        { PORT: "0", PETSTORE_METRICS_PORT: foreign },
        `Port ${foreign} is taken by another program. Stop it, or set PETSTORE_METRICS_PORT to`,
      ],
    ];
    for (const [variables, said] of taken) {
      const { code, stdout, stderr } = await petstore(["serve"], {
        ...(await newDatabase()).variables,
        PETSTORE_LOG: "off",
        ...variables,
      });
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain(said);
    }
    other.close();
    const { code, stderr } = await petstore(["serve"], {
      ...(await newDatabase()).variables,
      PORT: "0",
      PETSTORE_METRICS_PORT: "0",
      PETSTORE_METRICS_HOST: "192.0.2.1",
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining("Set PETSTORE_METRICS_HOST")]);
    expect((await fetch(`${first.base}/openapi.json`)).status).toBe(200);
    expect(await first.end("SIGTERM")).toBe(0);
  });

  test("a start that was refused keeps the first key for the next one to show", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as { port: number };
    const variables = { ...(await newDatabase()).variables, PETSTORE_LOG: "off" };
    expect(
      (await petstore(["serve"], { ...variables, PORT: String(port), PETSTORE_METRICS_PORT: "0" }))
        .code,
    ).toBe(1);
    taken.close();
    const running = await startProcess(variables);
    expect(running.stdout()).toContain("Your first API key");
    expect(await running.end("SIGTERM")).toBe(0);
  });

  test("a host that is not this machine's is told", async () => {
    const { code, stderr } = await petstore(["serve"], {
      ...(await newDatabase()).variables,
      PORT: "0",
      PETSTORE_METRICS_PORT: "off",
      HOST: "192.0.2.1",
    });
    expect(code).toBe(1);
    expect(stderr).toContain("192.0.2.1 is no address of this machine. Set HOST");
  });

  test("a folder that cannot be written is told without a stack", async () => {
    const { code, stderr } = await petstore(["serve"], {
      ...(await newDatabase()).variables,
      PETSTORE_DATA: "/proc/nowhere",
      PORT: "0",
    });
    expect(code).toBe(1);
    expect(stderr).toContain("/proc/nowhere");
    expect(stderr).not.toContain("    at ");
  });
});

describeOnEngines("output that cannot be written", (engine) => {
  const newDatabase = useDatabases(engine);

  test("is no success: neither a key that nobody saw nor an export that is not there", async () => {
    const { variables } = await newDatabase();
    await petstore(["pets", "seed", "--count", "10"], variables);
    for (const command of ["keys create --json", "pets export", "keys list"]) {
      const line = `exec ${program().join(" ")} ${command} > /dev/full`;
      const ended = spawnSync("sh", ["-c", line], {
        cwd: new URL("../..", import.meta.url),
        env: { PATH: process.env["PATH"], ...variables },
        encoding: "utf8",
      });
      expect([command, ended.status]).toEqual([command, 1]);
      expect(ended.stderr).toContain("ENOSPC");
    }
  });
});

describeOnEngines("a start that fails half-way", (engine) => {
  const newDatabase = useDatabases(engine);

  test("because the first key cannot be stored, ends the process and frees the port", async () => {
    const database = await newDatabase();
    const variables = { ...database.variables, PETSTORE_LOG: "off" };
    await petstore(["pets", "seed", "--count", "1"], variables);
    const letWritersIn = await database.keepWritersOut("keys");
    const { code, stdout } = await petstore(["serve"], {
      ...variables,
      PORT: "0",
      PETSTORE_METRICS_PORT: "off",
    });
    await letWritersIn();
    expect([code, stdout]).toEqual([1, ""]);
  });
});

describeOnEngines("a service that accepts connections and is not yet started", (engine) => {
  test("answers with the contract, which names the port that it accepts on", async () => {
    const port = await freePort();
    const asked: Response[] = [];
    const running = await startTestService({
      engine,
      variables: { PORT: String(port) },
      async openStores(_options, usual) {
        const stores = await usual();
        const list = stores.keys.list.bind(stores.keys);
        // What a start does last, when every listener accepts.
        stores.keys.list = async () => {
          asked.push(await fetch(`http://127.0.0.1:${port}/v1/openapi.json`));
          return list();
        };
        return stores;
      },
    });
    try {
      const [early = Response.error()] = asked;
      expect(early.status).toBe(200);
      expect(await early.json()).toMatchObject({
        servers: [{ url: `http://localhost:${port}/v1` }, {}],
      });
    } finally {
      await running.stop();
    }
  });
});

describeOnEngines("migrate", (engine) => {
  const newDatabase = useDatabases(engine);

  test("--check exits with 1 until migrate was run, and changes nothing itself", async () => {
    const { variables } = await newDatabase();
    const codes = [];
    for (const words of ["migrate --check", "migrate --check", "migrate", "migrate --check"]) {
      codes.push((await petstore(words.split(" "), variables)).code);
    }
    expect(codes).toEqual([1, 1, 0, 0]);
  });
});
