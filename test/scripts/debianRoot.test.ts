/** What a Debian that is made here needs of this machine, takes along of it and leaves on it. */
import { describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  connectionSettings,
  debianMirror,
  trustedFiles,
} from "../../scripts/debian/callerSettings.ts";
import { unmetRequirements } from "../../scripts/debian/root.ts";

describe("a machine that cannot make another", () => {
  const fit = { platform: "linux", arch: "x64", uid: 0 };
  test("is told why", () => {
    expect(unmetRequirements(fit)).toEqual([]);
    expect(unmetRequirements({ ...fit, uid: 1000 })).toEqual([
      expect.stringContaining("needs root"),
    ]);
    expect(unmetRequirements({ ...fit, platform: "darwin" })).toEqual([
      expect.stringContaining("on Linux"),
    ]);
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

describe("the folder of a run", () => {
  const module = fileURLToPath(new URL("../../scripts/debian/root.ts", import.meta.url));
  const script = `import { existsSync } from "node:fs";
    const { runFolder } = await import(${JSON.stringify(module)});
    const folder = runFolder("test", () => console.log("in use:", existsSync(folder)));
    await Bun.write(folder + "/inner/file", "");
    console.log(folder);`;

  test.each([
    ["by itself", "", 0],
    ["by a fault", "throw new Error('fault');", 1],
    ["by a signal", "process.kill(process.pid, 'SIGTERM'); await new Promise(() => {});", 1],
  ])("goes with a script that ends %s, after what uses it", async (_, end, code) => {
    const child = spawn(process.execPath, ["-e", `${script} ${end}`], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      printed += chunk;
    });
    expect(await once(child, "close")).toEqual([code, null]);
    const [folder = "", use] = printed.trim().split("\n");
    expect([folder, use]).toEqual([expect.stringContaining("petstore-test-"), "in use: true"]);
    expect(existsSync(folder)).toBe(false);
  });
});
