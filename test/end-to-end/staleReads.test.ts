/** Hunts for an answer that is older than its request: in this process, and in another one. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { mintKey } from "../../src/petstore/keys/lifecycle.ts";
import { rounds } from "../../testkit/rounds.ts";
import { SeededRandom } from "../../testkit/seededRandom.ts";
import { type Running, startProcess } from "../../testkit/serviceProcess.ts";
import { Client } from "./client.ts";
import { describeOnEngines, type TestDatabase } from "./engines.ts";
import { testSecret } from "./service.ts";

/** What becomes of a pet, in this order. At last it is deleted. */
const states = ["available", "pending", "sold", undefined] as const;
const writers = 12;
const petsOfEach = rounds(1, 8);
const crowd = rounds(32, 96);

const newKey = () =>
  mintKey(
    { name: "hunter", environment: "production", scopes: "all", expiresAtMs: undefined },
    systemClock,
  );

describeOnEngines("with three processes on one database", (engine) => {
  let database: TestDatabase;
  let processes: Running[] = [];
  let clients: Client[];
  beforeAll(async () => {
    database = await engine.newDatabase();
    const stores = await database.open();
    const minted = newKey();
    await stores.keys.add(minted.key);
    await stores.close();
    const variables = { ...database.variables, PETSTORE_SECRET: testSecret };
    processes = await Promise.all([1, 2, 3].map(() => startProcess(variables)));
    clients = processes.map(({ base }) => new Client(base, minted.token));
  });
  afterAll(async () => {
    await Promise.all(processes.map((each) => each.end("SIGTERM")));
    await database.remove();
  });

  test("whoever knows of a change sees it at once, wherever and however they ask", async () => {
    const random = new SeededRandom(7);
    const anyone = () => random.oneOf(clients);
    const known = new Map<number, number>();
    /** By the answer to a change, or because somebody was shown it already. */
    const learn = (id: number, state: number) => known.set(id, Math.max(state, known.get(id) ?? 0));
    let judged = 0;
    let done = false;

    /** A status that was true when the question left, or a later one. */
    const judge = (path: string, id: number, least: number, status: string | undefined) => {
      judged++;
      const seen = states.indexOf(status as (typeof states)[number]);
      if (seen < least) throw new Error(`${path}: pet ${id} is ${status}, after ${states[least]}`);
      learn(id, seen);
    };
    const ask = async (id: number) => {
      const least = known.get(id) ?? 0;
      const path = random.oneOf([
        ...[`/pets/${id}`, `/pets?id=${id}`, "/pets?limit=100"],
        ...["/pets?limit=100&name=prey", "/pets?limit=100&categoryId=1"],
      ]);
      const { body } = await anyone().get(path);
      const pets = (Array.isArray(body) ? body : [body]) as { id: number; status: string }[];
      judge(path, id, least, pets.find((pet) => pet.id === id)?.status);
    };
    const send = async (method: string, path: string, body?: object): Promise<unknown> => {
      const headers = { "content-type": "application/json" };
      const given = body === undefined ? {} : { headers, body: JSON.stringify(body) };
      const seen = await anyone().send(method, path, given);
      expect([path, seen.status < 300]).toEqual([path, true]);
      return seen.body;
    };
    const learnAndAsk = async (id: number, state: number) => {
      learn(id, state);
      for (let n = 0; n < 4; n++) await ask(id);
    };
    const order = async (id: number) => {
      const placed = (await send("POST", "/store/orders", { petId: id })) as { id: number };
      await learnAndAsk(id, 1);
      await send("POST", `/store/orders/${placed.id}/approve`);
      await send("POST", `/store/orders/${placed.id}/deliver`);
      await learnAndAsk(id, 2);
    };
    const update = async (id: number) => {
      await send("PATCH", `/pets/${id}`, { status: "pending" });
      await learnAndAsk(id, 1);
      await send("PATCH", `/pets/${id}`, { status: "sold" });
      await learnAndAsk(id, 2);
    };
    const write = async () => {
      for (let n = 0; n < petsOfEach; n++) {
        const created = await anyone().post("/pets", { name: "Prey", categoryId: 1 });
        const { id } = created.body as { id: number };
        learn(id, 0);
        // Asked for often before it changes, so that every process could have kept it.
        for (let m = 0; m < 6; m++) await ask(id);
        await random.oneOf([order, update])(id);
        await send("DELETE", `/pets/${id}`);
        await learnAndAsk(id, 3);
      }
    };
    const watch = async () => {
      while (!done) {
        const ids = [...known.keys()];
        if (ids.length > 0) await ask(random.oneOf(ids));
        else await anyone().get("/pets");
      }
    };
    const watching = Promise.all(Array.from({ length: 8 }, watch));
    try {
      await Promise.all(Array.from({ length: writers }, write));
    } finally {
      done = true;
    }
    await watching;
    expect([...known.values()]).toEqual(Array(writers * petsOfEach).fill(3));
    expect(judged).toBeGreaterThanOrEqual(writers * petsOfEach * 18);
  });

  test("so does whoever was only shown it, before it was acknowledged", async () => {
    const [first, ...others] = clients as [Client, Client, Client];
    const statusAt = async (client: Client, id: number) =>
      ((await client.get(`/pets/${id}`)).body as { status: string }).status;
    for (let n = 0; n < rounds(12, 150); n++) {
      const { body } = await first.post("/pets", { name: "Prey", categoryId: 1 });
      const { id } = body as { id: number };
      // So that every process has kept it.
      for (const client of clients) for (let m = 0; m < 3; m++) await statusAt(client, id);
      const placing = first.post("/store/orders", { petId: id });
      while ((await statusAt(first, id)) === "available") {}
      const seen = await Promise.all(others.map((client) => statusAt(client, id)));
      expect([id, ...seen]).toEqual([id, "pending", "pending"]);
      expect((await placing).status).toBe(201);
    }
  });

  test("and on a connection of its own, while many others come and go", async () => {
    const [flooded, other] = clients as [Client, Client];
    const fresh = { headers: { connection: "close" } };
    const { body } = await other.post("/pets", { name: "Bait", categoryId: 1 });
    const bait = `/pets/${(body as { id: number }).id}`;
    let done = false;
    const flood = async () => {
      while (!done) await flooded.get(bait, fresh);
    };
    const flooding = Promise.all(Array.from({ length: crowd }, flood));
    const store = await database.open();
    try {
      for (let n = 0; n < rounds(3, 30); n++) {
        const created = await other.post("/pets", { name: "Prey", categoryId: 1 });
        const { id } = created.body as { id: number };
        for (let m = 0; m < 3; m++) await flooded.get(`/pets/${id}`, fresh);
        expect((await other.post("/store/orders", { petId: id })).status).toBe(201);
        expect((await flooded.get(`/pets/${id}`, fresh)).body).toMatchObject({ status: "pending" });

        const { key, token } = newKey();
        await store.keys.add(key);
        const theirs = new Client(flooded.base, token);
        expect((await theirs.get(bait, fresh)).status).toBe(200);
        await store.keys.revoke(key.id, Date.now());
        expect((await theirs.get(bait, fresh)).status).toBe(401);
      }
    } finally {
      done = true;
      await flooding;
      await store.close();
    }
  });
});
