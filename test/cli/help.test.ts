import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import packageJson from "../../package.json" with { type: "json" };
import { commands } from "../../src/cli/commands.ts";
import type { CliContext } from "../../src/cli/context.ts";
import { CliFixture } from "./cliFixture.ts";

async function run(...argv: string[]) {
  await using cli = new CliFixture();
  return cli.run(argv);
}

describe("help", () => {
  test("is the same whichever way one asks for it, and names every command", async () => {
    const { code, out, err } = await run();
    expect(code).toBe(0);
    expect(err).toBe("");
    for (const { name, summary } of commands) {
      expect(out).toMatch(new RegExp(`^  ${name}( \\[?<\\S+){0,2}  +${summary}$`, "m"));
    }
    expect(out).toMatch(/^ {2}sites rollback <slug> <deployment> {2,}/m);
    expect((await run("help")).out).toBe(out);
    expect((await run("--help")).out).toBe(out);
    expect((await run("-h")).out).toBe(out);
  });

  test("on a group shows that group only", async () => {
    const { code, out } = await run("keys");
    expect(code).toBe(0);
    expect(out).toContain("keys create");
    expect(out).not.toContain("pets seed");
    expect((await run("keys", "--help")).out).toBe(out);
    expect((await run("help", "keys")).out).toBe(out);
  });

  test.each(commands.map(({ name }) => name))("on %s names its options", async (name) => {
    const words = name.split(" ");
    const { code, out } = await run(...words, "--help");
    expect(code).toBe(0);
    expect(out).toContain(`Usage: petstore ${name}`);
    expect(out).toContain("--json");
    const command = commands.find((known) => known.name === name);
    for (const option of Object.keys(command?.options ?? {})) expect(out).toContain(`--${option}`);
    expect((await run("help", ...words)).out).toBe(out);
    expect((await run(...words, "-h")).out).toBe(out);
  });

  test("shows what must be given without brackets", async () => {
    const { out } = await run("deploy", "--help");
    expect(out).toContain(
      "Usage: petstore deploy <folder> --project <slug> [--preview] [--to <url>]\n",
    );
    const optional = await run("keys", "create", "--help");
    expect(optional.out).toContain("[--name <name>]");
  });

  test("fits a terminal of 100 columns", async () => {
    for (const words of [[], ...commands.map(({ name }) => name.split(" "))]) {
      const { out } = await run("help", ...words);
      for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    }
  });

  test("comes as JSON too", async () => {
    await using cli = new CliFixture();
    const names = commands.map(({ name }) => name);
    expect((await cli.json("help")).map(({ name }: { name: string }) => name)).toEqual(names);
    expect((await cli.json("keys"))[0].name).toBe("keys create");
    expect(await cli.json("keys", "list", "--help")).toEqual({
      name: "keys list",
      summary: "List keys, without the secrets",
      usage: "petstore keys list",
      options: [
        { name: "--json", value: null, summary: "Print one JSON value on stdout, for programs" },
        { name: "--help", value: null, summary: "Show this help" },
      ],
    });
  });

  test("--version says the version, the platform and the Bun it runs on", async () => {
    await using cli = new CliFixture();
    const { version, dependencies } = packageJson;
    const platform = `${process.platform}-${process.arch}`;
    expect((await cli.run(["--version"])).out).toBe(
      `petstore ${version} (${platform}, Bun ${dependencies.bun})\n`,
    );
    expect(await cli.json("--version")).toEqual({ version, platform, bun: dependencies.bun });
  });
});

describe("what is not understood exits with 2 and says what was probably meant", () => {
  test.each([
    ["kes", 'Unknown command "kes". Did you mean petstore keys? See petstore help.'],
    ["keys lst", 'Unknown command "keys lst". Did you mean petstore keys list? See petstore help.'],
    ["key rotate x", 'Unknown command "key rotate". Did you mean petstore keys rotate?'],
    ["seed --count 3", 'Unknown command "seed". Did you mean petstore pets seed?'],
    ["backpu x.db", "Did you mean petstore backup?"],
    ["frobnicate", 'Unknown command "frobnicate". See petstore help.'],
    ["help frobnicate", 'Unknown command "frobnicate". See petstore help.'],
    ["--wat", "--wat stands before a command."],
    ["keys --wat", "--wat stands before a command."],
    ["keys create --nmae x", "Unknown option --nmae. Did you mean --name?"],
    ["keys create --quux", "Unknown option --quux. See petstore keys create --help."],
    ["keys create -n x", "Unknown option -n."],
    ["keys create --name", "--name needs a value: --name <name>."],
    ["keys create --name --scopes", "--name needs a value: --name <name>."],
    [
      "pets list",
      'Unknown command "pets list". The commands of pets are show, update, delete, seed, import, export.',
    ],
    ["pets exprot", 'Unknown command "pets exprot". Did you mean petstore pets export?'],
    ["orders aprove 7", 'Unknown command "orders aprove". Did you mean petstore orders approve?'],
    ["keys create --name a --name b", "--name is given twice."],
    ["keys list --json=yes", "--json takes no value."],
    ["keys list extra", '"extra" is one word too many.'],
    ["keys revoke", "<id|name> is missing."],
    ["keys revoke a b", '"b" is one word too many.'],
    ["backup", "<file> is missing."],
    ["keys list --__proto__", "Unknown option --__proto__."],
  ])("%s", async (line, said) => {
    const { code, out, err } = await run(...line.split(" "));
    expect(err).toContain(said);
    expect(err).toStartWith("petstore: ");
    expect(out).toBe("");
    expect(code).toBe(2);
  });
});

