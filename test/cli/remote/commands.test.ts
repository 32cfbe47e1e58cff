/** The owner's commands do and say the same on the store and, with --to, over the API. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createServer } from "node:http";
import { iso } from "../../../src/cli/durations.ts";
import * as lifecycle from "../../../src/hosting/domains/lifecycle.ts";
import { keepOwnNames } from "../../../src/hosting/domains/ownName.ts";
import { fakeClock } from "../../../testkit/fakeClock.ts";
import { describeOnEngines } from "../../end-to-end/engines.ts";
import { certificateNamed, changeIn, deployIn, holding, nowMs } from "../../store/domainSamples.ts";
import { deliveryOf, endpointFor } from "../../store/webhooks.suite.ts";
import type { Outcome } from "../cliFixture.ts";
import { forward, listening } from "./proxies.ts";
import { RemoteFixture } from "./remoteFixture.ts";

describeOnEngines("over the API", (engine) => {
  let fixture: RemoteFixture;
  const clock = fakeClock(nowMs + 3_600_000);
  const open = async () => {
    fixture = await RemoteFixture.open(engine, clock);
    fixture.clock = { ...clock, pausesMs: [] };
  };
  const close = () => fixture[Symbol.asyncDispose]();

  const both = async (line: string) => ({
    local: await fixture.local(line, { clock }),
    remote: await fixture.remote(line, { as: fixture.tokens.operator }),
  });

  async function goLive(host: string): Promise<void> {
    const { stores } = fixture.service;
    const [claim] = await stores.domains.claimsOn(host);
    if (claim === undefined) throw new Error(`${host} should be attached.`);
    const certificate = certificateNamed(`cert_${host}`, host, { notBeforeMs: nowMs });
    const shown = lifecycle.checked(claim.domain, { kind: "right", findings: [] }, nowMs);
    await changeIn(stores, holding(shown, certificate), { certificate });
  }

  /** Two live names of shop, one that leads to the other, and one that rival claims too. */
  async function withDomains(): Promise<void> {
    for (const host of ["docs.example.com", "www.example.com"]) {
      expect((await fixture.local(`domains add shop ${host}`, { clock })).code).toBe(0);
      await goLive(host);
    }
    await fixture.local("domains primary docs.example.com", { clock });
    await fixture.local("domains redirect www.example.com docs.example.com", { clock });
    await fixture.local("domains add rival docs.example.com", { clock });
    await fixture.local("domains add rival gone.example.com", { clock });
    await fixture.local("domains remove gone.example.com", { clock });
  }

  /** An endpoint with a failed delivery and one that waits; its id. */
  async function withWebhook(): Promise<string> {
    // Of its own: what is done in the background waits for the clock, which stands still here.
    const stores = await fixture.service.database.open();
    const { webhooks } = stores;
    const endpoint = endpointFor({ createdAtMs: nowMs });
    await webhooks.add(endpoint);
    await webhooks.setDisabled(endpoint.id, { atMs: nowMs, reason: "gone" });
    await webhooks.setDisabled(endpoint.id, undefined);
    const lease = { holder: "one", endpointId: endpoint.id };
    const [{ place: from = 0 } = {}] = await webhooks.lease({
      ...{ holder: "one", nowMs, untilMs: nowMs + 1_000 },
    });
    const attempts = [{ atMs: nowMs, durationMs: 12, status: 500, body: iso(nowMs) }];
    const failed = deliveryOf(endpoint.id, 1, { state: "failed", attempts, dueAtMs: undefined });
    const deliveries = [failed, deliveryOf(endpoint.id, 2, { dueAtMs: nowMs + 86_400_000 })];
    expect(await webhooks.plan({ lease, from, to: from, deliveries })).toBe(true);
    await stores.close();
    return endpoint.id;
  }

  // One service for all of them: to start it, and to give it domains, takes longer than what it is asked.
  describe("what changes nothing is said in the same words:", () => {
    let endpoint: string;
    let before: Outcome[];
    const lists = () => {
      const shown = ["sites list", "domains list", "domains routing shop", "webhooks list"];
      return Promise.all(shown.map((line) => fixture.local(`${line} --json`, { clock })));
    };
    beforeAll(async () => {
      await open();
      await withDomains();
      endpoint = await withWebhook();
      before = await lists();
    });
    afterAll(close);

    async function expectSame(line: string): Promise<void> {
      for (const each of [line, `${line} --json`]) {
        const { local, remote } = await both(each.replace("ID", endpoint));
        expect(remote).toEqual(local);
        expect(remote.out + remote.err).not.toBe("");
      }
    }

    test.each([
      "sites list",
      "sites show shop",
      "sites show none",
      "sites deployments shop --limit 1",
      "sites deployments none",
      "sites deployments shop --limit 0",
      "sites create shop --owner shop",
      "sites create new --owner none",
      "sites create New --owner shop",
      "sites publish shop dep_none",
      "sites publish none dep_none",
      "sites rollback shop dep_none",
      "sites rollback none dep_none",
      "sites unpublish shop",
      "domains list",
      "domains list shop",
      "domains list none",
      "domains list ..",
      "domains show docs.example.com",
      "domains show docs.example.com --timeline",
      "domains show docs.example.com --project rival",
      "domains show gone.example.com",
      "domains show none.example.com",
      "domains show no_host",
      "domains add shop docs.example.com",
      "domains add rival docs.example.com",
      "domains add shop no_host",
      "domains add none docs.example.com",
      "domains verify gone.example.com",
      "domains routing shop",
      "domains primary none.example.com",
      "domains redirect docs.example.com --none",
      "domains move docs.example.com shop",
      "domains move docs.example.com none",
      "domains hsts docs.example.com forever",
      "domains list --status live --search www",
      "domains remove docs.example.com",
    ])("%s", expectSame);

    test.each([
      "webhooks list",
      "webhooks show ID",
      "webhooks show whe_none",
      "webhooks show ..",
      "webhooks create https://10.0.0.1/",
      "webhooks create https://example.com/ --types pet.creatd",
      "webhooks update ID --url https://10.0.0.1/",
      "webhooks update whe_none --types all",
      "webhooks deliveries ID --state failed",
      "webhooks deliveries ID --type pet.deleted",
      "webhooks deliveries ID --limit 1",
      "webhooks deliveries ID --limit 201",
      "webhooks delivery ID 1",
      "webhooks delivery ID 9",
      "webhooks replay ID 9",
      "webhooks replay whe_none --failed",
      "webhooks rotate whe_none",
      "webhooks test whe_none",
      "webhooks enable whe_none",
      "webhooks disable whe_none",
      "webhooks remove whe_none",
    ])("%s", expectSame);

    test("none of them changes anything", async () => {
      expect(await lists()).toEqual(before);
    });
  });

  describe("each on a service of its own:", () => {
    beforeEach(open);
    afterEach(close);

    test("the audit log says that it was the command, by which token", async () => {
      const made = await fixture.remote("webhooks create https://example.com/", {
        as: fixture.tokens.operator,
      });
      expect(made.code).toBe(0);
      const [entry] = await fixture.service.stores.audit.list({ limit: 1 });
      expect(entry).toMatchObject({
        actor: expect.stringMatching(/^tokens\/acc_/),
        action: "webhook.create",
        source: expect.stringContaining('"agent":"petstore"'),
      });
    });

    test("webhooks are the operator's alone, and change by the same commands", async () => {
      const as = fixture.tokens.operator;
      const run = async (line: string) => {
        const { code, out, err } = await fixture.remote(`${line} --json`, { as });
        expect([line, code, err]).toEqual([line, 0, ""]);
        return JSON.parse(out);
      };
      const refused = await fixture.remote("webhooks list");
      expect([refused.code, refused.err]).toEqual([
        1,
        expect.stringContaining("Only the operator"),
      ]);
      const { id, secret } = await run("webhooks create https://example.com/");
      expect(secret).toMatch(/^whsec_/);
      expect((await run(`webhooks rotate ${id} --overlap 1h`)).secret).not.toBe(secret);
      await run(`webhooks disable ${id}`);
      expect((await run(`webhooks update ${id} --types pet.deleted`)).disabled.reason).toBe(
        "operator",
      );
      await run(`webhooks enable ${id}`);
      expect(await run("webhooks list")).toMatchObject([
        { id, state: "delivering", types: ["pet.deleted"], oldSecretExpiresAt: expect.any(String) },
      ]);
      await run(`webhooks remove ${id}`);
      expect(await fixture.service.stores.webhooks.list()).toEqual([]);
    });

    test("what is changed is changed in the store, and reported in the same words", async () => {
      const changes = [
        "sites create shop-api --owner shop",
        "sites publish shop dep_shop",
        "sites rollback shop dep_shop",
        "domains add shop docs.example.com",
        "domains add shop www.example.com",
        "domains add shop example.org --with-www",
        "domains remove www.example.org",
        "domains remove example.org --yes",
        "domains verify docs.example.com",
        "domains primary docs.example.com",
        "domains redirect www.example.com docs.example.com --status 308",
        "domains redirect www.example.com --none",
        "domains hsts www.example.com year",
        "domains move www.example.com shop-api",
        "domains move www.example.com shop",
        "domains primary --none --project shop",
        "domains remove www.example.com",
        "sites unpublish shop",
      ];
      await using other = await RemoteFixture.open(engine, clock);
      for (const line of changes) {
        const remote = await fixture.remote(line);
        const local = await other.local(line, { clock });
        // Each has a target of its own.
        const [here, there] = [remote, local].map(({ out, ...rest }) => ({
          ...rest,
          out: out.replace(/edge-[0-9a-f]{20}/g, "edge-…"),
        }));
        expect(here).toEqual(there);
        expect(remote.code).toBe(0);
        if (!line.startsWith("sites create")) continue;
        for (const { service } of [fixture, other])
          await deployIn(service.stores, "shop-api", "dep_2");
      }
      const { sites, domains } = fixture.service.stores;
      expect((await sites.project("shop-api"))?.ownerId).toBe("shop");
      expect((await sites.project("shop"))?.current).toBeUndefined();
      expect((await domains.list("shop")).map(({ domain }) => domain.host)).toEqual([
        "docs.example.com",
      ]);
    });

    test("a change of the routing is refused where another one was made since it was read", async () => {
      await withDomains();
      const { origin } = fixture.service;
      const server = createServer(async (incoming, outgoing) => {
        if (incoming.method === "PUT") {
          await fixture.local("domains redirect www.example.com --none", { clock });
        }
        forward(incoming, outgoing, origin);
      });
      await using stub = await listening(server);
      fixture.origin = stub.origin;
      const { code, err } = await fixture.remote("domains primary --none --project shop --json");
      expect([code, JSON.parse(err).code]).toEqual([1, "changed_meanwhile"]);
      expect((await fixture.service.stores.domains.routing("shop")).routing).toEqual({
        primary: "docs.example.com",
        redirects: [],
      });
    });

    test("a project is the owner's of the token unless another is named, which only the operator may", async () => {
      expect((await fixture.remote("sites create shop-api")).code).toBe(0);
      expect((await fixture.service.stores.sites.project("shop-api"))?.ownerId).toBe("shop");
      const { code, err } = await fixture.remote("sites create rival-api --owner rival --json");
      expect([code, JSON.parse(err).code]).toEqual([1, "operator_only"]);
      expect(await fixture.service.stores.sites.project("rival-api")).toBeUndefined();
    });

    test("an owner sees and changes nothing of another", async () => {
      await withDomains();
      const folder = fixture.folder({ "index.html": "theirs" });
      const lines = [
        ...["sites show shop", "sites deployments shop", "sites unpublish shop --yes"],
        ...["sites rollback shop dep_shop", `sites deploy shop ${folder}`],
        "sites publish shop dep_shop",
        ...[`deploy ${folder} --project shop`, "domains list shop", "domains routing shop"],
        ...["domains add shop new.example.com", "domains show www.example.com"],
        ...["domains remove www.example.com --yes", "domains verify www.example.com"],
        ...[
          "domains remove www.example.com --yes --project shop",
          "domains primary www.example.com",
        ],
        "domains primary --none --project shop",
      ];
      const before = await both("domains list shop --json");
      for (const line of lines) {
        const { code, out, err } = await fixture.remote(line, { as: fixture.tokens.rival });
        expect([line, code, out]).toEqual([line, 1, ""]);
        expect(err).toMatch(/There is no project|is not attached to any project/);
      }
      expect(await both("domains list shop --json")).toEqual(before);
      expect((await fixture.service.stores.sites.project("shop"))?.current).toBe("dep_shop");
      const listed = await fixture.remote("sites list --json", { as: fixture.tokens.rival });
      expect(JSON.parse(listed.out)).toMatchObject([{ slug: "rival" }]);
      const theirs = await fixture.remote("domains show docs.example.com --json", {
        as: fixture.tokens.rival,
      });
      expect(JSON.parse(theirs.out)).toMatchObject({ project: "rival", alsoClaimedBy: [] });
    });

    test("the name of the service itself is listed for the operator alone", async () => {
      const { domains } = fixture.service.stores;
      await keepOwnNames(["api.example.com"], { store: domains, clock, now: clock.now });
      const { local, remote } = await both("domains list --json");
      expect(remote).toEqual(local);
      expect(JSON.parse(local.out)).toMatchObject([{ host: "api.example.com", project: "" }]);
      expect((await fixture.remote("domains list --json")).out).toBe("[]\n");
      expect(local.out + (await both("domains list")).local.out).not.toContain("shows the site");
      const { code, out } = await fixture.local("domains show api.example.com", { clock });
      expect([code, out]).toEqual([0, expect.stringContaining("(this service)")]);
      expect(out).not.toMatch(/^Role|^To create/m);
    });
  });
});

describe("which service", () => {
  let fixture: RemoteFixture;
  beforeEach(async () => {
    fixture = await RemoteFixture.open();
  });
  afterEach(() => fixture[Symbol.asyncDispose]());

  test("is that of --to before that of PETSTORE_TO", async () => {
    const { origin } = fixture;
    fixture.origin = "http://127.0.0.1:1";
    expect((await fixture.remote("sites list")).err).toContain(
      "http://127.0.0.1:1 cannot be reached",
    );
    expect((await fixture.remote(`sites list --to ${origin}/`)).code).toBe(0);
  });

  test.each([
    ["http://api.example.com", "must begin with https://"],
    ["http://127.0.0.1.example.com", "must begin with https://"],
    ["https://api.example.com/v1", "must have no path. Did you mean https://api.example.com?"],
    ["https://user:secret@api.example.com", "must be the address of a service"],
    ["api.example.com", "must be the address of a service"],
    ["ftp://api.example.com", "must be the address of a service"],
  ])("%s is not understood", async (to, message) => {
    const { code, err } = await fixture.remote(`sites list --to ${to}`);
    expect([code, err]).toEqual([2, expect.stringContaining(`--to ${message}`)]);
  });
});
