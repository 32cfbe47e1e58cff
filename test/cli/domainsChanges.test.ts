/** What owners change of a domain: www beside it, its policy of HTTPS, its project. */
import { describe, expect, test } from "bun:test";
import { deployIn, nowMs } from "../store/domainSamples.ts";
import { cliWithDomains } from "./cliWithDomains.ts";

const docs = "docs.example.com";

describe("domains add --with-www", () => {
  test("adds www and the apex together, with the records and the redirect of both", async () => {
    await using cli = await cliWithDomains();
    const { code, out } = await cli.run(["domains", "add", "shop", "example.com", "--with-www"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^Attached example\.com and www\.example\.com to shop\. /);
    expect(out).toMatch(/www\.example\.com: redirects to example\.com \(301\), held until/);
    expect(out).toMatch(/^ {2}ALIAS or ANAME .*\n {2}TXT .*\n {2}CNAME +www /m);
    const json = await cli.json("domains", "add", "shop", "www.example.org", "--with-www");
    expect([json.host, json.withWww.host]).toEqual(["www.example.org", "example.org"]);
    const refused = await cli.run(["domains", "add", "shop", docs, "--with-www"]);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("has no www name")]);
  });
});

describe("domains hsts", () => {
  test("chooses for how long browsers insist on HTTPS, and show says so", async () => {
    await using cli = await cliWithDomains();
    await cli.json("domains", "add", "shop", docs);
    const shown = async () => (await cli.run(["domains", "show", docs])).out;
    expect(await shown()).not.toContain("HSTS");
    const { out } = await cli.run(["domains", "hsts", docs, "subdomains"]);
    expect(out).toBe(`${docs}: browsers insist on HTTPS for a year, for all names below it too.\n`);
    expect(await shown()).toMatch(/^HSTS +browsers insist on HTTPS for a year, for all/m);
    const wrong = await cli.run(["domains", "hsts", docs, "on"]);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("off, day, year")]);
  });
});

describe("domains move", () => {
  test("leads the name to another project of its owner, and asks before it breaks a routing", async () => {
    await using cli = await cliWithDomains();
    await cli.withStores(async (stores) => {
      await stores.sites.addProject({ slug: "blog", ownerId: "shop", nowMs });
      await deployIn(stores, "blog", "dep_blog");
    });
    await cli.json("domains", "add", "shop", docs);
    await cli.json("domains", "primary", docs);
    const refused = await cli.run(["domains", "move", docs, "blog"]);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining("To confirm, add --yes"),
    ]);
    const { out } = await cli.run(["domains", "move", docs, "blog", "--yes"]);
    expect(out).toBe(`Moved ${docs} from shop to blog, which it shows now.\n`);
    expect(await cli.json("domains", "show", docs)).toMatchObject({ project: "blog" });
    expect((await cli.json("domains", "routing", "shop")).primary).toBeNull();
    const theirs = await cli.run(["domains", "move", docs, "rival"]);
    expect([theirs.code, theirs.err]).toEqual([1, expect.stringContaining("of another owner")]);
    const again = await cli.run(["domains", "add", "shop", docs]);
    expect(again.err).toContain("petstore domains move");
  });
});
