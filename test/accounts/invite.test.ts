/** Links to the dashboard on the command line. */
import { describe, expect, test } from "bun:test";
import type { CliContext, StartedService } from "../../src/cli/context.ts";
import { run } from "../../src/cli/run.ts";
import { hashToken } from "../../src/petstore/keys/token.ts";
import { CapturedOutput, CliFixture } from "../cli/cliFixture.ts";

async function withAcme(): Promise<CliFixture> {
  const cli = new CliFixture();
  await cli.json("owners", "add", "acme");
  return cli;
}

const linkForm = /http:\/\/127\.0\.0\.1:8080\/dashboard\/#\/welcome\/([\w-]{43})/;

describe("petstore owners invite", () => {
  test.each([
    [["acme"], "acme", { kind: "owner", id: "acme" }],
    [["--operator"], "operator", { kind: "operator" }],
  ] as const)(
    "%p makes a link that is stored as a hash alone, for a week",
    async (words, name, holder) => {
      await using cli = await withAcme();
      const made = await cli.json("owners", "invite", ...words);
      expect(made).toEqual({
        name,
        link: expect.stringMatching(linkForm),
        expiresAt: "2026-11-22T12:00:00.000Z",
        mailedTo: null,
      });
      const [, token = ""] = linkForm.exec(made.link) ?? [];
      await cli.withStores(async ({ accounts }) => {
        expect(await accounts.findLink(hashToken(token))).toMatchObject({ account: name, holder });
      });
    },
  );

  test("says how it is used, and ends an earlier link", async () => {
    await using cli = await withAcme();
    const first = await cli.run(["owners", "invite", "acme"]);
    expect([first.code, first.err]).toEqual([0, ""]);
    expect(first.out).toContain("It works once, until 2026-11-22T12:00:00.000Z:");
    expect(first.out).toContain("They sign in as acme from then on.");
    const second = await cli.run(["owners", "invite", "acme"]);
    const hashes = [first, second].map(({ out }) => hashToken(linkForm.exec(out)?.[1] ?? ""));
    await cli.withStores(async ({ accounts }) => {
      expect(await accounts.findLink(hashes[0] ?? "")).toBeUndefined();
      expect(await accounts.findLink(hashes[1] ?? "")).toBeDefined();
    });
  });

  test.each([
    [["nobody"], 1, 'There is no owner "nobody".'],
    [[], 2, "Name an owner, or give --operator: one of the two."],
    [["acme", "--operator"], 2, "Name an owner, or give --operator: one of the two."],
    [["operator"], 1, "An owner of this id cannot sign in"],
  ] as const)("%p is refused", async (words, code, said) => {
    await using cli = await withAcme();
    await cli.json("owners", "add", "operator");
    const refused = await cli.run(["owners", "invite", ...words]);
    expect([refused.code, refused.out]).toEqual([code, ""]);
    expect(refused.err).toContain(said);
  });
});

describe("petstore serve", () => {
  const started: StartedService = {
    baseUrl: "http://127.0.0.1:8080/v1",
    environment: "production",
    firstKey: "pet_live_key",
    hasKeys: true,
    dashboard: {
      address: "http://127.0.0.1:8080/dashboard/",
      firstLink: "http://127.0.0.1:8080/dashboard/#/welcome/abc",
    },
  };
  const later: StartedService = {
    ...started,
    firstKey: undefined,
    dashboard: { address: "http://127.0.0.1:8080/dashboard/", firstLink: undefined },
  };
  const said = async (service: StartedService, ...options: string[]) => {
    await using cli = new CliFixture();
    const stdout = new CapturedOutput();
    const serve: CliContext["serve"] = async (_settings, announce) => announce(service);
    expect(await run(["serve", ...options], cli.context({ serve, stdout }))).toBe(0);
    return stdout.text;
  };

  test("shows the first link beside the first key, and later how to get one", async () => {
    const text = await said(started);
    expect(text).toContain("\n  http://127.0.0.1:8080/dashboard/#/welcome/abc\n");
    expect(text).toContain("pet_live_key");
    const again = await said(later);
    expect(again).toContain("The dashboard is at http://127.0.0.1:8080/dashboard/.");
    expect(again).toContain("petstore owners invite --operator");
    expect(again).not.toContain("welcome");
  });

  test("says the same as one JSON value", async () => {
    expect(JSON.parse(await said(started, "--json"))).toMatchObject({
      dashboard: "http://127.0.0.1:8080/dashboard/",
      dashboardLink: "http://127.0.0.1:8080/dashboard/#/welcome/abc",
    });
    expect(JSON.parse(await said(later, "--json"))).toMatchObject({ dashboardLink: null });
  });
});
