import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { CliFixture } from "./cliFixture.ts";
import { cliWithDomains, decided, live, target, targetOf, typesWaiting } from "./cliWithDomains.ts";

const docs = "docs.example.com";

describe("domains add", () => {
  test("shows the record to create and what to type then", async () => {
    await using cli = await cliWithDomains();
    const { code, out, err } = await cli.run(["domains", "add", "shop", "Docs.Example.com"]);
    expect([code, err]).toEqual([0, ""]);
    const own = await targetOf(cli, docs);
    expect(out).toBe(`Attached ${docs} to shop. Create this record at the DNS provider:

  Type   Name  Full name         Value                                          TTL
  CNAME  docs  ${docs}  ${own}  3600

DNS changes usually show within minutes; allow up to 48 hours.
Then: petstore domains verify ${docs} --wait
`);
  });

  test("says ALIAS or ANAME for an apex", async () => {
    await using cli = await cliWithDomains();
    const { out } = await cli.run(["domains", "add", "shop", "example.com"]);
    expect(out).toMatch(
      /^ {2}ALIAS or ANAME {2}@ +example\.com +edge-[0-9a-f]{20}\.sites\.platform\.test +3600$/m,
    );
    expect(out).toMatch(
      /^ {2}TXT +_petstore-proof +_petstore-proof\.example\.com +petstore-proof=edge-/m,
    );
    expect(out).toContain("attach a subdomain such as www instead");
  });

  test("shows another owner records of their own, and how to verify their claim", async () => {
    await using cli = await cliWithDomains();
    await cli.json("domains", "add", "rival", docs);
    const theirs = await targetOf(cli, docs);
    const { out } = await cli.run(["domains", "add", "shop", docs]);
    expect(out).not.toMatch(`rival|${theirs}`);
    expect(out).toContain(`verify ${docs} --project shop --wait`);
  });

  test("with --prepare shows the record that the authority decides on, once it is known", async () => {
    await using cli = await cliWithDomains();
    const kept = { directory: "https://ca.example", url: "https://ca.example/1", sealedKey: "" };
    const order = { ...kept, challenge: "value-of-the-authority" };
    const placed = () => decided(cli, docs, { issuance: { order } });
    const argv = ["domains", "add", "shop", docs, "--prepare"];
    const { code, out } = await typesWaiting(cli, argv, [() => {}, placed]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^ {2}TXT {3}_acme-challenge\.docs {2}\S+ {2}value-of-the-authority {2}300$/m,
    );
    expect(out).not.toContain(target);
    expect(out).toContain(`petstore domains verify ${docs}`);
  });

  test.each(["--prepare", "--proxied"])(
    "with %s shows the CNAME of the challenge where we can change DNS",
    async (option) => {
      await using cli = await cliWithDomains();
      const { context } = cli;
      const settings = { target, ownLimits: true, reserved: [], dnsUpdates: true };
      cli.context = (parts) => context.call(cli, { ...parts, domainSettings: () => settings });
      const { code, out } = await cli.run(["domains", "add", "shop", docs, option]);
      expect(code).toBe(0);
      expect(out).toMatch(
        /^ {2}CNAME {2}_acme-challenge\.docs {2}\S+ {2}[0-9a-f]{20}\._acme-challenge\.sites\.platform\.test {2}300$/m,
      );
      expect(out).toContain("Keep it: certificates are renewed by it.");
    },
  );

  test("with --prepare says where to look where nothing answers", async () => {
    await using cli = await cliWithDomains();
    const { code, out } = await typesWaiting(cli, ["domains", "add", "shop", docs, "--prepare"]);
    expect([code, out]).toEqual([0, expect.stringContaining(`petstore domains show ${docs}`)]);
  });

  test("prints the view with --json", async () => {
    await using cli = await cliWithDomains();
    const added = await cli.json("domains", "add", "shop", docs);
    expect(added).toMatchObject({
      host: docs,
      status: "pending_dns",
      records: [{ type: "CNAME", value: await targetOf(cli, docs), ttlSeconds: 3600 }],
      addedAt: "2026-11-15T12:00:00.000Z",
      certificate: null,
    });
  });

  test.each([
    [["none", docs], 1, "There is no project none. See petstore sites list."],
    [["shop", "https://docs.example.com"], 2, "Write the host name alone"],
    [["shop", "docs.platform.test"], 2, "belongs to the platform itself"],
    [["shop"], 2, "<host> is missing."],
  ])("%j is refused", async (argv, exitCode, message) => {
    await using cli = await cliWithDomains();
    const { code, out, err } = await cli.run(["domains", "add", ...(argv as string[])]);
    expect([code, out]).toEqual([exitCode, ""]);
    expect(err).toContain(message);
    expect(await cli.json("domains", "list")).toEqual([]);
  });

  test("says how to get the plan and the deployment that it needs", async () => {
    await using cli = await cliWithDomains();
    await cli.withStores(({ sites }) =>
      sites.addProject({ slug: "shop-docs", ownerId: "shop", nowMs: cli.clock.now() }),
    );
    const add = async (slug: string) => {
      const { code, err } = await cli.run(["domains", "add", slug, docs]);
      expect(code).toBe(1);
      return err;
    };
    expect(await add("shop-docs")).toContain("petstore sites deploy shop-docs <folder>.");
    await cli.json("owners", "plan", "shop", "free");
    expect(await add("shop-docs")).toContain("petstore owners plan shop paid.");
    await cli.json("owners", "plan", "shop", "paid");
    await cli.json("sites", "unpublish", "shop");
    expect(await add("shop")).toContain("petstore sites rollback shop dep_shop");
  });

  test("without the setting, says which one is missing", async () => {
    await using cli = await cliWithDomains();
    const { context } = cli;
    cli.context = (parts) =>
      context.call(cli, {
        ...parts,
        domainSettings: () => ({
          target: undefined,
          ownLimits: true,
          reserved: [],
          publicHttpsPort: undefined,
        }),
      });
    const { code, err } = await cli.run(["domains", "add", "shop", docs]);
    expect([code, err]).toEqual([1, expect.stringContaining("PETSTORE_SITES_HOST")]);
  });
});

