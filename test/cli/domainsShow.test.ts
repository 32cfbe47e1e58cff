import { describe, expect, test } from "bun:test";
import type { CaAttempt, TimelineEntry } from "../../src/hosting/domains/domains.ts";
import type { Finding } from "../../src/hosting/domains/finding.ts";
import * as lifecycle from "../../src/hosting/domains/lifecycle.ts";
import { changeIn, deployIn } from "../store/domainSamples.ts";
import { type CliFixture, dayMs } from "./cliFixture.ts";
import { cliWithDomains, decided, live, targetOf } from "./cliWithDomains.ts";

const docs = "docs.example.com";
const show = ["domains", "show", docs];

async function shopWithDocs(): Promise<CliFixture> {
  const cli = await cliWithDomains();
  await cli.json("domains", "add", "shop", docs);
  return cli;
}

const checkedEntry = (atMs: number, finding: Finding): TimelineEntry => ({
  atMs,
  event: "dns_checked",
  message: finding.message,
  findings: [finding],
  answers: [],
});

describe("the timeline", () => {
  test("has its columns aligned and the seconds, and repeats no finding that is shown", async () => {
    await using cli = await shopWithDocs();
    const now: Finding = { code: "NO_CNAME", message: "There is no CNAME." };
    const before: Finding = { code: "NXDOMAIN", message: "The name is not in DNS." };
    cli.clock.advance(7_000);
    const atMs = cli.clock.now();
    const entries = [checkedEntry(atMs - 2_000, before), checkedEntry(atMs, now)];
    await decided(cli, docs, { dns: { verdict: "wrong", findings: [now] }, entries });
    const { out } = await cli.run(show);
    expect(out.match(/There is no CNAME\./g)).toHaveLength(1);
    expect(out.slice(out.indexOf("Timeline"))).toBe(
      [
        "Timeline, newest first:",
        "  2026-11-15 12:00:07 UTC  dns_checked  NO_CNAME, as above",
        "  2026-11-15 12:00:05 UTC  dns_checked  The name is not in DNS.",
        `  2026-11-15 12:00:00 UTC  added        ${docs} was added to shop.`,
        "",
      ].join("\n"),
    );
  });

  test("is for programs that ask for it", async () => {
    await using cli = await shopWithDocs();
    expect(await cli.json(...show)).not.toHaveProperty("timeline");
    expect((await cli.json(...show, "--timeline")).timeline).toMatchObject([{ event: "added" }]);
    expect(await cli.json("domains", "verify", docs)).not.toHaveProperty("timeline");
  });
});

describe("what is used of the authority's limits", () => {
  const failures = (cli: CliFixture, count: number) =>
    cli.withStores(async (stores) => {
      const [claim] = await stores.domains.claimsOn(docs);
      if (claim === undefined) throw new Error(`${docs} should be attached.`);
      const attempts = Array.from(
        { length: count },
        (): CaAttempt => ({
          host: docs,
          registrable: "example.com",
          kind: "failed_authorization",
          atMs: cli.clock.now(),
        }),
      );
      await changeIn(stores, claim.domain, { attempts });
    });

  test("is told once it is half of one", async () => {
    await using cli = await shopWithDocs();
    await failures(cli, 1);
    expect((await cli.run(show)).out).not.toContain("Our limits");
    await failures(cli, 1);
    const { out } = await cli.run(show);
    expect(out).toMatch(/^Our limits +2 of 4 failed attempts for this name within an hour$/m);
    expect(out.match(/ of \d+ /g)).toHaveLength(1);
  });
});

test("for how long caches remember is said once, for what takes longest", async () => {
  await using cli = await shopWithDocs();
  const findings: Finding[] = [
    { code: "CONFLICTING_A", message: "It has an A record.", seconds: 60 },
    {
      code: "STALE_CACHE",
      message: "Resolvers still remember what was there before, for 300 seconds at most.",
      seconds: 300,
    },
  ];
  await decided(cli, docs, { dns: { findings } });
  cli.clock.advance(100_000);
  const { out } = await cli.run(show);
  expect(out).toContain("STALE_CACHE: Resolvers still remember what was there before.\n");
  expect(out.match(/remember this.*/g)).toEqual([
    "remember this for 3 min 20 s more, until 2026-11-15 12:05 UTC.",
  ]);
});

