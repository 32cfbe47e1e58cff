/** The checks themselves, and our own service before them. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { parts } from "../../src/check/check.ts";
import { checks } from "../../src/check/checks.ts";
import { type RunReport, runChecks } from "../../src/check/runChecks.ts";
import document from "../../src/contract/generated/document.json" with { type: "json" };
import { type Clock, systemClock } from "../../src/core/clock.ts";
import { petText } from "../../src/petstore/catalogue/pet.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";
import { startReference } from "./reference.ts";
import { type Fault, referenceKey } from "./referenceService.ts";

const outcomes = ({ results }: RunReport, kind: string) =>
  results
    .filter(({ outcome }) => outcome.kind === kind)
    .map(({ check, outcome }) => (kind === "failed" ? { id: check.id, ...outcome } : check.id));

async function withService<T>(
  options: Parameters<typeof startTestService>[0],
  work: (service: TestService) => Promise<T>,
): Promise<T> {
  const service = await startTestService(options);
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

describe("our service", () => {
  test("keeps every promise", async () => {
    const variables = { PETSTORE_RATE_LIMIT: "1000000/1" };
    const pet = { name: "petstore check", categoryId: 1n, status: "available" } as const;
    const verdict = await withService({ variables }, async ({ base, token, stores }) => {
      await stores.categories.add("Dogs");
      await stores.categories.add("Cats");
      await stores.catalogue.add(pet);
      const report = await runChecks({ base, key: token, clock: systemClock });
      // Whatever was there stays, and nothing else.
      expect((await stores.catalogue.list({ limit: 100 })).pets).toEqual([
        petText({ id: 1n, ...pet }),
      ]);
      const { categories } = await stores.categories.list({ limit: 100 });
      expect(categories.map(({ name }) => name)).toEqual(["Dogs", "Cats"]);
      for (const status of ["placed", "approved"] as const) {
        expect((await stores.orders.list({ limit: 100, status })).orders).toEqual([]);
      }
      expect((await stores.orders.list({ limit: 100 })).orders.length).toBeGreaterThan(5);
      return report;
    });
    expect(verdict.petsLeft).toBe(0);
    expect(outcomes(verdict, "failed")).toEqual([]);
    expect(outcomes(verdict, "skipped")).toEqual(["get-removed-410"]);
  });

  test("keeps the core promises while it limits the rate", async () => {
    const variables = { PETSTORE_RATE_LIMIT: "30/1" };
    const verdict = await withService({ variables }, ({ base, token }) =>
      runChecks({ base, key: token, clock: systemClock, only: ["core"] }),
    );
    expect(outcomes(verdict, "failed")).toEqual([]);
    expect(outcomes(verdict, "skipped")).toEqual([]);
  });

  test("keeps them a second time, on the data of the first", async () => {
    const verdict = await withService({}, async ({ base, token }) => {
      await runChecks({ base, key: token, clock: systemClock });
      return runChecks({ base, key: token, clock: systemClock });
    });
    expect(outcomes(verdict, "failed")).toEqual([]);
  });

  test("keeps them after the end of getPet, which is then answered 410", async () => {
    const endMs = Date.parse("2030-12-05T00:00:00Z");
    const startedMs = systemClock.elapsed();
    const clock: Clock = {
      ...systemClock,
      now: () => endMs + Math.floor(systemClock.elapsed() - startedMs),
    };
    const verdict = await withService({ clock }, ({ base, token }) =>
      runChecks({ base, key: token, clock }),
    );
    expect(outcomes(verdict, "failed")).toEqual([]);
    expect(outcomes(verdict, "passed")).toContain("get-removed-410");
    expect(outcomes(verdict, "skipped")).toContain("get-returns-pet");
  });

  test("that goes on answering getPet after its end is found out", async () => {
    const clock: Clock = { ...systemClock, now: () => Date.parse("2031-01-01T00:00:00Z") };
    const { base, stop } = startReference();
    const only = ["lifecycle"] as const;
    const verdict = await runChecks({ base, key: referenceKey, clock, only });
    stop();
    expect(outcomes(verdict, "failed")).toMatchObject([{ id: "get-removed-410" }]);
  });
});

describe("a service that implements nothing but the core", () => {
  /** Our decisions decided otherwise, or not at all. */
  const bare: Partial<Fault> = {
    inside: "no default",
    asked(asked) {
      const [path = "", search] = asked.path.split("?");
      const query = new URLSearchParams(search);
      query.delete("id");
      query.delete("cursor");
      const limit = Number(query.get("limit"));
      if (query.has("limit") && !(limit >= 1)) query.set("limit", "1");
      if (limit > 100) query.set("limit", "100");
      asked.path = query.size > 0 ? `${path}?${query}` : path;
      const known = ["authorization", "content-type"];
      for (const name of [...asked.headers.keys()]) {
        if (!known.includes(name)) asked.headers.delete(name);
      }
    },
    answered(answered, { path }) {
      const type = answered.headers.get("content-type");
      for (const name of [...answered.headers.keys()]) answered.headers.delete(name);
      answered.headers.set("content-type", `${type}; charset=utf-8`);
      if (!path.startsWith("/pets")) answered.status = 404;
      if (answered.status >= 400) {
        const { status } = answered;
        answered.body = JSON.stringify({ code: "E1", message: "No.", status, hint: "?" });
      }
    },
  };

  test("passes the part core", async () => {
    const { base, stop } = startReference(bare);
    const only = ["core"] as const;
    const verdict = await runChecks({ base, key: referenceKey, clock: systemClock, only });
    stop();
    expect(outcomes(verdict, "failed")).toEqual([]);
    expect(verdict.results.length).toBeGreaterThan(40);
  });
});

