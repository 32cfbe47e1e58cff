/** One service of two processes on one port and one database, as its clients and its operator meet it. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { connect } from "node:net";
import { eventually } from "../../testkit/eventually.ts";
import { petstore, type Running, startProcess } from "../../testkit/serviceProcess.ts";
import { Line } from "../edge/clients.ts";
import { describeOnEngines, type TestDatabase } from "./engines.ts";

const quotaRequests = 20;
const bella = '{"name":"Bella","categoryId":1}';

let database: TestDatabase;
let running: Running | undefined;
let variables: Record<string, string>;

afterEach(async () => {
  await running?.end("SIGKILL");
  running = undefined;
  await database.remove();
});

async function start(settings: Record<string, string> = {}): Promise<Running> {
  variables = { ...database.variables, PETSTORE_PROCESSES: "2", ...settings };
  running = await startProcess(variables);
  return running;
}

const firstKey = ({ stdout }: Running) => /pet_live_\w+/.exec(stdout())?.[0] ?? "";
const pidsOf = ({ stderr }: Running) =>
  [...stderr().matchAll(/"event":"process.started","slot":\d,"pid":(\d+)/g)].map(([, pid]) =>
    Number(pid),
  );

/** A connection of its own, which stays with the process that accepted it. */
async function openLine({ base }: Running): Promise<Line> {
  const socket = connect(Number(new URL(base).port), "127.0.0.1");
  await new Promise((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  return new Line(socket);
}

const head = (key: string, more = "") =>
  `HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\n${more}`;
const get = (key: string) => `GET /v1/pets ${head(key)}\r\n`;
const post = (key: string, more: string) =>
  `POST /v1/pets ${head(key, more)}content-type: application/json\r\ncontent-length: ${bella.length}\r\n\r\n${bella}`;

/** The log gives every request an id that begins with that of the process that answered. */
const answerers = ({ stderr }: Running) =>
  [...stderr().matchAll(/"event":"request\.completed","id":"(\w+)-/g)].map(
    ([, process]) => process as string,
  );

/** One connection to each of the two processes. */
async function lineToEach(service: Running, key: string): Promise<Map<string, Line>> {
  const lines = new Map<string, Line>();
  while (lines.size < 2) {
    const line = await openLine(service);
    const before = answerers(service).length;
    await line.ask(get(key));
    await eventually(() => answerers(service).length > before);
    const process = answerers(service).at(-1) as string;
    if (lines.has(process)) line.socket.destroy();
    else lines.set(process, line);
  }
  return lines;
}

const closeAll = (lines: Iterable<Line>) => {
  for (const { socket } of lines) socket.destroy();
};

async function metricsOf(service: Running): Promise<string> {
  const [, port] = /"metricsPort":(\d+)/.exec(service.stderr()) ?? [];
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

describeOnEngines("two processes of one service", (engine) => {
  beforeEach(async () => {
    database = await engine.newDatabase();
  });

  test("print one key, both answer with it, and their figures are those of one service", async () => {
    const service = await start();
    expect(service.stdout().match(/Your first API key/g)).toHaveLength(1);
    const key = firstKey(service);
    const lines = await lineToEach(service, key);
    const before = answerers(service).length;
    for (const line of lines.values()) {
      for (let count = 0; count < 5; count++) await line.ask(get(key));
    }
    await eventually(() => answerers(service).length === before + 10);
    const metrics = await metricsOf(service);
    expect(metrics).toMatch(/^petstore_processes 2$/m);
    // What each has is added up, and what is in the store, the same for both, is not.
    expect(metrics).toMatch(/^petstore_write_queue_limit 20000$/m);
    expect(metrics).toMatch(/^petstore_store_up 1$/m);
    const listed = /^petstore_requests_total\{operation="listPets",status="200"\} (\d+)$/m;
    const requests = Number(listed.exec(metrics)?.[1]);
    expect(requests).toBe(answerers(service).length);
    // Whichever of them is asked for the overview of the dashboard, it knows of the other.
    const made = await petstore(["owners", "token", "--operator", "--json"], variables);
    const { token } = JSON.parse(made.stdout) as { token: string };
    for (const line of lines.values()) {
      const overview = `GET /internal/v1/overview ${head(token)}\r\n`;
      const { series } = JSON.parse((await line.ask(overview)).body);
      const sum = series.requests.reduce((all: number, each: number) => all + each, 0);
      expect(sum).toBe(requests);
    }
    closeAll(lines.values());
    expect(await service.end("SIGTERM")).toBe(0);
    // One stream, of whole lines.
    const entries = service.stderr().trim().split("\n");
    expect(() => entries.map((line) => JSON.parse(line))).not.toThrow();
  });

  test("spend one quota together: of 60 requests exactly 20 pass", async () => {
    // So long a window gives nothing back during the test.
    const service = await start({ PETSTORE_RATE_LIMIT: `${quotaRequests}/100000` });
    const made = await petstore(["keys", "create", "--json"], variables);
    const { key } = JSON.parse(made.stdout) as { key: string };
    const lines = [...(await lineToEach(service, firstKey(service))).values()];
    const seen = await Promise.all(
      lines.map(async (line) => {
        const responses = [];
        for (let count = 0; count < 30; count++) responses.push(await line.ask(get(key)));
        return responses;
      }),
    ).then((each) => each.flat());
    closeAll(lines);
    expect(seen.filter(({ status }) => status === 200)).toHaveLength(quotaRequests);
    expect(seen.map(({ status }) => status).filter((status) => status !== 200)).toEqual(
      Array(60 - quotaRequests).fill(429),
    );
  });

  test("do once what is sent to both at once with the same idempotency key", async () => {
    const service = await start();
    const key = firstKey(service);
    const lines = [...(await lineToEach(service, key)).values()];
    for (let round = 0; round < 20; round++) {
      const request = post(key, `idempotency-key: round-${round}\r\n`);
      const seen = await Promise.all(lines.map((line) => line.ask(request)));
      expect(seen.map(({ status }) => status)).toEqual([201, 201]);
      expect(seen[0]?.body).toBe(seen[1]?.body ?? "");
    }
    closeAll(lines);
    const [row] = await database.query("SELECT count(*) AS count FROM pets");
    expect(Number(row?.["count"])).toBe(20);
  });

  test("go on when one of them is killed, which is logged and started again", async () => {
    const service = await start();
    const key = firstKey(service);
    await eventually(() => pidsOf(service).length === 2);
    const [victim] = pidsOf(service);
    process.kill(victim as number, "SIGKILL");
    // Whichever socket a connection waits at, somebody accepts it.
    const lines = await Promise.all(Array.from({ length: 32 }, () => openLine(service)));
    const seen = await Promise.allSettled(lines.map((line) => line.ask(post(key, ""))));
    closeAll(lines);
    // Those that the killed one had accepted already end with it.
    expect(seen.filter(({ status }) => status === "fulfilled").length).toBeGreaterThan(0);
    await eventually(() => pidsOf(service).length === 3);
    expect(service.stderr()).toContain('"signal":"SIGKILL"');
    closeAll((await lineToEach(service, key)).values());
    expect(await service.end("SIGTERM")).toBe(0);
  });
});