describe("where there is no store", () => {
  test.each([
    "add shop docs.example.com",
    "list",
    "show docs.example.com",
    "verify docs.example.com",
    "routing shop",
    "primary docs.example.com",
    "redirect docs.example.com www.example.com",
    "remove docs.example.com",
  ])("domains %s refuses and makes nothing", async (line) => {
    await using cli = new CliFixture({ store: false });
    const { code, out, err } = await cli.run(["domains", ...line.split(" ")]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toStartWith(`petstore: There is no store at ${cli.database}.`);
    expect(readdirSync(cli.folder)).toEqual([]);
  });
});

describe("domains list", () => {
  test("lists those of one project or of all", async () => {
    await using cli = await cliWithDomains();
    expect((await cli.run(["domains", "list"])).out).toContain("No name is attached yet");
    await cli.json("domains", "add", "shop", docs);
    await cli.json("domains", "add", "rival", "help.rival.example");
    await decided(cli, docs, { dns: { verdict: "right" }, live: true });
    const hosts = async (...argv: string[]) =>
      (await cli.json("domains", "list", ...argv)).map(({ host }: { host: string }) => host);
    expect(await hosts()).toEqual(["help.rival.example", docs]);
    expect(await hosts("shop")).toEqual([docs]);
    const { out } = await cli.run(["domains", "list"]);
    expect(out).toMatch(
      /^docs\.example\.com +shop +live +shows the site +2027-02-13 +in 15 seconds$/m,
    );
    expect(out).toMatch(
      /^help\.rival\.example +rival +pending_dns +shows the site +in 15 seconds$/m,
    );
    expect(await hosts("--status", "live,blocked")).toEqual([docs]);
    expect(await hosts("--status", "pending_dns")).toEqual(["help.rival.example"]);
    expect(await hosts("--search", "rival")).toEqual(["help.rival.example"]);
    expect(await hosts("shop", "--search", "rival")).toEqual([]);
    const nothing = await cli.run(["domains", "list", "--status", "blocked"]);
    expect(nothing.out).toContain("Leave out --status and --search to see all.");
    const wrong = await cli.run(["domains", "list", "--status", "live,lively"]);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('not "lively"')]);
    expect((await cli.run(["domains", "list", "none"])).code).toBe(1);
    cli.clock.advance(20_000);
    expect((await cli.run(["domains", "list", "rival"])).out).toContain("due now\n");
  });
});

