/** Handing out keys, and taking them back. */
import { scopes as knownScopes } from "../contract/operations.ts";
import type { ApiKey, KeyStore } from "../petstore/keys/keys.ts";
import { keyState, mintKey, planRotation } from "../petstore/keys/lifecycle.ts";
import { hashToken, tokenEnvironment } from "../petstore/keys/token.ts";
import type { Command, Report } from "./command.ts";
import {
  fromNow,
  instantFromText,
  instantText,
  iso,
  isoOrNull,
  spanDaysMax,
  spanFromText,
  unitsText,
} from "./durations.ts";
import { CommandFailure } from "./errors.ts";
import { didYouMean, nearest, readName } from "./readText.ts";
import { table } from "./table.ts";
import { withNewStores, withStores } from "./withStores.ts";

const nameLengthMax = 100;
const nameDefault = "default";
const graceDefault = "24h";

const whichKey = { shown: "<id|name>", summary: "The key, by its id or its name" };

export const createKey: Command = {
  name: "keys create",
  summary: "Create an API key and show it once",
  options: {
    name: {
      value: "<name>",
      summary: `Whose it is, 1 to ${nameLengthMax} characters (default "${nameDefault}")`,
    },
    scopes: { value: "<a,b>", summary: `What it may do: ${knownScopes.join(", ")} (default all)` },
    expires: { value: "<when>", summary: "After a time (90d, 24h) or on a date (2030-01-31)" },
  },
  about: `The key itself is not stored, only a hash of it: write it down when it is shown.\nA time is a whole number and one of ${unitsText}.`,
  examples: [
    "petstore keys create --name ci",
    "petstore keys create --name report --scopes pets:read --expires 90d",
  ],
  async run(call, context) {
    const { values } = call;
    const minted = mintKey(
      {
        name: readName("--name", values.get("name") ?? nameDefault, nameLengthMax),
        environment: context.environment,
        scopes: readScopes(values.get("scopes")),
        expiresAtMs: readExpiry(values.get("expires"), context.clock.now()),
      },
      context.clock,
    );
    const { key, token } = minted;
    const { result: others, made } = await withNewStores(call, context, async ({ keys }) => {
      const others = await keys.list();
      await keys.add(key);
      return others;
    });
    const namesakes = others.filter(
      (other) => other.name === key.name && keyState(other, key.createdAtMs) === "active",
    );
    return {
      json: { ...mintedJson(key, token), ...made },
      text: [
        `Created the ${key.environment} key "${key.name}" (${key.id}). ${powersOf(key)}`,
        shownOnce(token),
        ...namesakesText(key.name, namesakes),
      ].join("\n"),
    };
  },
};

export const listKeys: Command = {
  name: "keys list",
  summary: "List keys, without the secrets",
  options: {},
  examples: ["petstore keys list"],
  async run(_call, context) {
    const keys = await withStores(context, (stores) => stores.keys.list());
    const now = context.clock.now();
    return { json: keys.map((key) => keyJson(key, now)), text: listText(keys, now) };
  },
};

export const rotateKey: Command = {
  name: "keys rotate",
  summary: "Replace a key; the old one works for a grace period",
  operand: whichKey,
  options: {
    grace: {
      value: "<time>",
      summary: `How long the old key still works (default ${graceDefault})`,
    },
  },
  about:
    "The new key has the name, the scopes and the length of life of the old one. The old key never\noutlives the expiry that it already has. --grace 0s ends it at once. A time is a whole number and\n" +
    `one of ${unitsText}.`,
  examples: ["petstore keys rotate ci", "petstore keys rotate key_4fK2mQ9xW1Zt --grace 7d"],
  async run({ operand, values }, context) {
    const graceMs = readGrace(values.get("grace") ?? graceDefault);
    const { old, rotation } = await withStores(context, async ({ keys }) => {
      const old = await findKey(keys, operand, context.clock.now());
      refuseUnlessRotatable(old, context.clock.now());
      const rotation = planRotation(old, graceMs, context.clock);
      await keys.rotate(old.id, rotation.oldExpiresAtMs, rotation.key);
      return { old, rotation };
    });
    const { key, token, oldExpiresAtMs } = rotation;
    const now = context.clock.now();
    const oldEnds =
      oldExpiresAtMs <= now
        ? `The old key ${old.id} has stopped working.`
        : `The old key ${old.id} works until ${instantText(oldExpiresAtMs)} (${fromNow(oldExpiresAtMs, now)}).`;
    return {
      json: {
        ...mintedJson(key, token),
        replaces: { id: old.id, expiresAt: iso(oldExpiresAtMs) },
      },
      text: `Rotated "${old.name}". Its new key is ${key.id}. ${powersOf(key)}\n${shownOnce(token)}\n${oldEnds}\n`,
    };
  },
};

export const revokeKey: Command = {
  name: "keys revoke",
  summary: "Revoke a key immediately",
  operand: whichKey,
  options: {},
  about: "A leaked key itself can be given instead of its id.",
  examples: ["petstore keys revoke ci"],
  async run({ operand }, context): Promise<Report> {
    const now = context.clock.now();
    const key = await withStores(context, async ({ keys }) => {
      const found = await findKey(keys, operand, now);
      if (found.revokedAtMs === undefined) await keys.revoke(found.id, now);
      return found;
    });
    const { id, name, revokedAtMs } = key;
    const said =
      revokedAtMs === undefined
        ? `Revoked "${name}" (${id}). It is refused from now on.`
        : `"${name}" (${id}) was revoked before (${fromNow(revokedAtMs, now)}). Nothing changed.`;
    return {
      json: {
        id,
        name,
        revokedAt: iso(revokedAtMs ?? now),
        alreadyRevoked: revokedAtMs !== undefined,
      },
      text: `${said}\n`,
    };
  },
};

