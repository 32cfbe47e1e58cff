/** What takes a site off the names that visitors know asks first. */
import { describe, expect, test } from "bun:test";
import { deployIn } from "../store/domainSamples.ts";
import type { CliFixture } from "./cliFixture.ts";
import { cliWithDomains, decided, live } from "./cliWithDomains.ts";

const hosts = ["a.example.com", "b.example.com", "c.example.com", "d.example.com"];

/** Four names of shop are served, one of rival too, and one of shop is still waiting for DNS. */
async function shopWithLiveNames(): Promise<CliFixture> {
  const cli = await cliWithDomains();
  for (const host of [...hosts, "waiting.example.com"]) {
    await cli.json("domains", "add", "shop", host);
  }
  await cli.json("domains", "add", "rival", "help.rival.example");
  for (const host of hosts) await live(cli, host);
  await decided(cli, "d.example.com", { dns: { failures: 3 } });
  await live(cli, "help.rival.example", "rival");
  return cli;
}

const named = "a.example.com, b.example.com, c.example.com and 1 more";

describe("owners plan free", () => {
  const plan = ["owners", "plan", "shop", "free"];

  test("asks where live domains would be cut off, and changes nothing", async () => {
    await using cli = await shopWithLiveNames();
    const { code, out, err } = await cli.run(plan);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toBe(
      `petstore: The plan free would cut off 4 live domains: ${named}. Visitors would get no answer there, until petstore owners plan shop paid brings them back. Nothing was changed. To confirm, add --yes.\n`,
    );
    const asked = await cli.run([...plan, "--json"]);
    expect(JSON.parse(asked.err)).toMatchObject({ code: "confirmation_needed", exitCode: 1 });
    expect(await cli.json("owners", "list")).toContainEqual({
      id: "shop",
      name: "shop",
      plan: "paid",
      email: null,
    });
  });

  test("says with --yes what it has cut off, and what brings it back", async () => {
    await using cli = await shopWithLiveNames();
    const { code, out } = await cli.run([...plan, "--yes"]);
    expect([code, out]).toEqual([
      0,
      `The owner shop is on the plan free now.\n4 live domains are cut off: ${named}. Visitors get no answer there from now on, until petstore owners plan shop paid brings them back.\n`,
    ]);
    expect(await cli.json("owners", "plan", "shop", "paid")).toMatchObject({ cutOff: [] });
    expect((await cli.json(...plan, "--yes")).cutOff).toEqual(hosts);
  });

  test("does not ask where nothing is cut off, as on the second time", async () => {
    await using cli = await shopWithLiveNames();
    expect(await cli.json("owners", "plan", "third", "free")).toMatchObject({ cutOff: [] });
    await cli.json(...plan, "--yes");
    expect((await cli.run(plan)).out).toBe("The owner shop is on the plan free now.\n");
  });

  test("of an owner that is not there says so", async () => {
    await using cli = await shopWithLiveNames();
    expect((await cli.run(["owners", "plan", "nobody", "free"])).err).toContain("no owner");
  });
});

describe("sites unpublish", () => {
  const unpublish = ["sites", "unpublish", "rival"];

  test("asks where a live domain would be cut off, and says what brings it back", async () => {
    await using cli = await shopWithLiveNames();
    const { code, err } = await cli.run(unpublish);
    const back = "until petstore sites rollback rival dep_rival brings it back.";
    expect([code, err]).toEqual([
      1,
      `petstore: This would cut off 1 live domain: help.rival.example. Visitors would get no answer there, ${back} Nothing was changed. To confirm, add --yes.\n`,
    ]);
    expect((await cli.json("sites", "show", "rival")).current.id).toBe("dep_rival");
    const { out } = await cli.run([...unpublish, "--yes"]);
    expect(out).toContain("Its deployments are kept: petstore sites rollback rival dep_rival\n");
    expect(out).toEndWith(
      `1 live domain is cut off: help.rival.example. Visitors get no answer there from now on, ${back}\n`,
    );
  });

  test("does not ask where no name is live", async () => {
    await using cli = await shopWithLiveNames();
    expect(await cli.json("sites", "unpublish", "third")).toMatchObject({ cutOff: [] });
  });
});

test("sites show has the attached names and how they are", async () => {
  await using cli = await shopWithLiveNames();
  const { out } = await cli.run(["sites", "show", "shop"]);
  expect(out).toMatch(/^Domains +a\.example\.com \(live\)$/m);
  expect(out).toMatch(/^ +d\.example\.com \(degraded\)$/m);
  expect(out).toMatch(/^ +waiting\.example\.com \(pending_dns\)$/m);
  expect((await cli.json("sites", "show", "rival")).domains).toEqual([
    { host: "help.rival.example", status: "live" },
  ]);
});

test("sites show after sites unpublish names the deployment that was last ready", async () => {
  await using cli = await cliWithDomains();
  await cli.withStores((stores) => deployIn(stores, "third", "dep_newer"));
  await cli.json("sites", "unpublish", "third");
  expect((await cli.run(["sites", "show", "third"])).out).toContain(
    "petstore sites rollback third dep_newer",
  );
});