test("a name of another script is listed as people read it too", async () => {
  await using cli = await cliWithDomains();
  await cli.json("domains", "add", "shop", "bücher.example");
  expect((await cli.run(["domains", "list"])).out).toMatch(
    /^xn--bcher-kva\.example \(bücher\.example\) +shop /m,
  );
});

test("the time that DNS may take is counted down, and its end is a finding", async () => {
  await using cli = await shopWithDocs();
  const hourMs = dayMs / 24;
  cli.clock.advance(hourMs);
  const { out } = await cli.run(show);
  expect(out).toMatch(
    /^DNS change +usually shows within minutes; allow until 2026-11-17 12:00 UTC \(in 47 hours\)$/m,
  );
  expect(out).toMatch(
    /^Checks end +2026-12-15 12:00 UTC \(in \S+ \w+\), unless DNS is right by then$/m,
  );
  expect(await cli.json(...show)).toMatchObject({
    propagatedBy: "2026-11-17T12:00:00.000Z",
    abandonAt: "2026-12-15T12:00:00.000Z",
  });
  cli.clock.advance(47 * hourMs);
  const late = (await cli.run(show)).out;
  expect(late).toContain("PROPAGATION_OVERDUE: DNS is not right after 48 hours");
  expect(late).toContain("\nNext: Compare the record at your DNS provider with the one shown");
  expect(late).not.toMatch(/^DNS change /m);
  await live(cli, docs);
  expect((await cli.run(show)).out).not.toMatch(/^(DNS change|Checks end|PROPAGATION_OVERDUE)/m);
});

describe("a name that was given up", () => {
  const list = ["domains", "list", "shop"];

  async function givenUp(): Promise<CliFixture> {
    const cli = await shopWithDocs();
    await cli.withStores(async (stores) => {
      const [claim] = await stores.domains.claimsOn(docs);
      if (claim === undefined) throw new Error(`${docs} should be attached.`);
      await changeIn(stores, lifecycle.abandoned(claim.domain, cli.clock.now()));
    });
    return cli;
  }

  test("stays in the lists, and starts again when it is added again", async () => {
    await using cli = await givenUp();
    expect((await cli.run(list)).out).toMatch(/^docs\.example\.com +shop +abandoned *$/m);
    for (const typed of [list, ["domains", "list"]]) {
      expect(await cli.json(...typed)).toMatchObject([{ host: docs, status: "abandoned" }]);
    }
    await cli.json("domains", "add", "shop", docs);
    expect(await cli.json(...list)).toMatchObject([{ host: docs, status: "pending_dns" }]);
    await cli.json("domains", "remove", docs);
    expect(await cli.json(...list)).toEqual([]);
  });

  test("goes from the lists when it is removed", async () => {
    await using cli = await givenUp();
    const { code, out } = await cli.run(["domains", "remove", docs]);
    expect([code, out]).toEqual([0, expect.stringContaining(`Removed ${docs} from shop.`)]);
    expect(await cli.json(...list)).toEqual([]);
    expect((await cli.run(["domains", "remove", docs])).err).toContain("is not attached");
  });
});

