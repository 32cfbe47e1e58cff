/** Libraries of Standard Webhooks in other languages accept what is sent, and nothing else. */
import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "../../scripts/proof/cachedTools.ts";
import { systemClock } from "../../src/core/clock.ts";
import { Vault } from "../../src/core/vault.ts";
import { signedHeaders } from "../../src/petstore/webhooks/signature.ts";
import { createEndpoint, openSecrets, rotateSecret } from "../../src/petstore/webhooks/webhooks.ts";

const folder = fileURLToPath(new URL("./receivers/", import.meta.url));
const minuteMs = 60_000;

/** Where `.ci/run` installs it, or wherever it is. */
const python = [join(cacheFolder, "webhook-receivers/bin/python"), "python3"].find(
  (command) => spawnSync(command, ["-c", "import standardwebhooks"]).status === 0,
);
/** Nothing is downloaded by a test. */
const goEnv = { ...process.env, GOPROXY: "off", GOFLAGS: "-mod=mod" };
const hasGo = spawnSync("go", ["list", "-deps", "."], { cwd: folder, env: goEnv }).status === 0;

const libraries = {
  Python: python && [python, "verify.py"],
  Go: hasGo ? ["go", "run", "."] : undefined,
};

const vault = new Vault("the secret of this service", systemClock);
const chosen = { url: "https://example.com/", types: undefined, description: "" };
const { endpoint, secret: old } = createEndpoint(chosen, vault, systemClock);
const { secrets, secret } = rotateSecret(endpoint, minuteMs, vault, systemClock);
const body = '{"id":7,"type":"pet.created","data":{"name":"Zoë 🐾"}}';

function signed(atMs = systemClock.now()) {
  const both = openSecrets({ ...endpoint, secrets }, vault, systemClock.now());
  return signedHeaders({ id: "evt_7", body }, both, atMs);
}

const cases = [
  ["accepted", { secret, headers: signed(), body }],
  ["accepted", { secret: old, headers: signed(), body }],
  [
    "refused",
    { secret: createEndpoint(chosen, vault, systemClock).secret, headers: signed(), body },
  ],
  ["refused", { secret, headers: signed(), body: `${body} ` }],
  ["refused", { secret, headers: { ...signed(), "webhook-id": "evt_8" }, body }],
  ["refused", { secret, headers: signed(systemClock.now() - 6 * minuteMs), body }],
  ["refused", { secret, headers: signed(systemClock.now() + 6 * minuteMs), body }],
] as const;

describe("the published library", () => {
  for (const [language, command] of Object.entries(libraries)) {
    const [program = "", ...args] = command ?? [];
    const name = `for ${language} accepts what either secret has signed, and no change of it`;
    test.skipIf(command === undefined)(name, () => {
      const input = cases.map(([, message]) => `${JSON.stringify(message)}\n`).join("");
      const { stdout, stderr } = spawnSync(program, args, {
        ...{ cwd: folder, env: goEnv, input, encoding: "utf8" },
      });
      expect(stderr).toBe("");
      expect(stdout.trim().split("\n")).toEqual(cases.map(([outcome]) => outcome));
    });
  }
});
