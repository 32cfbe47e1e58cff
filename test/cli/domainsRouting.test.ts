import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { chunks } from "./cliFixture.ts";
import { cliWithDomains, live } from "./cliWithDomains.ts";

const routing = {
  primary: "docs.example.com",
  redirects: [{ from: "www.example.com", to: "docs.example.com", status: 308 }],
};

async function shopWithNames() {
  const cli = await cliWithDomains();
  for (const name of ["docs", "www", "old"]) {
    await cli.json("domains", "add", "shop", `${name}.example.com`);
  }
  return cli;
}

describe("domains routing", () => {
  test("prints the document, and takes it back as it was printed", async () => {
    await using cli = await shopWithNames();
    const empty = await cli.run(["domains", "routing", "shop"]);
    expect(JSON.parse(empty.out)).toEqual({ primary: null, redirects: [] });
    writeFileSync(cli.path("routing.json"), JSON.stringify(routing));
    const apply = ["domains", "routing", "shop", "--apply"];
    const saved = await cli.run([...apply, cli.path("routing.json")]);
    expect([saved.code, saved.err]).toEqual([0, expect.stringContaining("Saved.")]);
    expect(JSON.parse(saved.out)).toEqual(routing);
    const printed = await cli.run(["domains", "routing", "shop"]);
    const again = await cli.run([...apply, "-", "--json"], chunks(printed.out));
    expect(again).toEqual({ code: 0, err: "", out: `${JSON.stringify(routing)}\n` });
  });

  test.each([
    ["{", "is not JSON. Nothing was changed."],
    ["[]", "The document must be an object."],
    ['{"primary":"other.example.com"}', "other.example.com is not attached to this project."],
    [
      '{"primary":"docs.example.com","redirects":[{"from":"docs.example.com","to":"www.example.com"},{"from":"old.example.com","to":"old.example.com"}]}',
      "old.example.com would redirect to itself.",
    ],
    [`{"x":"${"x".repeat(65_536)}"}`, "has more than 65536 bytes."],
  ])("takes nothing of %p", async (text, message) => {
    await using cli = await shopWithNames();
    const typed = ["domains", "routing", "shop", "--apply", "-"];
    const { code, out, err } = await cli.run(typed, chunks(text));
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(message);
    expect(await cli.json("domains", "routing", "shop")).toEqual({ primary: null, redirects: [] });
  });

  test("of a file or project that is not there is refused", async () => {
    await using cli = await shopWithNames();
    const absent = await cli.run(["domains", "routing", "shop", "--apply", "absent.json"]);
    expect([absent.code, absent.err]).toEqual([1, expect.stringContaining("Cannot read")]);
    const none = await cli.run(["domains", "routing", "none"]);
    expect([none.code, none.err]).toEqual([1, expect.stringContaining("no project none")]);
  });
});

describe("domains primary and redirect", () => {
  test("change one thing of the document", async () => {
    await using cli = await shopWithNames();
    await cli.json("domains", "primary", "docs.example.com");
    const redirect = ["domains", "redirect", "www.example.com"];
    await cli.json(...redirect, "old.example.com");
    const { out } = await cli.run([...redirect, "docs.example.com", "--status", "308"]);
    expect(out).toBe(
      "www.example.com redirects to docs.example.com (308), held until docs.example.com is live: until then it shows the site.\n",
    );
    expect(await cli.json("domains", "routing", "shop")).toEqual(routing);
  });

  test("say what is held until a name is live, and nothing of it afterwards", async () => {
    await using cli = await shopWithNames();
    const primary = ["domains", "primary", "docs.example.com"];
    const redirect = ["domains", "redirect", "www.example.com", "docs.example.com"];
    expect((await cli.run(primary)).out).toBe(
      "docs.example.com is the primary domain, held until it is live.\n",
    );
    await cli.json(...redirect);
    const shown = () => cli.run(["domains", "routing", "shop"]);
    expect((await shown()).err).toBe(
      "docs.example.com: primary, held until it is live.\nwww.example.com: redirects to docs.example.com (301), held until docs.example.com is live.\n",
    );
    const list = await cli.run(["domains", "list", "shop"]);
    expect(list.out).toContain("held until docs.example.com is live");

    await live(cli, "docs.example.com");
    expect((await shown()).err).toBe("");
    expect((await cli.run(primary)).out).toBe("docs.example.com is the primary domain now.\n");
    expect((await cli.run(redirect)).out).toBe(
      "www.example.com redirects to docs.example.com (301) now.\n",
    );
    expect((await cli.run(["domains", "list", "shop"])).out).not.toContain("held");
  });

  test("end with --none", async () => {
    await using cli = await shopWithNames();
    await cli.json("domains", "primary", "docs.example.com");
    const redirect = ["domains", "redirect", "www.example.com"];
    await cli.json(...redirect, "docs.example.com");
    await cli.json("domains", "redirect", "old.example.com", "docs.example.com");
    const ended = await cli.run([...redirect, "--none"]);
    expect([ended.code, ended.out]).toEqual([
      0,
      "www.example.com no longer redirects: it shows the site of shop now.\n",
    ]);
    const left = { from: "old.example.com", to: "docs.example.com", status: 301 };
    expect(await cli.json("domains", "routing", "shop")).toEqual({
      primary: "docs.example.com",
      redirects: [left],
    });
    const primary = ["domains", "primary", "--none", "--project", "shop"];
    const cleared = await cli.run(primary);
    expect([cleared.code, cleared.out]).toEqual([0, "shop has no primary domain now.\n"]);
    expect(await cli.json("domains", "routing", "shop")).toEqual({
      primary: null,
      redirects: [left],
    });
    for (const again of [[...redirect, "--none"], primary]) {
      const { code, err } = await cli.run(again);
      expect([code, err]).toEqual([1, expect.stringContaining("Nothing was changed.")]);
    }
  });

  test.each([
    [["redirect", "www.example.com"], 2, "Give either the host name to redirect to or --none"],
    [["redirect", "www.example.com", "docs.example.com", "--none"], 2, "Give either the host name"],
    [["redirect", "www.example.com", "--none", "--status", "308"], 2, "--status is for"],
    [["primary"], 2, "Name a host, or give --none with --project <slug>"],
    [["primary", "--none"], 2, "give --none with --project <slug>"],
    [["primary", "www.example.com", "--none"], 2, "give --none with --project <slug>"],
    [["primary", "--none", "--project", "none"], 1, "There is no project none."],
    [["redirect", "docs.example.com", "www.example.com"], 1, "the primary domain"],
    [["redirect", "www.example.com", "elsewhere.example"], 1, "elsewhere.example is not attached"],
    [["redirect", "www.example.com", "docs.example.com", "--status", "303"], 2, "--status must be"],
    [["primary", "elsewhere.example"], 1, "is not attached to any project"],
    [["primary", "http://x"], 2, "Write the host name alone"],
  ])("%j is refused, and nothing changes", async (argv, exitCode, message) => {
    await using cli = await shopWithNames();
    const before = await cli.json("domains", "primary", "docs.example.com");
    const { code, err } = await cli.run(["domains", ...(argv as string[])]);
    expect([code, err]).toEqual([exitCode, expect.stringContaining(message)]);
    expect(await cli.json("domains", "routing", "shop")).toEqual(before);
  });
});
