/** Following a domain: its view whenever that has changed. */
import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { mintAccess } from "../../src/accounts/access.ts";
import type { Domain } from "../../src/hosting/domains/domain.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { startTestService } from "../end-to-end/service.ts";
import { changeIn, nowMs, projectIn } from "../store/domainSamples.ts";
import {
  type InternalApiFixture,
  openInternalApiFixture,
  target,
} from "./internal/internalApiFixture.ts";

describeOnEngines("events of a domain", (engine) => {
  let fixture: InternalApiFixture;
  beforeEach(async () => {
    fixture = await openInternalApiFixture(engine);
    await fixture.ask("POST", "/projects/shop/domains", { body: { host: "docs.example.com" } });
  });
  afterEach(() => fixture.close());

  const path = "/projects/shop/domains/docs.example.com/events";

  /** What comes, event by event, with the time moved on while nothing does. */
  function reading(response: Response, tick: () => void) {
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const text = new TextDecoder();
    let held = "";
    return {
      cancel: () => reader.cancel(),
      /** Without the signs of life: while a database is being asked, time goes on. */
      async news(): Promise<string | undefined> {
        for (let signs = 0; signs < 1_000; signs++) {
          const event = await this.next();
          if (event !== ": nothing new") return event;
        }
        throw new Error("Nothing is new, again and again.");
      },
      async next(): Promise<string | undefined> {
        for (;;) {
          const end = held.indexOf("\n\n");
          if (end !== -1) {
            const event = held.slice(0, end);
            held = held.slice(end + 2);
            return event;
          }
          let waiting = true;
          const arriving = reader.read().finally(() => {
            waiting = false;
          });
          for (let turn = 0; waiting && turn < 10_000; turn++) {
            tick();
            await new Promise((resolve) => setImmediate(resolve));
          }
          const { done, value } = await arriving;
          if (done) return undefined;
          held += text.decode(value, { stream: true });
        }
      },
    };
  }

  const follow = async (as?: string) => {
    const response = await fixture.send("GET", path, { as });
    return reading(response, () => fixture.clock.advance(500));
  };
  const statusIn = (event: string | undefined) =>
    JSON.parse(/^event: domain\ndata: (.*)$/.exec(event ?? "")?.[1] ?? "{}").status;

  async function domain(): Promise<Domain> {
    const [claim] = await fixture.stores.domains.claimsOn("docs.example.com");
    return claim?.domain as Domain;
  }

  async function judgedWrong(): Promise<void> {
    const before = await domain();
    await changeIn(fixture.stores, { ...before, dns: { ...before.dns, verdict: "wrong" } });
  }

  describe("a stream", () => {
    test("begins with what is there and goes on with what changes", async () => {
      const response = await fixture.send("GET", path);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/event-stream");
      expect(response.headers.get("cache-control")).toBe("no-store");
      const events = reading(response, () => fixture.clock.advance(500));
      expect(await events.news()).toBe("retry: 2000");
      expect(statusIn(await events.news())).toBe("pending_dns");
      await judgedWrong();
      expect(statusIn(await events.news())).toBe("misconfigured");
      await fixture.ask("DELETE", path.replace("/events", ""));
      // Time goes on while the database is asked, and the view may tell that before.
      let status = "misconfigured";
      while (status === "misconfigured") status = statusIn(await events.news());
      expect(status).toBe("removed");
      await events.cancel();
    });

    test("says now and then that it is still there", async () => {
      const startedMs = fixture.clock.now();
      const events = await follow();
      await events.next();
      await events.next();
      expect(await events.next()).toBe(": nothing new");
      expect(fixture.clock.now() - startedMs).toBeGreaterThanOrEqual(10_000);
      await events.cancel();
    });

    test("ends when the token is revoked", async () => {
      const events = await follow();
      await events.news();
      await events.news();
      await fixture.stores.access.revoke(fixture.ids.shop, nowMs);
      await judgedWrong();
      expect(await events.news()).toBeUndefined();
    });

    test("ends when the service is on its way out", async () => {
      const events = await follow();
      await events.news();
      await events.news();
      fixture.state.leaving = true;
      expect(await events.news()).toBeUndefined();
    });

    test("ends when the store fails, which is logged", async () => {
      const events = await follow();
      await events.news();
      await events.news();
      fixture.stores.domains.timeline = () => {
        throw new Error("the cellar is flooded");
      };
      expect(await events.news()).toBeUndefined();
      expect(fixture.logged()).toContain("the cellar is flooded");
    });

    test("is refused beyond a number, until one is closed", async () => {
      const open = [];
      for (let count = 0; count < 16; count++) open.push(await fixture.send("GET", path));
      const { status, body, headers } = await fixture.ask("GET", path);
      expect([status, body.code, headers.get("retry-after")]).toEqual([
        429,
        "streams_exhausted",
        "5",
      ]);
      // The operator has a number of their own.
      const operators = await fixture.send("GET", path, { as: fixture.tokens.operator });
      expect(operators.status).toBe(200);
      await open.pop()?.body?.cancel();
      open.push(await fixture.send("GET", path));
      expect(open.at(-1)?.status).toBe(200);
      for (const response of [...open, operators]) await response.body?.cancel();
    });

    test("reads the timeline again only after a change, or when another minute begins", async () => {
      const timeline = spyOn(fixture.stores.domains, "timeline");
      const minute = () => Math.floor(fixture.clock.now() / 60_000);
      const startedIn = minute();
      const events = await follow();
      await events.news();
      await events.news();
      for (let sign = 0; sign < 6; sign++) expect(await events.next()).toBe(": nothing new");
      // Once for the response and once by the first poll, which compares with nothing yet.
      expect(timeline.mock.calls.length).toBeLessThanOrEqual(2 + minute() - startedIn);
      await events.cancel();
    });

    test("shows a name that was removed and added again", async () => {
      const events = await follow();
      await events.news();
      await events.news();
      await fixture.ask("DELETE", path.replace("/events", ""));
      expect(statusIn(await events.news())).toBe("removed");
      await fixture.ask("POST", "/projects/shop/domains", { body: { host: "docs.example.com" } });
      expect(statusIn(await events.news())).toBe("pending_dns");
      await events.cancel();
    });

    test("whose client went away looks no more", async () => {
      const get = spyOn(fixture.stores.domains, "get");
      const gone = new AbortController();
      await fixture.send("GET", path, { signal: gone.signal });
      gone.abort();
      fixture.clock.advance(60_000);
      await new Promise((resolve) => setImmediate(resolve));
      expect(get).not.toHaveBeenCalled();
    });
  });

  test("over the wire, on the service's own origin and on no site's", async () => {
    const running = await startTestService({
      engine,
      variables: {
        PETSTORE_SITES_HOST: target,
        PETSTORE_ACME_TERMS: "agreed",
        PETSTORE_ROLES: "none",
        PETSTORE_SHUTDOWN_SECONDS: "300",
      },
    });
    try {
      await projectIn(running.stores, "shop");
      const { access, token } = mintAccess({ kind: "operator" }, "test", fixture.clock);
      await running.stores.access.add(access);
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const base = `${running.origin}/internal/v1/projects/shop/domains`;
      const body = JSON.stringify({ host: "docs.example.com" });
      const added = await fetch(base, { method: "POST", headers, body });
      expect(added.status).toBe(201);
      const stream = await fetch(`${base}/docs.example.com/events`, { headers });
      const events = reading(stream, () => {});
      expect(await events.news()).toBe("retry: 2000");
      expect(statusIn(await events.news())).toBe("pending_dns");
      // Whoever goes away frees a place: sixteen are all that one may have.
      for (let round = 0; round < 40; round++) {
        const gone = new AbortController();
        const leaving = await fetch(`${base}/docs.example.com/events`, {
          headers,
          signal: gone.signal,
        });
        if (leaving.status === 200) await leaving.body?.getReader().read();
        gone.abort();
      }
      let [status, tries] = [0, 0];
      for (; status !== 200 && tries < 1_000; tries++) {
        const last = await fetch(`${base}/docs.example.com/events`, { headers });
        status = last.status;
        await last.body?.cancel();
      }
      expect(status).toBe(200);
      // An API key opens nothing here, and an access token nothing there.
      const withKey = { authorization: `Bearer ${running.token}` };
      expect((await fetch(base, { headers: withKey })).status).toBe(401);
      expect((await fetch(`${running.base}/pets`, { headers })).status).toBe(401);
      const onSite = await fetch(base, { headers: { ...headers, host: "shop.localhost" } });
      expect([onSite.status, await onSite.text()]).not.toContain("docs.example.com");
      expect(onSite.status).toBe(404);
      expect(running.logged()).not.toContain(token.slice(13, 30));
      // Not by being broken off, which would take longer than this test may.
      await running.stop();
      expect(await events.news()).toBeUndefined();
    } catch (cause) {
      await running.stop().catch(() => {});
      throw cause;
    }
  });
});
