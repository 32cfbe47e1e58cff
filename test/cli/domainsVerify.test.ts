import { describe, expect, test } from "bun:test";
import { readConfig } from "../../src/config/config.ts";
import type { Finding } from "../../src/hosting/domains/finding.ts";
import { domainSettings } from "../../src/serve/serveDashboard.ts";
import type { CliFixture } from "./cliFixture.ts";
import { cliWithDomains, decided, target, typesWaiting } from "./cliWithDomains.ts";

const docs = "docs.example.com";
const verify = ["domains", "verify", docs];
const finding = (code: Finding["code"], more: Partial<Finding> = {}): Finding => ({
  code,
  message: `It is ${code}.`,
  ...more,
});

async function shopWithDocs(): Promise<CliFixture> {
  const cli = await cliWithDomains();
  await cli.json("domains", "add", "shop", docs);
  return cli;
}

const wrong = (cli: CliFixture, ...findings: Finding[]) =>
  decided(cli, docs, { dns: { verdict: "wrong", findings } });
const unsure = (cli: CliFixture, ...findings: Finding[]) =>
  decided(cli, docs, { dns: { findings } });
const right = (cli: CliFixture) =>
  decided(cli, docs, { dns: { verdict: "right" }, issuance: { ordering: true } });
const live = (cli: CliFixture) => decided(cli, docs, { dns: { verdict: "right" }, live: true });

