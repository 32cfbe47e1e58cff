/** Deploying as people do: the guide and the files for CI, line by line, against a service of its own. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { mintAccess } from "../../src/accounts/access.ts";
import { systemClock } from "../../src/core/clock.ts";
import { Vault } from "../../src/core/vault.ts";
import { certificateSeal } from "../../src/hosting/domains/domains.ts";
import {
  type Finished,
  petstore,
  type Running,
  startProcess,
} from "../../testkit/serviceProcess.ts";
import { tunnelTo } from "../cli/remote/proxies.ts";
import { createAuthority } from "../edge/certificates.ts";
import { describeOnEngines, type TestDatabase } from "./engines.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");

const inGuide = [...read("docs/guide/deploying.md").matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(
  ([, block = ""]) => block.trim().split("\n"),
);
const onServer = (line: string) => line.startsWith("petstore owners ");

interface GithubStep {
  readonly name?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}
const github: { jobs: { deploy: { steps: GithubStep[] } } } = parse(read("deploy/ci/github.yml"));
const gitlab: { deploy: { script: string[] } } = parse(read("deploy/ci/gitlab.yml"));
const deployStep = github.jobs.deploy.steps.find(({ name }) => name === "Deploy");

describeOnEngines("deploying from elsewhere", (engine) => {
  let database: TestDatabase;
  let service: Running;
  /** Of somebody who has no store. */
  let home: string;
  let origin: string;
  let token: string;

  beforeAll(async () => {
    database = await engine.newDatabase();
    service = await startProcess({ ...database.variables, PETSTORE_PROCESSES: "2" });
    origin = new URL(service.base).origin;
    home = mkdtempSync(join(tmpdir(), "petstore-home-"));
    mkdirSync(join(home, "bin"));
    symlinkSync(join(root, "bin/petstore"), join(home, "bin/petstore"));
    // In place of the one that would load the package that is named.
    const npx =
      '#!/bin/sh\ntest "$1 $2" = "--yes petstore.tgz" || exit 99\nshift 2\nexec petstore "$@"\n';
    writeFileSync(join(home, "bin/npx"), npx, { mode: 0o755 });
    mkdirSync(join(home, "build/guide"), { recursive: true });
    writeFileSync(join(home, "build/index.html"), "<h1>Home</h1>");
    writeFileSync(join(home, "build/guide/index.html"), "<h1>Guide</h1>");
    for (const line of inGuide.filter(onServer)) {
      const args = [...line.split(" ").slice(1), "--json"];
      const { code, stdout, stderr } = await petstore(args, database.variables);
      expect([line, code, stderr]).toEqual([line, 0, ""]);
      token = JSON.parse(stdout).token;
    }
  });
  afterAll(async () => {
    await service?.end("SIGTERM");
    await database?.remove();
    rmSync(home, { recursive: true, force: true });
  });

  /** In a shell that has nothing but these variables. */
  async function shell(line: string, variables = {}, input = ""): Promise<Finished> {
    const env = { HOME: home, PATH: `${home}/bin:${process.env["PATH"]}`, ...variables };
    const child = spawn("sh", ["-euc", line], { cwd: home, env });
    child.stdin.end(input);
    const text = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk) => {
      text.stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      text.stderr += chunk;
    });
    const [code] = await once(child, "close");
    return { code, ...text };
  }

  async function shown(path: string, at = "http://acme-docs.localhost/"): Promise<string> {
    const headers = { host: `${new URL(at).hostname}:${new URL(origin).port}` };
    return (await fetch(`${origin}${path}`, { headers })).text();
  }

  test("works as the guide says, line by line", async () => {
    const lines = inGuide.filter((line) => !onServer(line));
    expect(lines.length).toBeGreaterThan(6);
    let deployment = "";
    for (const line of lines) {
      const typed = line
        .replace("https://api.example.com", origin)
        .replace("dep_5f0c1d2e3a4b5c6d7e8f", deployment);
      if (line.includes("--preview")) writeFileSync(join(home, "build/index.html"), "<h1>New</h1>");
      const { code, stdout, stderr } = await shell(typed, {}, `${token}\n`);
      expect([typed, code, stderr.replace(/^Uploading .*\n/, "")]).toEqual([typed, 0, ""]);
      deployment = /dep_\w+/.exec(stdout)?.[0] ?? deployment;
    }
    expect(statSync(join(home, ".config/petstore/credentials.json")).mode & 0o777).toBe(0o600);
    expect(await shown("/guide/")).toBe("<h1>Guide</h1>");
    expect(await shown("/")).toBe("<h1>New</h1>");
  });

  test.each([
    ["GitHub", deployStep?.run ?? ""],
    ["GitLab", gitlab.deploy.script.at(-1) ?? ""],
  ])("works with the line of %s", async (name, line) => {
    writeFileSync(join(home, "build/index.html"), `<h1>By ${name}</h1>`);
    const variables = {
      PETSTORE_TO: origin,
      PETSTORE_PROJECT: "acme-docs",
      PETSTORE_PACKAGE: "petstore.tgz",
      PETSTORE_TOKEN: token,
    };
    const { code, stdout, stderr } = await shell(line, variables);
    expect([code, stderr]).toEqual([0, "Uploading 1 of 2 files (18 bytes).\n"]);
    expect(stdout).toContain("shows them now.");
    expect(await shown("/")).toBe(`<h1>By ${name}</h1>`);
    const preview = /^(\S+) shows this deployment alone\.$/m.exec(stdout)?.[1];
    expect(await shown("/", preview)).toBe(`<h1>By ${name}</h1>`);
    const wrong = await shell(line, { ...variables, PETSTORE_TOKEN: "pet_owner_wrong" });
    expect([wrong.code, wrong.stdout]).toEqual([2, ""]);
  });
});

