import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { Vault } from "../../src/core/vault.ts";
import { signedHeaders } from "../../src/petstore/webhooks/signature.ts";
import { createEndpoint, openSecrets, rotateSecret } from "../../src/petstore/webhooks/webhooks.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";

const hourMs = 60 * 60_000;
const message = { id: "evt_7", body: '{"id":7,"data":{"name":"Zoë"}}' };
const chosen = { url: "https://example.com/", types: undefined, description: "" };
/** The published library compares the timestamp with the time of the machine. */
const clock = fakeClock(Date.now());
const vault = new Vault("the secret of this service", clock);

describe("a signature", () => {
  const { endpoint, secret } = createEndpoint(chosen, vault, clock);
  const headers = signedHeaders(message, openSecrets(endpoint, vault, clock.now()), clock.now());

  test("is accepted by the published library with the secret that was shown", () => {
    expect(new Webhook(secret).verify(message.body, { ...headers })).toEqual(
      JSON.parse(message.body),
    );
  });

  for (const [changed, body, sent] of [
    ["the body", `${message.body} `, headers],
    ["the id", message.body, { ...headers, "webhook-id": "evt_8" }],
    [
      "the time",
      message.body,
      { ...headers, "webhook-timestamp": `${Math.floor(clock.now() / 1000) - 1}` },
    ],
  ] as const) {
    test(`is refused after a change of ${changed}`, () => {
      expect(() => new Webhook(secret).verify(body, { ...sent })).toThrow("No matching signature");
    });
  }

  test("is refused with the secret of another endpoint", () => {
    const other = createEndpoint(chosen, vault, clock).secret;
    expect(() => new Webhook(other).verify(message.body, { ...headers })).toThrow();
  });
});

describe("a secret", () => {
  test("has 32 random bytes, and is sealed for its endpoint alone", () => {
    const { endpoint, secret } = createEndpoint(chosen, vault, clock);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(JSON.stringify(endpoint)).not.toContain(secret.slice(6));
    expect(openSecrets(endpoint, vault, clock.now())).toEqual([secret]);
    expect(() => openSecrets({ ...endpoint, id: "whe_other" }, vault, clock.now())).toThrow();
    expect(() => openSecrets(endpoint, new Vault("another", clock), clock.now())).toThrow();
  });

  test("signs beside its successor until the overlap is over", () => {
    const { endpoint, secret } = createEndpoint(chosen, vault, clock);
    const next = rotateSecret(endpoint, 24 * hourMs, vault, clock);
    const rotated = { ...endpoint, secrets: next.secrets };
    const at = (nowMs: number) => openSecrets(rotated, vault, nowMs);
    expect(at(clock.now() + 24 * hourMs - 1)).toEqual([next.secret, secret]);
    expect(at(clock.now() + 24 * hourMs)).toEqual([next.secret]);
    const headers = { ...signedHeaders(message, at(clock.now()), clock.now()) };
    for (const either of [secret, next.secret]) {
      expect(new Webhook(either).verify(message.body, headers)).toBeDefined();
    }
  });

  test("ends at once without an overlap, and with a second rotation", () => {
    const { endpoint, secret } = createEndpoint(chosen, vault, clock);
    const none = rotateSecret(endpoint, 0, vault, clock);
    expect(openSecrets({ ...endpoint, ...none }, vault, clock.now())).toEqual([none.secret]);
    const once = rotateSecret(endpoint, hourMs, vault, clock);
    const twice = rotateSecret({ ...endpoint, ...once }, hourMs, vault, clock);
    const signing = openSecrets({ ...endpoint, ...twice }, vault, clock.now());
    expect(signing).toEqual([twice.secret, once.secret]);
    expect(signing).not.toContain(secret);
  });
});