describe("domains show", () => {
  test("says what was found beside what is expected, and for how long caches remember", async () => {
    await using cli = await cliWithDomains();
    await cli.json("domains", "add", "shop", docs);
    await decided(cli, docs, {
      dns: {
        verdict: "wrong",
        findings: [
          {
            code: "CONFLICTING_A",
            message: "It has A 192.0.2.7, where the CNAME belongs.",
            next: "Delete the A record.",
            found: ["A 192.0.2.7", "A 192.0.2.8"],
            expected: [`CNAME ${target}`],
            at: ["ns1.example.com"],
            seconds: 300,
          },
        ],
      },
    });
    cli.clock.advance(100_000);
    const { code, out } = await cli.run(["domains", "show", docs]);
    expect(code).toBe(0);
    expect(out).toContain("Status       misconfigured: DNS is not right yet\n");
    expect(out).toContain(`CONFLICTING_A: It has A 192.0.2.7, where the CNAME belongs.
  Found        Expected
  A 192.0.2.7  CNAME ${target}
  A 192.0.2.8
  Said by ns1.example.com.
  Caches may remember this for 3 min 20 s more, until 2026-11-15 12:05 UTC.

Next: Delete the A record.
`);
    expect(out).toContain("To create at the DNS provider:\n  Type ");
    cli.clock.advance(200_000);
    expect((await cli.run(["domains", "show", docs])).out).toContain(
      "No cache holds the old records any longer.",
    );
  });

  test("shows a live name with its certificate and the time of its renewal", async () => {
    await using cli = await cliWithDomains();
    await cli.json("domains", "add", "shop", docs);
    await decided(cli, docs, { dns: { verdict: "right" }, live: true });
    const { out } = await cli.run(["domains", "show", docs]);
    expect(out).toContain("Status       live: served over HTTPS\n");
    expect(out).toContain(
      "Certificate  by Test authority, until 2027-02-13 12:00 UTC (in 3 months); to be renewed 2027-01-14 12:00 UTC (in 2 months), as the authority asked: between 2027-01-14 11:00 UTC and 2027-01-14 13:00 UTC\n",
    );
    expect(out).not.toContain("To create");
    expect((await cli.json("domains", "show", docs)).certificate).toEqual({
      issuer: "Test authority",
      notBefore: "2026-11-15T12:00:00.000Z",
      notAfter: "2027-02-13T12:00:00.000Z",
      renewAt: "2027-01-14T12:00:00.000Z",
      window: { start: "2027-01-14T11:00:00.000Z", end: "2027-01-14T13:00:00.000Z" },
    });
  });

  test("shows the last ten entries, or all of them with the raw answers", async () => {
    await using cli = await cliWithDomains();
    await cli.json("domains", "add", "shop", docs);
    const entries = Array.from({ length: 12 }, (_, index) => ({
      atMs: cli.clock.now(),
      event: "dns_checked",
      message: `Check ${index + 1}.`,
      findings: [],
      answers: [`ns1: answer ${index + 1}`],
    }));
    await decided(cli, docs, { entries });
    const { out } = await cli.run(["domains", "show", docs]);
    expect(out.match(/Check \d+\./g)).toHaveLength(10);
    expect(out).toContain("Check 12.");
    expect(out).not.toContain("answer");
    const whole = await cli.run(["domains", "show", docs, "--timeline"]);
    expect(whole.out.match(/^ {4}ns1: answer \d+$/gm)).toHaveLength(12);
    expect(whole.out).toContain("added");
  });

  test("lets nothing that stands in DNS steer the terminal", async () => {
    await using cli = await cliWithDomains();
    await cli.json("domains", "add", "shop", docs);
    const evil = "TXT \u001b[2J\u202Eevil\n";
    const message = `Found ${evil}`;
    await decided(cli, docs, {
      dns: { findings: [{ code: "PROOF_MISSING", message, found: [evil] }] },
      entries: [{ atMs: 0, event: "dns_checked", message, findings: [], answers: [evil] }],
    });
    const { out } = await cli.run(["domains", "show", docs, "--timeline"]);
    expect(out).toContain("TXT \\u{1b}[2J\\u{202e}evil\\u{a}");
    for (const steering of ["\u001b", "\u202E"]) expect(out).not.toContain(steering);
  });

  test("also shows what was removed, until another has the name", async () => {
    await using cli = await cliWithDomains();
    await cli.json("domains", "add", "shop", docs);
    await cli.json("domains", "remove", docs);
    expect(await cli.json("domains", "show", docs)).toMatchObject({
      project: "shop",
      status: "removed",
    });
    const { code, err } = await cli.run(["domains", "show", "www.example.com"]);
    expect([code, err]).toEqual([1, expect.stringContaining("is not attached to any project")]);
  });
});