describe("a claim that ended", () => {
  test("is shown without a role, and with why it is still looked at", async () => {
    await using cli = await shopWithDocs();
    await cli.json("domains", "remove", docs);
    const { code, out } = await cli.run(show);
    expect(code).toBe(0);
    expect(out).not.toMatch(/^(Role|Certificate) /m);
    expect(out).toMatch(/^Status +removed: taken off its project$/m);
    expect(out).toMatch(
      /^Next check +2026-11-16 12:00 UTC \(in 24 hours\): once a day for 30 days, whether the record still points here$/m,
    );
  });

  test("is the one that ended last, whichever was added last", async () => {
    await using cli = await shopWithDocs();
    cli.clock.advance(dayMs);
    await cli.json("domains", "add", "rival", docs);
    cli.clock.advance(dayMs);
    await cli.json("domains", "remove", docs, "--project", "rival");
    cli.clock.advance(dayMs);
    await cli.json("domains", "remove", docs, "--project", "shop");
    expect(await cli.json(...show)).toMatchObject({ project: "shop", status: "removed" });
  });
});

describe("a stranger's claim that is not proven", () => {
  async function contested(): Promise<CliFixture> {
    const cli = await shopWithDocs();
    await live(cli, docs);
    await cli.json("domains", "add", "rival", docs);
    return cli;
  }

  test("does not stand in the way of who holds the name, and the operator hears of it", async () => {
    await using cli = await contested();
    const { code, out } = await cli.run(show);
    expect(code).toBe(0);
    expect(out).toMatch(/^Project +shop$/m);
    expect(out).toMatch(
      /^Also claimed +by rival, not proven; see petstore domains show docs\.example\.com --project rival$/m,
    );
    expect(await cli.json(...show)).toMatchObject({ project: "shop", alsoClaimedBy: ["rival"] });
    const rival = await cli.json(...show, "--project", "rival");
    expect(rival).toMatchObject({ project: "rival", alsoClaimedBy: ["shop"] });
    expect((await cli.run([...show, "--project", "rival"])).out).toMatch(
      /^Also claimed +by shop, which holds it; /m,
    );
    await cli.json("domains", "primary", docs);
    expect(await cli.json("domains", "routing", "shop")).toMatchObject({ primary: docs });
    await cli.json("domains", "remove", docs, "--yes");
    expect((await cli.json("domains", "list"))[0]).toMatchObject({ project: "rival" });
  });

  test("is asked about where nobody holds the name", async () => {
    await using cli = await contested();
    await cli.json("domains", "add", "third", docs);
    await cli.json("domains", "remove", docs);
    const { code, err } = await cli.run(show);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("claimed by rival and third. Say which is meant with --project"),
    ]);
    expect(await cli.json(...show, "--project", "third")).toMatchObject({ project: "third" });
  });

  test("is removed with the record that it asked for, for nothing of it was served", async () => {
    await using cli = await contested();
    const own = await targetOf(cli, docs);
    const { out } = await cli.run(["domains", "remove", docs, "--project", "rival"]);
    expect(out).toBe(
      `Removed ${docs} from rival. It was never proven, so nothing was served from it.\nNow delete the CNAME record of ${docs} with the value ${own} at the DNS provider.\n`,
    );
  });
});

describe("a refusal", () => {
  test.each([
    [["show", "www.example.com"], "domain_not_found"],
    [["show", "https://x"], "host_invalid"],
    [["list", "none"], "project_not_found"],
    [["add", "shop", docs], "already_attached"],
    [["add", "shop", "https://x"], "host_invalid"],
  ])("of domains %j has its code for programs", async (argv, code) => {
    await using cli = await shopWithDocs();
    const { err } = await cli.run(["domains", ...argv, "--json"]);
    expect(JSON.parse(err)).toMatchObject({ error: expect.any(String), code });
  });

  test.each([
    ["docs.example.com", "shop", `See petstore domains show ${docs}`],
    ["DOCS.example.com", "second", `See petstore domains show ${docs}`],
  ])("to add %s to %s again says where to look", async (host, project, next) => {
    await using cli = await shopWithDocs();
    await cli.withStores(async (stores) => {
      await stores.sites.addProject({ slug: "second", ownerId: "shop", nowMs: cli.clock.now() });
      await deployIn(stores, "second", "dep_second");
    });
    const { code, err } = await cli.run(["domains", "add", project, host]);
    expect([code, err]).toEqual([1, expect.stringContaining(next)]);
  });
});
