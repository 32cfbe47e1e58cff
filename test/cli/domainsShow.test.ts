import { describe, expect, test } from "bun:test";
import type { CaAttempt, TimelineEntry } from "../../src/hosting/domains/domains.ts";
import type { Finding } from "../../src/hosting/domains/finding.ts";
import { changeIn, deployIn } from "../store/domainSamples.ts";
import { decided, domainsShop, live } from "./domainsShop.ts";
import { dayMs, type Shop } from "./shop.ts";

const docs = "docs.example.com";
const show = ["domains", "show", docs];

async function shopWithDocs(): Promise<Shop> {
  const shop = await domainsShop();
  await shop.json("domains", "add", "shop", docs);
  return shop;
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
    await using shop = await shopWithDocs();
    const now: Finding = { code: "NO_CNAME", message: "There is no CNAME." };
    const before: Finding = { code: "NXDOMAIN", message: "The name is not in DNS." };
    shop.clock.advance(7_000);
    const atMs = shop.clock.now();
    const entries = [checkedEntry(atMs - 2_000, before), checkedEntry(atMs, now)];
    await decided(shop, docs, { dns: { verdict: "wrong", findings: [now] }, entries });
    const { out } = await shop.types(show);
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
    await using shop = await shopWithDocs();
    expect(await shop.json(...show)).not.toHaveProperty("timeline");
    expect((await shop.json(...show, "--timeline")).timeline).toMatchObject([{ event: "added" }]);
    expect(await shop.json("domains", "verify", docs)).not.toHaveProperty("timeline");
  });
});

describe("what is used of the authority's limits", () => {
  const failures = (shop: Shop, count: number) =>
    shop.withStores(async (stores) => {
      const [claim] = await stores.domains.claimsOn(docs);
      if (claim === undefined) throw new Error(`${docs} should be attached.`);
      const attempts = Array.from(
        { length: count },
        (): CaAttempt => ({
          host: docs,
          registrable: "example.com",
          kind: "failed_authorization",
          atMs: shop.clock.now(),
        }),
      );
      await changeIn(stores, claim.domain, { attempts });
    });

  test("is told once it is half of one", async () => {
    await using shop = await shopWithDocs();
    await failures(shop, 1);
    expect((await shop.types(show)).out).not.toContain("Used");
    await failures(shop, 1);
    const { out } = await shop.types(show);
    expect(out).toMatch(/^Used +2 of 4 failed attempts for this name within an hour$/m);
    expect(out.match(/ of \d+ /g)).toHaveLength(1);
  });
});

test("for how long caches remember is said once, for what takes longest", async () => {
  await using shop = await shopWithDocs();
  const findings: Finding[] = [
    { code: "CONFLICTING_A", message: "It has an A record.", seconds: 60 },
    {
      code: "STALE_CACHE",
      message: "Resolvers still remember what was there before, for 300 seconds at most.",
      seconds: 300,
    },
  ];
  await decided(shop, docs, { dns: { findings } });
  shop.clock.advance(100_000);
  const { out } = await shop.types(show);
  expect(out).toContain("STALE_CACHE: Resolvers still remember what was there before.\n");
  expect(out.match(/remember this.*/g)).toEqual([
    "remember this for 3 min 20 s more, until 2026-11-15 12:05 UTC.",
  ]);
});

test("a name of another script is listed as people read it too", async () => {
  await using shop = await domainsShop();
  await shop.json("domains", "add", "shop", "bücher.example");
  expect((await shop.types(["domains", "list"])).out).toMatch(
    /^xn--bcher-kva\.example \(bücher\.example\) +shop /m,
  );
});

describe("a claim that ended", () => {
  test("is shown without a role, and with why it is still looked at", async () => {
    await using shop = await shopWithDocs();
    await shop.json("domains", "remove", docs);
    const { code, out } = await shop.types(show);
    expect(code).toBe(0);
    expect(out).not.toMatch(/^(Role|Certificate) /m);
    expect(out).toMatch(/^Status +removed: taken off its project$/m);
    expect(out).toMatch(
      /^Next check +2026-11-16 12:00 UTC \(in 24 hours\): once a day for 30 days, whether the record still points here$/m,
    );
  });

  test("is the one that ended last, whichever was added last", async () => {
    await using shop = await shopWithDocs();
    shop.clock.advance(dayMs);
    await shop.json("domains", "add", "rival", docs, "--prove");
    shop.clock.advance(dayMs);
    await shop.json("domains", "remove", docs, "--project", "rival");
    shop.clock.advance(dayMs);
    await shop.json("domains", "remove", docs, "--project", "shop");
    expect(await shop.json(...show)).toMatchObject({ project: "shop", status: "removed" });
  });
});