describe("domains remove", () => {
  const edge = (id: string, revision: number, seenAtMs: number) => ({
    id,
    address: "127.0.0.1",
    httpPort: 80,
    revision,
    seenAtMs,
  });

  test("refuses the primary domain and a redirect's target unless confirmed", async () => {
    await using cli = await cliWithDomains();
    await cli.json("domains", "add", "shop", docs);
    await cli.json("domains", "add", "shop", "www.example.com");
    await cli.json("domains", "primary", docs);
    await cli.json("domains", "redirect", "www.example.com", docs);
    const refused = await cli.run(["domains", "remove", docs]);
    expect([refused.code, refused.out]).toEqual([1, ""]);
    expect(refused.err).toContain("it is the primary domain, and www.example.com redirects to it");
    expect(refused.err).toContain("To confirm, add --yes.");
    expect(await cli.json("domains", "list")).toHaveLength(2);
    const { code, out } = await cli.run(["domains", "remove", docs, "--yes"]);
    expect(code).toBe(0);
    expect(out).toContain(`Now delete the CNAME record of ${docs} with the value edge-`);
    expect(await cli.json("domains", "routing", "shop")).toEqual({ primary: null, redirects: [] });
    expect((await cli.run(["domains", "remove", docs])).err).toContain("is not attached to any");
  });

  test("waits for the edges and names those that are behind", async () => {
    await using cli = await cliWithDomains();
    for (const host of [docs, "www.example.com"]) {
      await cli.json("domains", "add", "shop", host);
      await live(cli, host);
    }
    const report = (id: string, revision: number) =>
      cli.withStores(({ edgeView }) => edgeView.reportEdge(edge(id, revision, cli.clock.now())));
    await report("edge-a", 0);
    await report("edge-b", 0);
    const caughtUp = await typesWaiting(
      cli,
      ["domains", "remove", docs],
      [() => report("edge-a", 1_000), () => report("edge-b", 1_000)],
    );
    expect(caughtUp.out).toContain("It is no longer served: 2 edges of 2 have said so.");

    await report("edge-a", 1_000);
    await report("edge-b", 0);
    const startedMs = cli.clock.now();
    const late = await typesWaiting(cli, ["domains", "remove", "www.example.com", "--json"]);
    expect(JSON.parse(late.out)).toMatchObject({ edges: 2, edgesBehind: ["edge-b"] });
    expect(cli.clock.now() - startedMs).toBe(3_000);
  });

  test("says where no edge is running", async () => {
    await using cli = await cliWithDomains();
    await cli.json("domains", "add", "shop", docs);
    await live(cli, docs);
    const { out } = await cli.run(["domains", "remove", docs]);
    expect(out).toContain("No edge is running, so nothing serves it.");
  });
});
