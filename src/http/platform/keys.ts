/** API keys, for operators. */

import { allOperations, scopes as knownScopes } from "../../contract/operations.ts";
import type { Clock } from "../../core/clock.ts";
import { Problem } from "../../core/problems.ts";
import type { ApiKey, KeyStore, KeyUse } from "../../petstore/keys/keys.ts";
import {
  catalogueKeyName,
  catalogueKeySeconds,
  keyNameError,
  keyState,
  type MintedKey,
  mintKey,
  planRotation,
} from "../../petstore/keys/lifecycle.ts";
import type { Environment } from "../../petstore/keys/token.ts";
import { invalid } from "./bodies.ts";
import { json, type PlatformHandlers } from "./handlers.ts";

export interface KeyHandlersParts {
  readonly keys: KeyStore;
  readonly environment: Environment;
  readonly clock: Clock;
}

const sunsets = new Map(
  allOperations.flatMap(({ id, lifecycle }) =>
    lifecycle === undefined ? [] : [[id, lifecycle] as const],
  ),
);

export function keyHandlers({ keys, environment, clock }: KeyHandlersParts) {
  const minted = ({ key, token }: MintedKey) =>
    json(201, { key: keyShown(key, [], clock.now()), token });

  async function find(wanted: string): Promise<ApiKey> {
    const found = (await keys.list()).find(({ id }) => id === wanted);
    if (found === undefined) throw new Problem("key_not_found");
    return found;
  }

  function refuseEnded(key: ApiKey): void {
    if (key.replacedBy === undefined && keyState(key, clock.now()) === "active") return;
    throw new Problem("key_ended", {
      detail: `${key.name} (${key.hint}) was rotated before, revoked or has expired. Create a new key.`,
    });
  }

  return {
    async listKeys() {
      const uses = Map.groupBy(await keys.listUses(), ({ keyId }) => keyId);
      const shown = (await keys.list()).map((key) =>
        keyShown(key, uses.get(key.id) ?? [], clock.now()),
      );
      return json(200, { scopes: knownScopes, keys: shown });
    },

    async createKey({ body: { name, scopes, expiresAtMs } }) {
      const wanted = {
        name: readName(name.trim()),
        environment,
        scopes: readScopes(scopes),
        expiresAtMs: readExpiry(expiresAtMs, clock.now()),
      };
      const made = mintKey(wanted, clock);
      await keys.add(made.key);
      return minted(made);
    },

    async rotateKey({ path, body: { graceSeconds } }) {
      const old = await find(path.key);
      refuseEnded(old);
      const rotation = planRotation(old, graceSeconds * 1000, clock);
      try {
        await keys.rotate(old.id, rotation.oldExpiresAtMs, rotation.key);
      } catch (cause) {
        // Another request may have ended it meanwhile.
        refuseEnded(await find(path.key));
        throw cause;
      }
      return minted(rotation);
    },

    async revokeKey({ path }) {
      const { id } = await find(path.key);
      await keys.revoke(id, clock.now());
      return { status: 204 };
    },

    /** For the page that asks, which keeps it in its memory and uses the public API with it. */
    async createCatalogueKey() {
      const expiresAtMs = clock.now() + catalogueKeySeconds * 1000;
      const wanted = { name: catalogueKeyName, environment, scopes: "all", expiresAtMs } as const;
      const { key, token } = mintKey(wanted, clock);
      await keys.add(key);
      return json(201, { id: key.id, token, expiresAtMs, livesSeconds: catalogueKeySeconds });
    },
  } satisfies Partial<PlatformHandlers>;
}

/** With the uses of this key. */
function keyShown(key: ApiKey, uses: readonly KeyUse[], nowMs: number) {
  const { id, name, hint, scopes, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs } = key;
  return {
    id,
    name,
    hint,
    scopes,
    state: keyState(key, nowMs),
    replacedBy: key.replacedBy,
    createdAtMs,
    expiresAtMs,
    revokedAtMs,
    lastUsedAtMs,
    dashboard: name === catalogueKeyName,
    deprecatedUses: deprecatedUses(uses),
  };
}

/** The store counts by day; the question is about all days. */
function deprecatedUses(uses: readonly KeyUse[]) {
  return [...sunsets].flatMap(([operation, { sunsetAtMs, successor }]) => {
    const own = uses.filter((use) => use.operation === operation);
    if (own.length === 0) return [];
    const count = own.reduce((sum, use) => sum + use.count, 0);
    const lastAtMs = Math.max(...own.map((use) => use.lastAtMs));
    return [{ operation, count, lastAtMs, sunsetAtMs, successor }];
  });
}

function readName(name: string): string {
  const error = keyNameError(name);
  if (error !== undefined) throw invalid(`name ${error}.`);
  return name;
}

function readScopes(given: ApiKey["scopes"] = "all"): ApiKey["scopes"] {
  if (given === "all") return "all";
  if (given.length === 0 || given.some((scope) => !knownScopes.includes(scope))) {
    throw invalid(`Choose at least one scope, of ${knownScopes.join(", ")}; or all of them.`);
  }
  return [...new Set(given)];
}

function readExpiry(given: number | null | undefined, nowMs: number): number | undefined {
  if (given === undefined || given === null) return undefined;
  if (given > nowMs) return given;
  throw invalid("expiresAtMs must be an instant to come, in milliseconds since 1970.");
}
