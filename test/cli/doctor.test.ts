import { expect, test } from "bun:test";
import { run } from "../../src/cli/run.ts";
import type { SetupObservation } from "../../src/hosting/domains/setupChecks.ts";
import { CapturedOutput, CliFixture } from "./cliFixture.ts";

const seen: SetupObservation = {
  domains: undefined,
  database: { kind: "none", path: "/data/petstore.db" },
  disk: { folder: "/data", freeBytes: undefined, refused: undefined, syncMs: undefined },
  connectionsPossible: 10_000,
};

async function doctor(observed: Partial<SetupObservation>, ...argv: string[]) {
  await using cli = new CliFixture();
  const [stdout, stderr] = [new CapturedOutput(), new CapturedOutput()];
  let settings: Readonly<Record<string, string>> = {};
  const context = cli.context({
    stdout,
    stderr,
    async observeSetup(given) {
      settings = given;
      return { ...seen, ...observed };
    },
  });
  const code = await run(["doctor", ...argv], context);
  return { code, out: stdout.text, err: stderr.text, settings };
}

test("says what was seen in one line for each check, and exits with 0 where all is well", async () => {
  const { code, out, err } = await doctor({});
  expect([code, err]).toEqual([0, ""]);
  expect(out).toBe(
    [
      "ok  database  There is none at /data/petstore.db yet. The first start makes it.",
      "ok  disk      /data can be written to.",
      "ok  files     The limit on open files is high enough.",
      "Everything is ready.",
      "No domain is set, so DNS, ports and the certificate authority were not checked: add --domain <host>.",
      "",
    ].join("\n"),
  );
});

test("says what to do about a problem, and exits with 1; a warning leaves it at 0", async () => {
  const { code, out } = await doctor({ disk: { ...seen.disk, refused: "EACCES" } });
  expect(code).toBe(1);
  expect(out).toContain("problem  disk      Nothing can be written to /data (EACCES).\n");
  expect(out).toContain("                   → Make the folder writable for this user");
  expect(out).toContain("1 problem, 0 warnings.\n");
  const few = await doctor({ connectionsPossible: 500 });
  expect(few.code).toBe(0);
  expect(few.out).toContain("0 problems, 1 warning.\n");
});

test("gives programs the same", async () => {
  const { code, out } = await doctor({ connectionsPossible: 20 }, "--json");
  expect(code).toBe(1);
  const { checks, ...counts } = JSON.parse(out);
  expect(counts).toEqual({ problems: 1, warnings: 0 });
  expect(checks.at(-1)).toEqual({
    check: "files",
    verdict: "problem",
    seen: "The limit on open files leaves room for 20 connections.",
    next: expect.stringContaining("ulimit -n 65536"),
  });
});

test("takes the name to check, and needs no agreement to terms, since it orders nothing", async () => {
  const { settings } = await doctor({}, "--domain", "api.example.com");
  expect(settings).toEqual({ PETSTORE_DOMAIN: "api.example.com" });
  expect((await doctor({})).settings).toEqual({});
});
