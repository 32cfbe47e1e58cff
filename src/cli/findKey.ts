import type { ApiKey, KeyStore } from "../petstore/keys/keys.ts";
import { keyState } from "../petstore/keys/lifecycle.ts";
import { hashToken, tokenEnvironment } from "../petstore/keys/token.ts";
import { CommandFailure } from "./context.ts";
import { table } from "./table.ts";

/** Finds the one key that is meant, by its id, its name or the key itself, or says why it cannot. */
export async function findKey(store: KeyStore, meant: string, nowMs: number): Promise<ApiKey> {
  if (tokenEnvironment(meant) !== undefined) {
    const key = await store.findByHash(hashToken(meant));
    if (key !== undefined) return key;
    throw new CommandFailure("That key is none of this store's. See petstore keys list.");
  }
  const keys = await store.list();
  const byId = keys.find((key) => key.id === meant);
  if (byId !== undefined) return byId;

  const named = keys.filter((key) => key.name === meant);
  // Keys that ended keep their name; the one that still works is the one that is meant.
  const active = named.filter((key) => keyState(key, nowMs) === "active");
  const candidates = active.length === 1 ? active : named;
  const [only, ...others] = candidates;
  if (only === undefined) {
    throw new CommandFailure(
      `No key has the id or the name ${JSON.stringify(meant)}. See petstore keys list.`,
    );
  }
  if (others.length > 0) {
    const rows = candidates.map((key) => [`  ${key.id}`, key.hint, stateText(key, nowMs)]);
    throw new CommandFailure(
      `${candidates.length} keys are named ${JSON.stringify(meant)}. Say which by its id:\n${table(rows).trimEnd()}`,
    );
  }
  return only;
}

export function stateText(key: ApiKey, nowMs: number): string {
  const state = keyState(key, nowMs);
  return state === "active" && key.replacedBy !== undefined ? "active, replaced" : state;
}