describe("a service behind a name with TLS", () => {
  const vault = new Vault("a secret that only tests ever use, of good length", systemClock);
  const authority = createAuthority();
  const { chainPem, sealedKey } = authority.issue("localhost", "cert_a", vault);
  const key = vault.open(sealedKey, certificateSeal("localhost", "cert_a"));
  const { token } = mintAccess({ kind: "operator" }, "test", systemClock);
  const folder = mkdtempSync(join(tmpdir(), "petstore-tls-"));
  const roots = join(folder, "roots.pem");
  writeFileSync(roots, authority.certificatePem);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function serving() {
    const server = createTlsServer({ key, cert: chainPem }, (_, response) => response.end("[]"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return { server, port, to: `https://localhost:${port}` };
  }

  test("is trusted by the root of NODE_EXTRA_CA_CERTS, and not without", async () => {
    const { server, to } = await serving();
    const variables = { PETSTORE_TO: to, PETSTORE_TOKEN: token };
    const trusting = { ...variables, NODE_EXTRA_CA_CERTS: roots };
    const { code, stdout, stderr } = await petstore(["sites", "list", "--json"], trusting);
    expect([code, stdout, stderr]).toEqual([0, "[]\n", ""]);
    const without = await petstore(["sites", "list"], variables);
    expect(without.code).toBe(1);
    expect(without.stderr).toContain("has no certificate that can be trusted");
    server.close();
  });

  test("is reached by way of HTTPS_PROXY, unless NO_PROXY names it", async () => {
    const { server, port, to } = await serving();
    await using proxy = await tunnelTo(port);
    const variables = {
      PETSTORE_TO: to,
      PETSTORE_TOKEN: token,
      NODE_EXTRA_CA_CERTS: roots,
      HTTPS_PROXY: proxy.origin,
    };
    const { code, stderr } = await petstore(["sites", "list"], variables);
    expect([code, stderr, proxy.targets]).toEqual([0, "", [`localhost:${port}`]]);
    const direct = await petstore(["sites", "list"], { ...variables, NO_PROXY: "localhost" });
    expect([direct.code, proxy.targets.length]).toEqual([0, 1]);
    server.close();
  });
});

describe("the files for CI", () => {
  test("name the variables that they use, in the comment at their top", () => {
    const uses = (text: string) => new Set(text.match(/PETSTORE_[A-Z]+/g));
    for (const file of ["deploy/ci/github.yml", "deploy/ci/gitlab.yml"]) {
      const top = (read(file).match(/^#.*$/gm) ?? []).join("\n");
      expect([...uses(top)].sort()).toEqual([
        "PETSTORE_PACKAGE",
        "PETSTORE_PROJECT",
        "PETSTORE_TO",
        "PETSTORE_TOKEN",
      ]);
    }
    expect(Object.keys(deployStep?.env ?? {}).sort()).toEqual(
      [...uses(read("deploy/ci/gitlab.yml"))].sort(),
    );
  });
});
