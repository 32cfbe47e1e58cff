/** petstore check, as a person or a build server meets it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { requestMsMax } from "../../src/check/caller.ts";
import { escaped, reportJunit, reportText } from "../../src/check/report.ts";
import { runChecks, runMsMax, Unreachable } from "../../src/check/runChecks.ts";
import { type Clock, systemClock } from "../../src/core/clock.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { CliFixture } from "../cli/cliFixture.ts";
import { startReference } from "./reference.ts";
import { referenceKey } from "./referenceService.ts";

let good: ReturnType<typeof startReference>;
let bad: ReturnType<typeof startReference>;
/** Says the key back, with everything that a report could stumble over. */
const nasty = `${referenceKey} <&"'>]]> \u0007\u001b[31m\ufffe\n`;
beforeAll(() => {
  good = startReference();
  bad = startReference({
    answered: (answered, { path }) => {
      if (path !== "/pets?limit=7") return;
      answered.status = 500;
      answered.body = JSON.stringify({ code: "x", message: nasty, status: 500 }) + nasty;
    },
  });
});
afterAll(() => {
  good.stop();
  bad.stop();
});

async function run(...argv: string[]) {
  await using cli = new CliFixture();
  return cli.run(argv);
}

describe("petstore check", () => {
  test("exits with 0 when all passed, one line a check and a closing line", async () => {
    const { code, out, err } = await run("check", good.base, "--key", referenceKey);
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(out).toStartWith("core: ");
    expect(out).toContain("\n  ✓ passed   list-bare-array\n");
    expect(out).toContain("\n  - skipped  get-removed-410  (");
    expect(out).toMatch(/\n\d+ passed, 0 failed, 1 skipped\n$/);
  });

  test("exits with 1 when one failed, and says what was expected, seen and asked", async () => {
    const { code, out } = await run("check", bad.base, "--key", referenceKey, "--only", "core");
    expect(code).toBe(1);
    expect(out).toContain("  ✗ failed   list-limit-7\n      promise   With limit=7, at most 7");
    expect(out).toContain(
      "\n      from      openapi: /paths/~1pets/get\n      expected  status 200\n",
    );
    expect(out).toContain('\n      seen      500 {"code":"x",');
    expect(out).toContain("\n      request   GET /pets?limit=7 → 500\n");
    expect(out).toMatch(/\n\d+ passed, 1 failed, 0 skipped\n$/);
  });

  test("takes the key from the environment", async () => {
    process.env["PETSTORE_CHECK_KEY"] = referenceKey;
    try {
      expect((await run("check", good.base, "--only", "contract")).code).toBe(0);
    } finally {
      delete process.env["PETSTORE_CHECK_KEY"];
    }
  });

  test("runs the parts that are asked for", async () => {
    const words = ["check", `${good.base}/`, "--key", referenceKey, "--only", "head,contract"];
    const { code, out } = await run(...words, "--json");
    expect(code).toBe(0);
    const report = JSON.parse(out);
    expect(report).toMatchObject({ baseUrl: good.base, passed: 11, failed: 0, skipped: 0 });
    const seen = new Set(report.checks.map(({ part }: { part: string }) => part));
    expect([...seen]).toEqual(["head", "contract"]);
    expect(report.checks.at(-1)).toEqual({
      id: "contract-deprecates-get",
      part: "contract",
      promise: "getPet is marked deprecated, with the date of its removal.",
      source: "guide/deprecation.md",
      outcome: "passed",
      expected: null,
      seen: null,
      reason: null,
      requests: ["GET /openapi.json → 200"],
      elapsedMs: expect.any(Number),
    });
  });

  test("shows the key nowhere, even when the service says it back", async () => {
    const words = ["check", bad.base, "--key", referenceKey, "--only", "core"];
    const { out } = await run(...words);
    const json = (await run(...words, "--json")).out;
    expect(out).toContain("<API_KEY>");
    for (const text of [out, json]) expect(text).not.toContain(referenceKey);
    expect(out).not.toContain("\u001b");
  });

  test.each([
    [["check"], "<base-url> is missing."],
    [["check", "http://127.0.0.1:1/v1"], "A key is needed: set PETSTORE_CHECK_KEY, or add --key"],
    [["check", "localhost:8080", "--key", "k"], 'not "localhost:8080".'],
    [
      ["check", "http://a:b@localhost/v1", "--key", "k"],
      "<base-url> must be an http or https address",
    ],
    [
      ["check", "http://localhost/v1?x=1", "--key", "k"],
      "<base-url> must be an http or https address",
    ],
    [["check", "http://localhost:8080", "--key", "k"], "Did you mean http://localhost:8080/v1?"],
    [["check", "http://localhost/api/v2/", "--key", "k"], "mean http://localhost/api/v1?"],
    [["check", "http://localhost/v1", "--key", "a b"], "visible ASCII characters only"],
    [["check", "http://localhost/v1", "--key", "k", "--only", "ordres"], "Did you mean orders?"],
    [
      ["check", "http://127.0.0.1:1/v1", "--key", "k"],
      "Unable to connect. Nothing was checked. Is the address right, and the service running?\n",
    ],
    [["check", "http://localhost/v1", "--key", "k", "--junit", "/nowhere/x.xml"], "Cannot write"],
  ])("exits with 2: %j", async (argv, said) => {
    const { code, out, err } = await run(...argv);
    expect(err).toContain(said);
    expect(code).toBe(2);
    expect(out).toBe("");
  });

  test("exits with 2 when the key is refused, and leaves no report behind", async () => {
    await using cli = new CliFixture();
    const file = cli.path("report.xml");
    const { code, err } = await cli.run(["check", good.base, "--key", "wrong", "--junit", file]);
    expect(code).toBe(2);
    expect(err).toContain(`${good.base} refused the key: 401`);
    expect(existsSync(file)).toBe(false);
  });

  test("writes a JUnit report, in place of the one before", async () => {
    await using cli = new CliFixture();
    const file = cli.path("report.xml");
    writeFileSync(file, "old");
    const words = ["check", bad.base, "--key", referenceKey, "--only", "core", "--junit", file];
    expect((await cli.run(words)).code).toBe(1);
    const xml = readFileSync(file, "utf8");
    expect(tagsOf(xml).filter((tag) => tag === "testcase").length).toBeGreaterThan(40);
    expect(tagsOf(xml).filter((tag) => tag === "failure")).toEqual(["failure"]);
    expect(xml).toMatch(/<testsuites name="petstore check" tests="\d+" failures="1" errors="0"/);
    expect(xml).toContain('<testcase classname="petstore.core" name="list-limit-7" ');
    expect(xml).not.toContain(referenceKey);
  });

  test("told to stop, it ends at once and leaves no report behind", async () => {
    await using cli = new CliFixture();
    const { base, stop } = startReference({ answered: () => cli.interrupt() });
    const before = readdirSync(cli.folder);
    const file = cli.path("report.xml");
    const words = ["check", base, "--key", referenceKey, "--junit", file];
    const { code, out, err } = await cli.run(words);
    stop();
    expect(err).toBe("petstore: Stopped. There is no report.\n");
    expect(out).toBe("");
    expect(code).toBe(130);
    expect(readdirSync(cli.folder)).toEqual(before);
  });

  test("prints the verdict and exits with 2 when the report cannot be written", async () => {
    await using cli = new CliFixture();
    const file = cli.path("report.xml");
    const { base, stop } = startReference({
      answered: () => void mkdirSync(file, { recursive: true }),
    });
    const words = ["check", base, "--key", referenceKey, "--only", "head", "--junit", file];
    const { code, out, err } = await cli.run(words);
    stop();
    expect(err).toStartWith(`petstore: ${file} is there and is not a plain file.`);
    expect(out).toMatch(/\n\d+ passed, 0 failed, 0 skipped\n$/);
    expect(code).toBe(2);
    expect(readdirSync(cli.folder).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  test.each([5_000, 20_000, 100_000, 1_000_000])(
    "fails the check that gets an answer nested %i deep, and goes on",
    async (depth) => {
      const { base, stop } = startReference({
        answered: (answered, { path }) => {
          if (path !== "/pets?limit=7") return;
          answered.body = `[${"[".repeat(depth)}${"]".repeat(depth)}]`;
        },
      });
      const { code, out, err } = await run("check", base, "--key", referenceKey, "--only", "core");
      stop();
      expect(err).toBe("");
      expect(out).toContain("  ✗ failed   list-limit-7\n");
      expect(out).toMatch(/\n\d+ passed, 1 failed, 0 skipped\n$/);
      expect(code).toBe(1);
    },
  );
});

test("a text of any characters is escaped into well-formed XML", () => {
  const text = `a<b>&"c" 'd' ]]> \u0000\u0008\u000b\u001f\ufffe\ud800 \t\n ok é 🐈`;
  const xml = `<x y="${escaped(text)}">${escaped(text)}</x>`;
  expect(tagsOf(xml)).toEqual(["x"]);
  expect(escaped("<&>\"'\u0000")).toBe("&lt;&amp;&gt;&quot;&apos;\ufffd");
  expect(escaped("é 🐈\t\n")).toBe("é 🐈\t\n");
});

/** The elements of a document. Throws where XML 1.0 is not kept. */
function tagsOf(xml: string): string[] {
  expect(xml.isWellFormed()).toBe(true);
  expect(xml).not.toMatch(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u);
  expect(xml).not.toMatch(/&(?!(?:amp|lt|gt|quot|apos);)/);
  const attribute = String.raw`\s+[\w:.-]+="[^"<]*"`;
  const token = new RegExp(
    String.raw`<\?xml[^?]*\?>|<(/?)([\w.-]+)((?:${attribute})*)\s*(/?)>`,
    "g",
  );
  const tags: string[] = [];
  const open: string[] = [];
  for (const [, end, name = "", , empty] of xml.matchAll(token)) {
    if (name === "") continue;
    if (end === "/") expect(open.pop()).toBe(name);
    else tags.push(name);
    if (end !== "/" && empty !== "/") open.push(name);
  }
  expect(open).toEqual([]);
  expect(xml.replace(token, "")).not.toMatch(/[<]|\]\]>/);
  return tags;
}

describe("a service that is slow", () => {
  const hanging = (answersFirst: number) => {
    let taken = 0;
    const asked = Promise.withResolvers<void>();
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 60,
      fetch: () => {
        if (taken++ < answersFirst) return Response.json([]);
        asked.resolve();
        return new Promise<Response>(() => {});
      },
    });
    const base = `http://127.0.0.1:${server.port}/v1`;
    return { base, asked: asked.promise, stop: () => server.stop(true) };
  };

  test("is given up after the time for a request", async () => {
    const { base, asked, stop } = hanging(0);
    const clock = fakeClock(0);
    const performed = runChecks({ base, key: "some-key", clock });
    await asked;
    clock.advance(requestMsMax);
    const failure = await performed.catch((cause: unknown) => cause);
    expect(failure).toBeInstanceOf(Unreachable);
    expect(String(failure)).toContain("gave no answer within 10 seconds.");
    stop();
  });

  test("cannot make a run longer than it may be, and what was not asked has not passed", async () => {
    const { base, asked, stop } = hanging(1);
    const clock = fakeClock(0);
    const performed = runChecks({ base, key: "some-key", clock });
    await asked;
    clock.advance(runMsMax);
    const verdict = await performed;
    expect(verdict.results.every(({ outcome }) => outcome.kind === "failed")).toBe(true);
    const last = verdict.results.at(-1)?.outcome;
    expect(last).toMatchObject({ seen: "no time left for this check" });
    expect(reportText(verdict)).toEndWith(" failed, 0 skipped\n");
    tagsOf(reportJunit(verdict));
    stop();
  });

  test("because it limits the rate is asked again when it says so", async () => {
    let refusals = 0;
    const limited = startReference({
      answered(answered) {
        if (refusals++ % 5 !== 0) return;
        answered.status = 429;
        answered.headers.set("retry-after", "1");
      },
    });
    const { base, stop } = limited;
    const hurried = { ...systemClock, after: hurriedAfter };
    const only = ["contract", "lifecycle"] as const;
    const verdict = await runChecks({ base, key: referenceKey, clock: hurried, only });
    const failed = verdict.results.filter(({ outcome }) => outcome.kind === "failed");
    expect(failed).toEqual([]);
    stop();
  });

  test("because it limits the rate for longer than the run is not failed for it", async () => {
    let asked = 0;
    const { base, stop } = startReference({
      answered(answered) {
        if (asked++ < 20) return;
        answered.status = 429;
        answered.headers.set("retry-after", "3600");
      },
    });
    const only = ["core"] as const;
    const { results } = await runChecks({ base, key: referenceKey, clock: systemClock, only });
    stop();
    expect(results.filter(({ outcome }) => outcome.kind === "failed")).toEqual([]);
    expect(results.at(-1)?.outcome).toEqual({ kind: "skipped", reason: "rate limited" });
  });

  test("because it limits the rate is waited for until the run is over", async () => {
    let asked = 0;
    const paused = Promise.withResolvers<void>();
    const { base, stop } = startReference({
      answered(answered) {
        if (asked++ === 0) return;
        answered.status = 429;
        answered.headers.set("retry-after", "1");
      },
    });
    const fake = fakeClock(0);
    const clock: Clock = {
      ...fake,
      after(delayMs, action) {
        if (delayMs === 1_000) paused.resolve();
        return fake.after(delayMs, action);
      },
    };
    const performed = runChecks({ base, key: referenceKey, clock, only: ["core"] });
    await paused.promise;
    fake.advance(runMsMax);
    const { results } = await performed;
    stop();
    const reasons = results.map(({ outcome }) => outcome.kind === "skipped" && outcome.reason);
    expect(new Set(reasons)).toEqual(new Set(["rate limited"]));
  });

  /** A second of waiting passes at once. */
  const hurriedAfter = (delayMs: number, action: () => void) =>
    systemClock.after(delayMs <= 1_000 ? 0 : delayMs, action);
});