function powersOf({ scopes, expiresAtMs }: ApiKey): string {
  const may = scopes === "all" ? "It may do everything" : `Its scopes are ${scopes.join(", ")}`;
  const ends =
    expiresAtMs === undefined ? "it does not expire" : `it expires ${instantText(expiresAtMs)}`;
  return `${may}, and ${ends}.`;
}

/** Names need not differ, but whoever repeats one may have meant to rotate. */
function namesakesText(name: string, namesakes: readonly ApiKey[]): string[] {
  if (namesakes.length === 0) return [];
  const ids = namesakes.map(({ id }) => id).join(", ");
  const keys = namesakes.length === 1 ? "Another active key is" : "Other active keys are";
  return [`${keys} named "${name}" too: ${ids}. Tell them apart by their ids.\n`];
}

function shownOnce(token: string): string {
  return [
    "",
    `  ${token}`,
    "",
    "It is shown this once and cannot be shown again. Send it with every request:",
    "",
    `  Authorization: Bearer ${token}`,
    "",
  ].join("\n");
}

function mintedJson(key: ApiKey, token: string) {
  return {
    key: token,
    id: key.id,
    name: key.name,
    environment: key.environment,
    scopes: key.scopes,
    expiresAt: isoOrNull(key.expiresAtMs),
    createdAt: iso(key.createdAtMs),
  };
}

function keyJson(key: ApiKey, nowMs: number) {
  return {
    id: key.id,
    name: key.name,
    environment: key.environment,
    hint: key.hint,
    scopes: key.scopes,
    state: keyState(key, nowMs),
    createdAt: iso(key.createdAtMs),
    expiresAt: isoOrNull(key.expiresAtMs),
    revokedAt: isoOrNull(key.revokedAtMs),
    replacedBy: key.replacedBy ?? null,
    lastUsedAt: isoOrNull(key.lastUsedAtMs),
  };
}

function listText(keys: readonly ApiKey[], nowMs: number): string {
  if (keys.length === 0) {
    return "There are no keys yet. Create one with petstore keys create --name <name>.\n";
  }
  const when = (instantMs: number | undefined) =>
    instantMs === undefined ? "never" : fromNow(instantMs, nowMs);
  return table([
    ["Id", "Name", "Hint", "Scopes", "State", "Created", "Expires", "Last used"],
    ...keys.map((key) => [
      key.id,
      key.name,
      key.hint,
      key.scopes === "all" ? "all" : key.scopes.join(","),
      stateText(key, nowMs),
      when(key.createdAtMs),
      when(key.expiresAtMs),
      when(key.lastUsedAtMs),
    ]),
  ]);
}

function refuseUnlessRotatable(key: ApiKey, nowMs: number): void {
  const refuse = (why: string): never => {
    throw new CommandFailure(`"${key.name}" (${key.id}) ${why}`);
  };
  if (key.replacedBy !== undefined) {
    refuse(`was rotated before: ${key.replacedBy} took its place. Rotate that one.`);
  }
  const state = keyState(key, nowMs);
  if (state !== "active") {
    const instead = "Create a new key with petstore keys create.";
    refuse(`is ${state}, and only an active key can be rotated. ${instead}`);
  }
}

function readScopes(text = "all"): ApiKey["scopes"] {
  if (text === "all") return "all";
  const wanted = [...new Set(text.split(",").map((scope) => scope.trim()))];
  for (const scope of wanted) {
    if (!knownScopes.includes(scope)) {
      throw new CommandFailure(
        `${JSON.stringify(scope)} is no scope.${didYouMean(nearest(scope, knownScopes))} The scopes are ${knownScopes.join(", ")}; leave --scopes out for all.`,
        2,
      );
    }
  }
  return wanted;
}

function readExpiry(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  const span = spanFromText(text);
  if (span?.kind === "too_long") throw tooLong("--expires", text);
  const instant = instantFromText(text);
  if (instant?.kind === "no_such_date") {
    throw new CommandFailure(`--expires ${text}: there is no such date or time of day.`, 2);
  }
  const expiresAtMs = span === undefined ? instant?.atMs : nowMs + span.ms;
  if (expiresAtMs === undefined) {
    throw new CommandFailure(
      `--expires must be a time such as 90d or 24h (a whole number and one of ${unitsText}), or a date such as 2030-01-31 or 2030-01-31T12:00:00Z.`,
      2,
    );
  }
  if (expiresAtMs <= nowMs) {
    throw new CommandFailure(`--expires must be in the future; ${instantText(nowMs)} is now.`, 2);
  }
  return expiresAtMs;
}

function readGrace(text: string): number {
  const span = spanFromText(text);
  if (span === undefined) {
    throw new CommandFailure(
      `--grace must be a time such as 24h, 7d or 0s: a whole number and one of ${unitsText}.`,
      2,
    );
  }
  if (span.kind === "too_long") throw tooLong("--grace", text);
  return span.ms;
}

function tooLong(option: string, text: string): CommandFailure {
  return new CommandFailure(
    `${option} ${text} is too far: a century (${spanDaysMax}d) is the most.`,
    2,
  );
}

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