describe("a stranger's claim that is not proven", () => {
  async function contested(): Promise<Shop> {
    const shop = await shopWithDocs();
    await live(shop, docs);
    await shop.json("domains", "add", "rival", docs, "--prove");
    return shop;
  }

  test("does not stand in the way of who holds the name, and the operator hears of it", async () => {
    await using shop = await contested();
    const { code, out } = await shop.types(show);
    expect(code).toBe(0);
    expect(out).toMatch(/^Project +shop$/m);
    expect(out).toMatch(
      /^Also claimed +by rival, not proven; see petstore domains show docs\.example\.com --project rival$/m,
    );
    expect(await shop.json(...show)).toMatchObject({ project: "shop", alsoClaimedBy: ["rival"] });
    const rival = await shop.json(...show, "--project", "rival");
    expect(rival).toMatchObject({ project: "rival", alsoClaimedBy: ["shop"] });
    expect((await shop.types([...show, "--project", "rival"])).out).toMatch(
      /^Also claimed +by shop, which holds it; /m,
    );
    await shop.json("domains", "primary", docs);
    expect(await shop.json("domains", "routing", "shop")).toMatchObject({ primary: docs });
    await shop.json("domains", "remove", docs, "--yes");
    expect((await shop.json("domains", "list"))[0]).toMatchObject({ project: "rival" });
  });

  test("is asked about where nobody holds the name", async () => {
    await using shop = await contested();
    await shop.json("domains", "add", "third", docs, "--prove");
    await shop.json("domains", "remove", docs);
    const { code, err } = await shop.types(show);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("claimed by rival and third. Say which is meant with --project"),
    ]);
    expect(await shop.json(...show, "--project", "third")).toMatchObject({ project: "third" });
  });

  test("is removed with its TXT record alone, for nothing of it was served", async () => {
    await using shop = await contested();
    const remove = ["domains", "remove", docs, "--project", "rival"];
    const { out } = await shop.types(remove);
    expect(out).toBe(
      `Removed ${docs} from rival. It was never proven, so nothing was served from it.\nNow delete the TXT record of _petstore-proof.${docs} at the DNS provider.\n`,
    );
    await shop.json("domains", "add", "rival", docs, "--prove");
    expect((await shop.json(...remove)).records).toMatchObject([{ type: "TXT" }]);
  });

  test("is removed with all of its records where nobody else needs them", async () => {
    await using shop = await contested();
    await shop.json("domains", "remove", docs, "--project", "shop");
    const { out } = await shop.types(["domains", "remove", docs]);
    expect(out).toContain("It was never proven, so nothing was served from it.");
    expect(out).toContain(
      `delete the CNAME record of ${docs} and the TXT record of _petstore-proof.${docs} at`,
    );
  });
});

describe("a refusal", () => {
  test.each([
    [["show", "www.example.com"], "domain_not_found"],
    [["show", "https://x"], "host_invalid"],
    [["list", "none"], "project_not_found"],
    [["add", "shop", docs], "already_attached"],
    [["add", "rival", docs], "attached_elsewhere"],
    [["add", "shop", "https://x"], "host_invalid"],
  ])("of domains %j has its code for programs", async (argv, code) => {
    await using shop = await shopWithDocs();
    const { err } = await shop.types(["domains", ...argv, "--json"]);
    expect(JSON.parse(err)).toMatchObject({ error: expect.any(String), code });
  });

  test.each([
    ["docs.example.com", "shop", `See petstore domains show ${docs}.`],
    ["DOCS.example.com", "second", `See petstore domains show ${docs}.`],
  ])("to add %s to %s again says where to look", async (host, project, next) => {
    await using shop = await shopWithDocs();
    await shop.withStores(async (stores) => {
      await stores.sites.addProject({ slug: "second", ownerId: "shop", nowMs: shop.clock.now() });
      await deployIn(stores, "second", "dep_second");
    });
    const { code, err } = await shop.types(["domains", "add", project, host]);
    expect([code, err]).toEqual([1, expect.stringContaining(next)]);
  });
});
