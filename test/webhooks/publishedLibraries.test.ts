/** Libraries of Standard Webhooks in other languages accept what is sent, and nothing else. */
import { describe, expect, test } from "bun:test";
import { webhookLibraries } from "../../scripts/proof/webhookLibraries.ts";
import { systemClock } from "../../src/core/clock.ts";
import { Vault } from "../../src/core/vault.ts";
import { signedHeaders } from "../../src/petstore/webhooks/signature.ts";
import { createEndpoint, openSecrets, rotateSecret } from "../../src/petstore/webhooks/webhooks.ts";

const minuteMs = 60_000;

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
  for (const [language, verify] of Object.entries(webhookLibraries())) {
    const name = `for ${language} accepts what either secret has signed, and no change of it`;
    test.skipIf(verify === undefined)(name, () => {
      const messages = cases.map(([, message]) => message);
      expect(verify?.(messages)).toEqual(cases.map(([outcome]) => outcome));
    });
  }
});