test("what is not understood with --json is told as JSON", async () => {
  const { code, out, err } = await run("--json", "keys", "list");
  expect(JSON.parse(err)).toEqual({
    error: expect.stringContaining("--json stands before a command."),
    exitCode: 2,
  });
  expect(out).toBe("");
  expect(code).toBe(2);
});

describe("serve", () => {
  test("lists every setting that the program reads, and where they are explained", async () => {
    const { out } = await run("serve", "--help");
    expect(out).toContain("docs/guide/operating.md");
    const config = readFileSync(new URL("../../src/config/config.ts", import.meta.url), "utf8");
    const named = [...config.matchAll(/setting\(\s*"(\w+)"/g)].map(([, name = ""]) => name);
    expect(named.length).toBeGreaterThan(12);
    // It must be unset, so nobody needs to hear of it here.
    for (const name of named.filter((name) => name !== "DATABASE_URL")) {
      expect(out).toMatch(new RegExp(`^  ${name} `, "m"));
    }
  });

  const started = {
    baseUrl: "http://127.0.0.1:8080/v1",
    environment: "staging",
  } as const;
  let given: Readonly<Record<string, string>> = {};
  let named: { publicUrl?: string; hasCertificate?: boolean } = {};
  const said = async (firstKey: string | undefined, ...options: string[]) => {
    await using cli = new CliFixture();
    const { run } = await import("../../src/cli/run.ts");
    const { CapturedOutput } = await import("./cliFixture.ts");
    const stdout = new CapturedOutput();
    const serve: CliContext["serve"] = async (settings, announce) => {
      given = settings;
      announce({ ...started, ...named, firstKey, hasKeys: true });
    };
    expect(await run(["serve", ...options], cli.context({ serve, stdout }))).toBe(0);
    return stdout.text;
  };

  test("takes its name and the agreement as options, which go before the settings", async () => {
    await said(undefined, "--domain", "api.example.com", "--agree-to-terms");
    expect(given).toEqual({ PETSTORE_DOMAIN: "api.example.com", PETSTORE_ACME_TERMS: "agreed" });
    await said(undefined);
    expect(given).toEqual({});
  });

  test("says where it listens, and shows the first key with a call that works when pasted", async () => {
    expect(await said(undefined)).toBe("Pet Store (staging) listens on http://127.0.0.1:8080/v1\n");
    const publicUrl = "https://api.example.com/v1";
    for (const [hasCertificate, line] of [
      [false, `It will be at ${publicUrl} once its certificate is issued.`],
      [true, `It is at ${publicUrl}`],
    ] as const) {
      named = { publicUrl, hasCertificate };
      expect(await said(undefined)).toEndWith(`/v1\n${line}\n`);
    }
    named = {};
    const text = await said("pet_test_key");
    expect(text).toContain(
      '\n  curl -H "Authorization: Bearer pet_test_key" http://127.0.0.1:8080/v1/pets\n',
    );
  });

  test("says the same as one JSON value", async () => {
    expect(JSON.parse(await said("pet_test_key", "--json"))).toEqual({
      ...started,
      key: "pet_test_key",
    });
    expect(JSON.parse(await said(undefined, "--json"))).toEqual({ ...started, key: null });
  });
});

test("a fault of the program is told apart from a refusal, and shows no key", async () => {
  await using cli = new CliFixture();
  const { run } = await import("../../src/cli/run.ts");
  const { CapturedOutput } = await import("./cliFixture.ts");
  const stderr = new CapturedOutput();
  const serve = async () => {
    throw new TypeError("broke on pet_live_abcdefghijklmnop");
  };
  expect(await run(["serve"], cli.context({ serve, stderr }))).toBe(1);
  expect(stderr.text).toContain("This is a fault of the program itself; please report it.");
  expect(stderr.text).toContain("broke on pet_live_…");
  expect(stderr.text).not.toContain("abcdefghijklmnop");
});
