/** Sites and domains on PostgreSQL when connections break and many are at the same rows. */
import { describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { Problem } from "../../src/core/problems.ts";
import { type DomainChange, noRouting } from "../../src/hosting/domains/domains.ts";
import { connectMsMaxDefault } from "../../src/storage/postgres/connection.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { eventually, onceBack } from "../../testkit/eventually.ts";
import { usePostgres } from "../postgres/useServer.ts";
import { begun, publishAcme, textAt, uploadOf, withProject } from "../sites/projects.ts";
import {
  addTo,
  certificateNamed,
  changeIn,
  domainFor,
  entry,
  held,
  holding,
  nowMs,
  projectIn,
  proofNeeded,
  removed,
  servedIn,
  storedIn,
  versionedIn,
} from "./domainSamples.ts";
import { rejectionOf } from "./rejection.ts";

const host = "docs.example.com";
const database = usePostgres({ migrated: true });

/** A connection of its own, behind the back of the stores. */
async function aside<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(database.address);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function waitingForLocks(): Promise<number> {
  const waiting = await database.server.query(
    "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
  );
  return waiting.length;
}

/** A claim and its rival, and a change of the claim that touches whatever a change can touch. */
async function fullChange(stores: Stores) {
  for (const project of ["shop", "rival"]) await projectIn(stores, project);
  const domain = domainFor(host, "shop", { ownership: proofNeeded });
  const rival = domainFor(host, "rival");
  for (const each of [domain, rival]) await addTo(stores, each);
  const routing = { project: "shop", routing: { ...noRouting, primary: host }, version: 0 };
  await stores.domains.saveRouting(routing);
  const certificate = certificateNamed("cert_new", host);
  const change: DomainChange = {
    domain: holding({ ...domain, ownership: held }, certificate),
    version: 1,
    dueAtMs: nowMs,
    entries: [entry("changed")],
    certificate,
    attempts: [{ host, registrable: "example.com", kind: "order", atMs: nowMs }],
    routing: { ...routing, routing: noRouting, version: 1 },
    displaces: {
      domain: { ...rival, ownership: removed() },
      version: 1,
      entries: [entry("displaced")],
    },
  };
  return { domain, rival, change };
}

describe("a change whose connection is cut", () => {
  for (const [where, row] of [
    ["before it read anything", "counters WHERE name = 'last_ordinal'"],
    ["when it reads the domain", "domains WHERE project = 'shop'"],
    ["when it reads the routing", "project_routing"],
    ["when all but the last is written", "counters WHERE name = 'edge_revision'"],
  ] as const) {
    test(`${where} leaves nothing behind, and can be made again`, async () => {
      const stores = await database.open();
      const { domain, rival, change } = await fullChange(stores);
      const revision = await stores.edgeView.revision();
      await aside(async (client) => {
        await client.query("BEGIN");
        await client.query(`SELECT 1 FROM ${row} FOR UPDATE`);
        const changing = rejectionOf(stores.domains.change(change));
        await eventually(
          async () => (await database.server.hangUp("wait_event_type = 'Lock'")) === 1,
        );
        const failure = await changing;
        expect(failure instanceof Problem ? failure.code : failure).toBe("store_unavailable");
        await client.query("COMMIT");
      });
      const { domains, edgeView } = stores;
      expect(await versionedIn(stores, domain)).toEqual({ domain, version: 1 });
      expect(await versionedIn(stores, rival)).toEqual({ domain: rival, version: 1 });
      for (const { id } of [domain, rival]) expect(await domains.timeline(id, 9)).toEqual([]);
      expect(await domains.certificateFor(host, 0)).toBeUndefined();
      expect(await domains.attempts({ host, registrable: "example.com" }, 0)).toEqual([]);
      expect((await domains.routing("shop")).version).toBe(1);
      expect(await edgeView.revision()).toBe(revision);

      expect(await domains.change(change)).toBe("done");
      expect((await storedIn(stores, domain)).version).toBe(2);
      expect(await edgeView.revision()).toBeGreaterThan(revision);
    });
  }
});

describe("edges in processes of their own", () => {
  test("stop answering for a name that is removed", async () => {
    const stores = await database.open();
    await projectIn(stores, "shop");
    const domain = await servedIn(stores, host);
    const script = fileURLToPath(new URL("../postgres/watchRoute.ts", import.meta.url));
    const edges = [1, 2].map(() => {
      const child = spawn(process.execPath, [script, database.address, host], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      let said = "";
      child.stdout.on("data", (text) => {
        said += text;
      });
      const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
      return { child, ended, said: () => said };
    });
    try {
      for (const { said } of edges) await eventually(() => said() === "served\n");
      await changeIn(stores, { ...domain, ownership: removed() });
      for (const { said } of edges) await eventually(() => said() === "served\ngone\n");
      expect(await Promise.all(edges.map(({ ended }) => ended))).toEqual([0, 0]);
    } finally {
      for (const { child } of edges) child.kill("SIGKILL");
    }
  });
});

describe("look-ups on PostgreSQL", () => {
  test("of many at once each get what they asked for", async () => {
    const stores = await database.open({ namedStatements: true });
    await projectIn(stores, "shop");
    const hosts = Array.from({ length: 20 }, (_, index) => `${index}.example`);
    for (const name of hosts) await servedIn(stores, name);
    const asked = Array.from({ length: 1_000 }, (_, index) => `${index % 40}.example`);
    const found = await Promise.all(
      asked.map(async (name) => (await stores.edgeView.certificate(name))?.id),
    );
    const stored = new Set(hosts);
    for (const [index, name] of asked.entries()) {
      expect([name, found[index]]).toEqual([name, stored.has(name) ? `cert_${name}` : undefined]);
    }
  });

  test("for what no text of the database can be find nothing, and disturb nobody", async () => {
    const stores = await database.open();
    const { sites, domains, edgeView, access, accounts } = stores;
    await projectIn(stores, "shop");
    await servedIn(stores, host);
    const strange = "docs\0.example.com";
    const [route, ...nothing] = await Promise.all([
      edgeView.route(host),
      edgeView.route(strange),
      edgeView.certificate(strange),
      edgeView.challenge(host, "\0", nowMs),
      sites.file("dep_shop", "\0"),
      sites.project(strange),
      domains.holderOf(strange),
      accounts.find(strange),
    ]);
    expect(route).toBeDefined();
    expect(await sites.rollBack("shop", strange)).toBe("no_such_deployment");
    expect(await sites.setPlan(strange, "paid")).toBe(false);
    expect(await sites.addProject({ slug: "new", ownerId: strange, nowMs })).toBe("no_such_owner");
    expect(await access.revoke(strange, nowMs)).toBe(false);
    expect(await accounts.endSession("operator", strange)).toBe(false);
    expect(nothing.filter((found) => found !== undefined)).toEqual([]);
  });
});

describe("contents that come and go at the same time", () => {
  test("are not taken away under a file that is just being added", async () => {
    const store = await withProject(() => database.open());
    const [bad, good] = [await begun(store, "dep_bad"), await begun(store, "dep_good")];
    const upload = uploadOf("a.txt", "alpha");
    await store.addFiles(bad, [upload], nowMs);
    await store.failDeployment(bad, "Broken.", nowMs);
    await aside(async (client) => {
      await client.query("BEGIN");
      const file = [good, "kept.txt", upload.hash];
      await client.query("INSERT INTO site_files VALUES ($1, $2, $3)", file);
      const discarding = store.pruneDeployments("acme");
      await eventually(async () => (await waitingForLocks()) === 1);
      await client.query("COMMIT");
      expect(await discarding).toBe(true);
    });
    expect(await textAt(store, "kept.txt", good)).toBe("alpha");
    expect(await store.file(bad, "a.txt")).toBeUndefined();
  });

  test("are asked for again where they are just being taken away", async () => {
    const store = await withProject(() => database.open());
    const id = await begun(store, "dep_a");
    const { part: _part, ...known } = uploadOf("a.txt", "alpha");
    await aside(async (client) => {
      await client.query("INSERT INTO contents VALUES ($1, 5, true)", [known.hash]);
      await client.query("BEGIN");
      await client.query("DELETE FROM contents");
      const adding = store.addFiles(id, [{ ...known, part: undefined }], nowMs);
      await eventually(async () => (await waitingForLocks()) === 1);
      await client.query("COMMIT");
      expect(await adding).toEqual({ kind: "content_missing", hashes: [known.hash] });
    });
  });

  test("are all there for every deployment that is ready", async () => {
    const store = await withProject(() => database.open());
    const [{ sites: second }, { sites: third }] = [await database.open(), await database.open()];
    const shared = Array.from({ length: 12 }, (_, index) => `shared ${index}`);

    /** Brings the contents and fails, again and again, so that they are taken away. */
    async function failOver(rounds: number): Promise<void> {
      for (let round = 0; round < rounds; round++) {
        const id = `dep_bad_${round}`;
        await third.beginDeployment({ id, project: "acme", nowMs });
        await third.buildDeployment(id, nowMs);
        const uploads = shared.map((text, index) => uploadOf(`${index}.txt`, text));
        await third.addFiles(id, round % 2 === 0 ? uploads : uploads.toReversed(), nowMs);
        await third.failDeployment(id, "Broken.", nowMs);
        while (await third.pruneDeployments("acme"));
      }
    }

    /** Publishes the same contents under other paths each time. */
    async function publishOver(sites: typeof second, name: string): Promise<string[]> {
      const ready: string[] = [];
      for (let round = 0; round < 12; round++) {
        const files = shared.map((text, index) => [`${name}/${round}/${index}.txt`, text]);
        const order = round % 2 === 0 ? files : files.toReversed();
        const outcome = await publishAcme(sites, Object.fromEntries(order));
        if ("id" in outcome) ready.push(outcome.id);
      }
      return ready;
    }

    const [one, two] = await Promise.all([
      publishOver(store, "one"),
      publishOver(second, "two"),
      failOver(25),
    ]);
    expect([one.length, two.length]).toEqual([12, 12]);
    for (const [name, ids] of [
      ["one", one],
      ["two", two],
    ] as const) {
      for (const [round, id] of ids.entries()) {
        for (const [index, text] of shared.entries()) {
          expect(await textAt(store, `${name}/${round}/${index}.txt`, id)).toBe(text);
        }
      }
    }
  });
});

describe("a server that is away", () => {
  /** At least one way to ask and one to tell for each of the stores. */
  const questions: Readonly<Record<string, (stores: Stores) => unknown>> = {
    "sites.project": ({ sites }) => sites.project("shop"),
    "sites.file": ({ sites }) => sites.file("dep_shop", "a"),
    "sites.content": ({ sites }) => sites.content("hash", "br"),
    "sites.setPlan": ({ sites }) => sites.setPlan("shop", "paid"),
    "sites.beginDeployment": ({ sites }) =>
      sites.beginDeployment({ id: "dep_more", project: "shop", nowMs }),
    "domains.get": ({ domains }) => domains.get("dom_none"),
    "domains.add": ({ domains }) => domains.add(domainFor("more.example"), nowMs, []),
    "domains.takeDue": ({ domains }) =>
      domains.takeDue({ holder: "one", nowMs, untilMs: nowMs, max: 1 }),
    "domains.sweep": ({ domains }) => domains.sweep(nowMs),
    "edgeView.route": ({ edgeView }) => edgeView.route(host),
    "edgeView.certificate": ({ edgeView }) => edgeView.certificate(host),
    "edgeView.challenge": ({ edgeView }) => edgeView.challenge(host, "token", nowMs),
    "edgeView.revision": ({ edgeView }) => edgeView.revision(),
    "edgeView.forgetEdge": ({ edgeView }) => edgeView.forgetEdge("edge"),
    "acmeAccounts.account": ({ acmeAccounts }) => acmeAccounts.account("https://ca.example"),
    "access.findByHash": ({ access }) => access.findByHash("hash"),
    "access.revoke": ({ access }) => access.revoke("acc_none", nowMs),
    "accounts.findSession": ({ accounts }) => accounts.findSession("hash"),
    "accounts.take": ({ accounts }) =>
      accounts.take({ bucket: "00ff", atMs: nowMs, burst: 3, intervalMs: 1_000 }),
  };

  test("is store_unavailable to every question, and answers each of them once it is back", async () => {
    const stores = await database.open({ connectMsMax: connectMsMaxDefault });
    await projectIn(stores, "shop");
    const ask = async (question: (stores: Stores) => unknown) => question(stores);
    await database.server.stop("immediate");
    for (const [name, question] of Object.entries(questions)) {
      const failure = await rejectionOf(ask(question));
      expect([name, failure instanceof Problem ? failure.code : failure]).toEqual([
        name,
        "store_unavailable",
      ]);
    }
    await database.server.start();
    await onceBack(() => stores.ready());
    for (const question of Object.values(questions)) await ask(question);
  });
});

describe("what the tables of PostgreSQL refuse by themselves", () => {
  for (const [what, ownership, index] of [
    ["a second holder of a name", held, "domains_held"],
    ["a second claim of a project on a name", proofNeeded, "domains_of_project"],
  ] as const) {
    test(what, async () => {
      const stores = await database.open();
      for (const project of ["shop", "rival"]) await projectIn(stores, project);
      await addTo(stores, domainFor(host, "shop", { ownership }));
      const project = ownership.kind === "held" ? "rival" : "shop";
      const copying = aside((client) =>
        client.query(
          `INSERT INTO domains (id, ordinal, host, project, owner_id, ownership, served, state,
             version, fence)
           SELECT 'dom_copy', 99, host, $1, owner_id, ownership, served, state, version, fence
           FROM domains`,
          [project],
        ),
      );
      expect((await rejectionOf(copying)).message).toContain(`"${index}"`);
    });
  }

  test("a domain that holds a certificate which is not stored", async () => {
    const stores = await database.open();
    await projectIn(stores, "shop");
    const domain = await servedIn(stores, host);
    const unknown = holding(domain, certificateNamed("cert_unknown", host));
    await rejectionOf(changeIn(stores, unknown));
    expect((await stores.edgeView.certificate(host))?.id).toBe(`cert_${host}`);
  });

  test("an instant that is no whole number of milliseconds", async () => {
    const stores = await database.open();
    await projectIn(stores, "shop");
    await rejectionOf(stores.domains.add(domainFor(host), nowMs + 0.5, []));
    expect(await stores.domains.claimsOn(host)).toEqual([]);
  });

  test("a deployment that goes while it is shown", async () => {
    const stores = await database.open();
    await projectIn(stores, "shop");
    const removing = aside((client) => client.query("DELETE FROM deployments"));
    expect((await rejectionOf(removing)).message).toContain("foreign key");
  });
});
