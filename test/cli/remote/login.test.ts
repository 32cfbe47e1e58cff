/** `petstore login` and what is left of it. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Input } from "../../../src/cli/context.ts";
import { chunks } from "../cliFixture.ts";
import { RemoteFixture } from "./remoteFixture.ts";

describe("petstore login", () => {
  let fixture: RemoteFixture;
  beforeEach(async () => {
    fixture = await RemoteFixture.open();
  });
  afterEach(() => fixture[Symbol.asyncDispose]());

  /** Without anything in the environment. */
  const type = (line: string, stdin: Input = chunks()) =>
    fixture.remote(line, {
      stdin,
      remote: () => ({
        to: undefined,
        token: undefined,
        credentialsFile: fixture.credentialsFile,
      }),
    });
  const login = (token: string) => type(`login --to ${fixture.origin}`, chunks(`${token}\n`));
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

  test("stores the token for this user alone, and commands use it from then on", async () => {
    const { code, out, err } = await login(fixture.tokens.shop);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toBe(
      `Logged in to ${fixture.origin}. The token is stored in ${fixture.credentialsFile}.\nNext: petstore deploy <folder> --project shop --to ${fixture.origin}\n`,
    );
    expect(modeOf(fixture.credentialsFile)).toBe("600");
    expect(modeOf(dirname(fixture.credentialsFile))).toBe("700");
    const listed = await type("sites list");
    expect(listed.code).toBe(0);
    expect(listed.err).toBe(`Working on ${fixture.origin}, where you are logged in.\n`);
    expect(listed.out).toContain("shop");
    expect((await type(`sites list --to ${fixture.origin}`)).err).toBe("");
    expect((await type("sites list --json")).err).toBe("");
  });

  test("leaves the local store to commands that name no service", async () => {
    await login(fixture.tokens.shop);
    const { out, err } = await fixture.local("sites list");
    expect([out, err]).toEqual([expect.stringContaining("rival"), ""]);
  });

  test("keeps the tokens of other services, and sends each to its own alone", async () => {
    await login(fixture.tokens.shop);
    await using other = await RemoteFixture.open();
    const line = `login --to ${other.origin}`;
    expect((await type(line, chunks(other.tokens.rival))).code).toBe(0);
    expect((await type("sites list")).out).toContain("rival");
    expect((await type(`sites list --to ${fixture.origin}`)).out).toContain("shop");
    const stranger = await type("sites list --to https://api.example.com");
    expect([stranger.code, stranger.err]).toEqual([
      1,
      "petstore: There is no token for https://api.example.com. Run petstore login --to https://api.example.com, or set PETSTORE_TOKEN to an access token.\n",
    ]);
    const { code, out } = await type("logout");
    expect([code, out]).toEqual([0, `Deleted the stored token for ${other.origin}.\n`]);
    expect(readFileSync(fixture.credentialsFile, "utf8")).not.toContain(other.tokens.rival);
    expect((await type(`logout --to ${fixture.origin}`)).code).toBe(0);
    expect((await type("logout")).code).toBe(1);
    expect((await type("sites list")).err).toStartWith("petstore: There is no store at");
  });

  test("on a terminal, shows nothing of what is typed", async () => {
    const raw: boolean[] = [];
    const typed = async function* () {
      yield Buffer.from(`x\u007f${fixture.tokens.shop.slice(0, 9)}`);
      yield Buffer.from(`${fixture.tokens.shop.slice(9)}\rignored`);
    };
    const stdin = Object.assign(typed(), {
      isTTY: true,
      setRawMode: (on: boolean) => raw.push(on),
    });
    const { code, out, err } = await type(`login --to ${fixture.origin}`, stdin);
    expect([code, raw]).toEqual([0, [true, false]]);
    expect(err).toBe(`Paste the access token for ${fixture.origin}, then press Enter:\n`);
    expect(out + err).not.toContain(fixture.tokens.shop);
    const stopped = Object.assign(chunks("\u0003"), { setRawMode: (on: boolean) => raw.push(on) });
    expect((await type(`login --to ${fixture.origin}`, stopped)).code).toBe(130);
    expect(raw.at(-1)).toBe(false);
  });

  test.each([
    ["nothing", "", 2, "This is not an access token"],
    ["an API key", `pet_live_${"a".repeat(38)}`, 2, "This is not an access token"],
    ["a token with a slip", "slip", 2, "This is not an access token"],
    ["a token of another service", "strange", 1, "does not accept this token"],
  ])("stores nothing with %s", async (_what, typed, exitCode, message) => {
    const { shop } = fixture.tokens;
    const strange = async () => {
      await using other = await RemoteFixture.open();
      return other.tokens.shop;
    };
    const token = { slip: `${shop.slice(0, -1)}_`, strange: await strange() }[typed] ?? typed;
    const { code, err } = await login(token);
    expect([code, err]).toEqual([exitCode, expect.stringContaining(message)]);
    expect(() => statSync(fixture.credentialsFile)).toThrow("ENOENT");
  });

  test("refuses a file that others can read, or that is none of ours", async () => {
    await login(fixture.tokens.shop);
    chmodSync(fixture.credentialsFile, 0o644);
    const { code, err } = await type(`sites list --to ${fixture.origin}`);
    expect([code, err]).toEqual([1, expect.stringContaining("others can read or change it")]);
    chmodSync(fixture.credentialsFile, 0o600);
    for (const text of ["none", "[]", '{"tokens":{"a":1}}', '{"current":1,"tokens":{}}']) {
      writeFileSync(fixture.credentialsFile, text);
      const broken = await type("sites list");
      expect([text, broken.code, broken.err]).toEqual([
        text,
        1,
        expect.stringContaining("is not as petstore login writes it"),
      ]);
    }
  });

  test("needs the service", async () => {
    const { code, err } = await type("login");
    expect([code, err]).toEqual([2, expect.stringContaining("--to is missing")]);
  });
});