describe("domains verify", () => {
  test("asks for a check, and not again in a hurry", async () => {
    await using cli = await shopWithDocs();
    const first = await cli.run(verify);
    expect([first.code, first.out]).toEqual([0, expect.stringContaining("was asked for")]);
    const again = await cli.run(verify);
    expect([again.code, again.out]).toEqual([1, ""]);
    expect(again.err).toContain("Try again in 10 seconds.");
    cli.clock.advance(10_000);
    expect(await cli.json(...verify)).toMatchObject({ nextAt: "2026-11-15T12:00:10.000Z" });
  });

  test.each([
    [["--timeout", "5m"], "--timeout is for --wait."],
    [["--wait", "--timeout", "soon"], "--timeout must be a time"],
    [["--wait", "--timeout", "0s"], "--timeout must be longer than 0s."],
  ])("%j is not understood", async (more, message) => {
    await using cli = await shopWithDocs();
    const { code, err } = await cli.run([...verify, ...more]);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("domains verify --wait", () => {
  test("tells each change on stderr and ends well once it is live", async () => {
    await using cli = await shopWithDocs();
    const { code, out, err } = await typesWaiting(
      cli,
      [...verify, "--wait"],
      [
        () => unsure(cli, finding("STALE_CACHE", { seconds: 60 })),
        () => undefined,
        () => right(cli),
        () => live(cli),
      ],
    );
    expect([code, out]).toEqual([0, `${docs} is live: https://${docs}/\n`]);
    expect(err).toBe(
      [
        `${docs}: waiting for DNS`,
        `${docs}: waiting for DNS (STALE_CACHE)`,
        `${docs}: a certificate is being issued`,
        `${docs}: served over HTTPS`,
        "",
      ].join("\n"),
    );
  });

  test("ends with 1 where the owner must act, and says what to do", async () => {
    await using cli = await shopWithDocs();
    const mismatch = finding("CNAME_MISMATCH", { next: "Change its value.", found: ["CNAME x.y"] });
    const { code, out } = await typesWaiting(
      cli,
      [...verify, "--wait"],
      [() => wrong(cli, mismatch)],
    );
    expect(code).toBe(1);
    expect(out).toContain("its owner has something to do");
    expect(out).toContain("CNAME_MISMATCH: It is CNAME_MISMATCH.");
    expect(out).toContain("Next: Change its value.");
  });

  test("is not taken in by what an earlier check had found", async () => {
    await using cli = await shopWithDocs();
    await wrong(cli, finding("NO_CNAME"));
    cli.clock.advance(60_000);
    const { code } = await typesWaiting(
      cli,
      [...verify, "--wait"],
      [() => undefined, () => live(cli)],
    );
    expect(code).toBe(0);
  });

  test("is not taken in by an order that was refused before", async () => {
    await using cli = await shopWithDocs();
    const refusal = {
      reason: "caa",
      atMs: cli.clock.now(),
      findings: [finding("CAA_BLOCKS")],
    } as const;
    const nextAttemptAtMs = cli.clock.now() + 3_600_000;
    const refused = { dns: { verdict: "right" }, issuance: { refusal, nextAttemptAtMs } } as const;
    await decided(cli, docs, refused);
    cli.clock.advance(60_000);
    const askedAtMs = cli.clock.now();
    const checkedOnly = { ...refused.issuance, nextAttemptAtMs: askedAtMs };
    const { code, err } = await typesWaiting(
      cli,
      [...verify, "--wait"],
      [() => decided(cli, docs, { ...refused, issuance: checkedOnly }), () => live(cli)],
    );
    expect(err).toContain("CAA_BLOCKS");
    expect(code).toBe(0);
    // Refused anew, it is for the owner.
    await cli.json("domains", "remove", docs);
    await cli.json("domains", "add", "shop", docs);
    const again = await typesWaiting(
      cli,
      [...verify, "--wait"],
      [
        () =>
          decided(cli, docs, {
            ...refused,
            issuance: { refusal, nextAttemptAtMs: cli.clock.now() + 60_000 },
          }),
      ],
    );
    expect([again.code, again.out]).toEqual([1, expect.stringContaining("CAA_BLOCKS")]);
  });

  test("waits while name servers disagree", async () => {
    await using cli = await shopWithDocs();
    const { code } = await typesWaiting(
      cli,
      [...verify, "--wait"],
      [() => unsure(cli, finding("NS_DISAGREE"), finding("NO_CNAME")), () => live(cli)],
    );
    expect(code).toBe(0);
  });

  test("does not wait for what will not be tried in time", async () => {
    await using cli = await shopWithDocs();
    const startedMs = cli.clock.now();
    const refusal = {
      reason: "rate_limited",
      atMs: startedMs,
      findings: [finding("RATE_LIMITED")],
    } as const;
    const nextAttemptAtMs = startedMs + 7_200_000;
    const { code, out } = await typesWaiting(
      cli,
      [...verify, "--wait"],
      [
        () =>
          decided(cli, docs, {
            dns: { verdict: "right" },
            issuance: { refusal, nextAttemptAtMs },
          }),
      ],
    );
    expect([code, out]).toEqual([
      1,
      expect.stringContaining(
        "nothing is tried again before 2026-11-15 14:00 UTC (in 120 minutes).",
      ),
    ]);
    expect(cli.clock.now() - startedMs).toBeLessThan(10_000);
  });

  const halfMinute = [...verify, "--wait", "--timeout", "30s"];

  test("gives up when the time is over, while the checks go on", async () => {
    await using cli = await shopWithDocs();
    const startedMs = cli.clock.now();
    const { code, out } = await typesWaiting(cli, halfMinute, [
      () => unsure(cli, finding("SERVFAIL")),
    ]);
    expect(code).toBe(1);
    expect(out).toStartWith(
      `${docs} is not live yet (pending_dns). Checks continue automatically.\n`,
    );
    expect(cli.clock.now() - startedMs).toBe(30_000);
  });

  test("where nothing checks, wonders why and in the end says what is missing", async () => {
    await using cli = await shopWithDocs();
    await wrong(cli, finding("NO_CNAME"));
    cli.clock.advance(60_000);
    const { code, out, err } = await typesWaiting(cli, halfMinute);
    expect(err.match(/Nothing has checked it yet/g)).toHaveLength(1);
    expect(code).toBe(1);
    expect(out).toStartWith(
      `${docs} is not live (misconfigured), and nothing has checked it: it seems that no service with the role worker is running on this store. Start one with petstore serve.\n`,
    );
    expect(out).not.toContain("Checks continue automatically");
  });

  test.each([
    ["live", 1],
    ["degraded", 3],
  ])("of a name that is %s says that it is served, and what to fix", async (status, failures) => {
    await using cli = await shopWithDocs();
    await live(cli);
    cli.clock.advance(60_000);
    const drifted = { failures, findings: [finding("CNAME_MISMATCH")] };
    const { code, out } = await typesWaiting(
      cli,
      [...verify, "--wait"],
      [() => decided(cli, docs, { dns: drifted })],
    );
    expect(code).toBe(1);
    expect(out).toStartWith(
      `${docs} is still served (${status}), but its owner has something to do.\n`,
    );
    expect(out).toContain("CNAME_MISMATCH: It is");
  });

  test("soon after another check waits for that one", async () => {
    await using cli = await shopWithDocs();
    await cli.json(...verify);
    cli.clock.advance(4_000);
    const { code, out, err } = await typesWaiting(
      cli,
      [...verify, "--wait"],
      [() => right(cli), () => live(cli)],
    );
    expect([code, out]).toEqual([0, `${docs} is live: https://${docs}/\n`]);
    expect(err).toStartWith("A check was asked for 4 seconds ago. Waiting for that one.\n");
  });

  test("too often within an hour is refused all the same", async () => {
    await using cli = await shopWithDocs();
    for (let clicks = 0; clicks < 20; clicks++) {
      await cli.json(...verify);
      cli.clock.advance(20_000);
    }
    const { code, err } = await typesWaiting(cli, [...verify, "--wait", "--json"]);
    expect([code, JSON.parse(err)]).toEqual([1, expect.objectContaining({ exitCode: 1 })]);
    expect(JSON.parse(err).code).toBe("verify_too_soon");
  });

  test("goes on while a certificate is being had, whatever an attempt before found", async () => {
    await using cli = await shopWithDocs();
    const issuance = (ordering: boolean) => ({
      ordering,
      refusal: {
        reason: "authorization_failed",
        atMs: cli.clock.now(),
        findings: [finding("AUTHORIZATION_FAILED")],
      } as const,
      nextAttemptAtMs: cli.clock.now() + 60_000,
    });
    const issuing = (ordering: boolean) =>
      decided(cli, docs, { dns: { verdict: "right" }, issuance: issuance(ordering) });
    const { code, err } = await typesWaiting(
      cli,
      [...verify, "--wait"],
      [() => issuing(false), () => issuing(true), () => live(cli)],
    );
    expect(err).toContain(`${docs}: a certificate is being issued (AUTHORIZATION_FAILED)`);
    expect(code).toBe(0);
  });

  test("names the port where it is not the usual one", async () => {
    await using cli = await shopWithDocs();
    const { context } = cli;
    cli.context = (parts) => {
      const made = context.call(cli, parts);
      return {
        ...made,
        domainSettings: () => ({ ...made.domainSettings(), publicHttpsPort: 8443 }),
      };
    };
    const { out } = await typesWaiting(cli, [...verify, "--wait"], [() => live(cli)]);
    expect(out).toBe(`${docs} is live: https://${docs}:8443/\n`);
    const variables = { PETSTORE_SITES_HOST: target, PETSTORE_ACME_TERMS: "agreed" };
    const port = (more: Record<string, string>) =>
      domainSettings(readConfig({ ...variables, ...more })).publicHttpsPort;
    expect(port({ PETSTORE_EDGE_PUBLIC_HTTPS_PORT: "8443" })).toBe(8443);
    expect(port({})).toBe(443);
  });

  test("ends when the name is removed meanwhile", async () => {
    await using cli = await shopWithDocs();
    const { code, out } = await typesWaiting(
      cli,
      [...verify, "--wait", "--json"],
      [() => cli.json("domains", "remove", docs)],
    );
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ status: "removed", outcome: "owner_must_act" });
    expect(JSON.parse(out)).not.toHaveProperty("timeline");
  });

  test("can be stopped", async () => {
    await using cli = await shopWithDocs();
    const { code, err } = await typesWaiting(cli, [...verify, "--wait"], [() => cli.interrupt()]);
    expect([code, err]).toEqual([
      130,
      expect.stringContaining("The check continues in the service."),
    ]);
  });
});