test("what needs a scope that the key lacks is skipped", async () => {
  const { base, stop } = startReference({
    answered(answered, { method, path }) {
      const isScoped = `${method} ${path}` === "POST /categories" || path.startsWith("/events");
      if (!isScoped || answered.status === 401) return;
      delete answered.follow;
      answered.status = 403;
      answered.headers.set("content-type", "application/json");
      const error = { code: "insufficient_scope", message: "No.", status: 403 };
      answered.body = JSON.stringify(error);
    },
  });
  const only = ["categories", "events"] as const;
  const verdict = await runChecks({ base, key: referenceKey, clock: systemClock, only });
  stop();
  expect(outcomes(verdict, "failed")).toEqual([]);
  expect(outcomes(verdict, "skipped")).toContain("category-create");
  const events = verdict.results.filter(({ check }) => check.part === "events");
  const passed = events.filter(({ outcome }) => outcome.kind === "passed");
  expect(passed.map(({ check }) => check.id)).toEqual(["events-need-key"]);
});

describe("the checks", () => {
  test("are many, each with an id of its own", () => {
    expect(checks.length).toBeGreaterThanOrEqual(80);
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
    for (const { id } of checks) expect(id).toMatch(/^[a-z0-9]+(-[A-Za-z0-9]+)*$/);
  });

  test("fill every part", () => {
    expect(Object.keys(parts)).toEqual([...new Set(checks.map(({ part }) => part))]);
  });

  test("say in a sentence what must hold", () => {
    for (const { promise } of checks) expect(promise).toMatch(/^\S.*\.$/);
  });

  test.each([...new Set(checks.map(({ source }) => source))])(
    "cite what is there: %s",
    (source) => {
      const [kind = "", place = ""] = source.includes(": ") ? source.split(": ") : ["docs", source];
      if (kind === "docs") {
        return expect(existsSync(new URL(`../../docs/${place}`, import.meta.url))).toBe(true);
      }
      expect(kind).toBe("openapi");
      const steps = place.slice(1).split("/");
      const found = steps.reduce<unknown>(
        (node, step) => (node as Record<string, unknown>)?.[step.replaceAll("~1", "/")],
        document,
      );
      expect(found).toBeDefined();
    },
  );

  test("and their parts are told in the guide", () => {
    const guide = readFileSync(new URL("../../docs/guide/check.md", import.meta.url), "utf8");
    for (const part of Object.keys(parts)) expect(guide).toContain(`| \`${part}\` `);
  });
});
