import { describe, expect, test } from "bun:test";
import { Authenticator } from "../../src/petstore/keys/authenticator.ts";
import type { ApiKey, KeyStore } from "../../src/petstore/keys/keys.ts";
import { mintKey } from "../../src/petstore/keys/lifecycle.ts";
import { type Environment, mintToken } from "../../src/petstore/keys/token.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";

const cachedMax = 10_000;
const lifeMs = 3_600_000;

const codeOf = (checked: Promise<ApiKey>) =>
  checked.then(
    () => "accepted",
    (cause: { code?: string }) => cause.code,
  );

/** Keys in memory that count how often they are looked up. */
function world() {
  const clock = fakeClock(Date.UTC(2026, 10, 15));
  const keys = new Map<string, ApiKey>();
  const store = {
    revision: 1,
    lookups: 0,
    /** What happens while a key is looked up. */
    meanwhile: () => {},
  };
  const stored: Pick<KeyStore, "revision" | "findByHash"> = {
    revision: () => store.revision,
    findByHash(hash) {
      store.lookups++;
      const key = keys.get(hash);
      store.meanwhile();
      return key;
    },
  };
  const authenticator = new Authenticator(stored as KeyStore, "production", clock);
  const issue = (environment: Environment = "production") => {
    const expiresAtMs = clock.now() + lifeMs;
    const minted = mintKey({ name: "k", environment, scopes: "all", expiresAtMs }, clock);
    keys.set(minted.key.hash, minted.key);
    return minted;
  };
  const revoke = (key: ApiKey) => {
    keys.set(key.hash, { ...key, revokedAtMs: clock.now() });
    store.revision++;
  };
  const check = async (token: string) => await authenticator.check(token);
  return { clock, store, authenticator, issue, revoke, check };
}

describe("a key", () => {
  test("is looked up once, until any key changes", async () => {
    const { store, issue, check, revoke } = world();
    const { key, token } = issue();
    expect(await check(token)).toEqual(key);
    expect(await check(token)).toEqual(key);
    expect(store.lookups).toBe(1);
    revoke(issue().key);
    expect(await check(token)).toEqual(key);
    expect(store.lookups).toBe(2);
    revoke(key);
    expect(await codeOf(check(token))).toBe("key_revoked");
  });

  test("that changes while it is looked up is looked up again", async () => {
    const { store, authenticator, issue, revoke, check } = world();
    const { key, token } = issue();
    const other = issue();
    store.meanwhile = () => {
      store.meanwhile = () => {};
      revoke(key);
      authenticator.check(other.token);
    };
    expect(await check(token)).toEqual(key);
    expect(await codeOf(check(token))).toBe("key_revoked");
  });

  test("that expires is rejected, looked up or not", async () => {
    const { clock, issue, check } = world();
    const { token } = issue();
    await check(token);
    clock.advance(lifeMs);
    expect(await codeOf(check(token))).toBe("key_expired");
  });

  test("is recalled if it was checked since the last change and is active", async () => {
    const { clock, store, authenticator, issue, check } = world();
    const { key, token } = issue();
    const recalled = (revision = store.revision) =>
      authenticator.recall(token, revision, clock.now());
    expect(recalled()).toBeUndefined();
    await check(token);
    expect(recalled()).toEqual(key);
    expect(recalled(2)).toBeUndefined();
    clock.advance(lifeMs);
    expect(recalled()).toBeUndefined();
  });

  test("is forgotten with the others when there are too many", async () => {
    const { clock, store, issue, check } = world();
    const { token } = issue();
    await check(token);
    for (let count = 1; count < cachedMax; count++) await check(issue().token);
    await check(token);
    expect(store.lookups).toBe(cachedMax);
    const { token: last } = issue();
    await check(last);
    await check(last);
    await check(token);
    expect(store.lookups).toBe(cachedMax + 2);
    expect(await codeOf(check(mintToken("production", clock)))).toBe("key_invalid");
  });

  test("of another environment is named as such", async () => {
    const { issue, check, store } = world();
    const { token } = issue("staging");
    expect(await codeOf(check(token))).toBe("key_wrong_environment");
    await expect(check(token)).rejects.toThrow("This is a staging key, and this is production.");
    expect(await codeOf(check("pet_live_"))).toBe("key_invalid");
    expect(store.lookups).toBe(0);
  });
});
