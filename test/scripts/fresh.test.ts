/** What `npm run fresh` is told, what it takes along to the bare machine, and what it takes for a failure. */
import { describe, expect, test } from "bun:test";
import { hindrance } from "../../scripts/fresh/bareMachine.ts";
import {
  connectionSettings,
  debianMirror,
  trustedFiles,
} from "../../scripts/fresh/callerSettings.ts";
import { readOptions, UsageError } from "../../scripts/fresh/options.ts";
import { outcomeOf } from "../../scripts/fresh/outcome.ts";

describe("the options", () => {
  test("are every supported Node.js, each with the npm it is released with, and all tests", () => {
    expect(readOptions([])).toEqual({
      runtimes: [
        { node: "20", npm: "10" },
        { node: "22", npm: "10" },
        { node: "26", npm: "11" },
      ],
      tests: "all",
      json: false,
    });
  });

  test("choose versions and tests", () => {
    const args = ["--node", "26", "--npm", "12", "--tests", "none", "--json"];
    expect(readOptions(args)).toEqual({
      runtimes: [{ node: "26", npm: "12" }],
      tests: "none",
      json: true,
    });
  });

  test.each([
    [["--node", "18"]],
    [["--node", ""]],
    [["--npm", "latest"]],
    [["--tests", "some"]],
    [["--tests"]],
    [["20"]],
  ])("%j are refused", (args) => {
    expect(() => readOptions(args)).toThrow(UsageError);
  });
});

describe("a machine that cannot make another", () => {
  const fit = { platform: "linux", arch: "x64", uid: 0 };
  test("is told why", () => {
    expect(hindrance(fit)).toBeUndefined();
    expect(hindrance({ ...fit, uid: 1000 })).toContain("needs root");
    expect(hindrance({ ...fit, platform: "darwin", uid: 0 })).toContain("on Linux");
  });
});

describe("what is taken along", () => {
  test("is how the registry is reached, and nothing else of an npmrc", () => {
    const everybody = "fund=false\nregistry = https://a.test/\n; proxy=no\n";
    const mine = `nodedir=/usr\nregistry="https://b.test/"\n@acme:registry=https://c.test/\n//b.test/:_authToken=\${TOKEN}\n`;
    expect(connectionSettings([everybody, mine], { TOKEN: "t", HOME: "/root" })).toEqual({
      npm_config_registry: "https://b.test/",
      "npm_config_@acme:registry": "https://c.test/",
      "npm_config_//b.test/:_authToken": "t",
    });
  });

  test("is what the environment says of it, which npm prefers", () => {
    const variables = {
      npm_config_registry: "https://b.test/",
      npm_config_https_proxy: "http://p.test/",
      npm_config_noproxy: "",
      npm_config_cache: "/root/.npm",
      no_proxy: "localhost",
      PATH: "/bin",
    };
    expect(connectionSettings(["registry=https://a.test/"], variables)).toEqual({
      npm_config_registry: "https://b.test/",
      npm_config_https_proxy: "http://p.test/",
      no_proxy: "localhost",
    });
  });

  test("are files of certificates, each once", () => {
    const variables = { NODE_EXTRA_CA_CERTS: "/a.pem", SSL_CERT_FILE: "/b.pem" };
    expect(trustedFiles(["fund=false\ncafile=/a.pem\n", "cafile = /c.pem"], variables)).toEqual([
      "/a.pem",
      "/b.pem",
      "/c.pem",
    ]);
    expect(trustedFiles([], {})).toEqual([]);
  });

  test("is the mirror that apt uses, in either format", () => {
    const stanza = "Types: deb\nURIs: http://m.test/debian\nSuites: bookworm\n";
    const line =
      "# deb http://no.test/debian x main\ndeb [arch=amd64] http://m.test/debian/ x main\n";
    expect(debianMirror([stanza])).toBe("http://m.test/debian");
    expect(debianMirror([line])).toBe("http://m.test/debian/");
    expect(debianMirror(["deb http://s.test/debian-security x main\n"])).toBeUndefined();
  });
});

describe("a check", () => {
  const install = { name: "npm ci", command: "npm ci", msMax: 1, warningsFail: true };
  const tests = { name: "npm test", command: "npm test", msMax: 1 };
  const when = { versions: "Node.js v20, npm 10", seconds: 3 };

  test("of npm ci passes without a warning, and a notice is none", () => {
    const output = "added 99 packages in 14s\nnpm notice New major version of npm available!\n";
    expect(outcomeOf(install, { code: 0, output }, when)).toEqual({
      ...when,
      check: "npm ci",
      passed: true,
      complaints: [],
    });
  });

  test("of npm ci fails with a warning, and repeats it", () => {
    const output = "npm warn EBADENGINE Unsupported engine\nadded 99 packages\n";
    const { passed, complaints } = outcomeOf(install, { code: 0, output }, when);
    expect([passed, complaints]).toEqual([false, ["npm warn EBADENGINE Unsupported engine"]]);
  });

  test("of the tests repeats the closing line, and names what failed", () => {
    const output = "(pass) a\n(fail) b > c [1ms]\n 7 pass\n9 passed, 1 failed\n";
    const { passed, closingLine, complaints } = outcomeOf(tests, { code: 1, output }, when);
    expect([passed, closingLine, complaints]).toEqual([
      false,
      "9 passed, 1 failed",
      ["(fail) b > c [1ms]"],
    ]);
  });

  test("that was killed fails, with the end of what it wrote", () => {
    const { passed, complaints } = outcomeOf(tests, { code: null, output: "half\n\n" }, when);
    expect([passed, complaints]).toEqual([false, ["half"]]);
  });
});
