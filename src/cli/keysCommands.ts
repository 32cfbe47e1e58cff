/** Creates, lists, rotates and revokes API keys, and shows what they call. */

import type { Lifecycle } from "../contract/document.ts";
import { toJson } from "../contract/json.ts";
import { allOperations, scopes as knownScopes, type OperationId } from "../contract/operations.ts";
import type { ApiKey, KeyStore, KeyUse } from "../petstore/keys/keys.ts";
import {
  keyNameError,
  keyNameLengthMax,
  keyState,
  mintKey,
  planRotation,
  platformScope,
} from "../petstore/keys/lifecycle.ts";
import { hashToken, tokenEnvironment } from "../petstore/keys/token.ts";
import type { Command, Report } from "./command.ts";
import {
  dateText,
  fromNow,
  instantText,
  readInstant,
  readSpan,
  requireSpan,
  unitsText,
  whenText,
} from "./durations.ts";
import { CommandFailure, UsageError } from "./errors.ts";
import { readChoice, readText } from "./readText.ts";
import { digits, listReport, table } from "./table.ts";
import { withNewStores, withStores } from "./withStores.ts";

const nameDefault = "default";
const graceDefault = "24h";

const whichKey = { "<id|name>": "The key, by its id or its name" };

const createKey: Command = {
  name: "keys create",
  summary: "Create an API key and show it once",
  options: {
    "name <name>": `Whose it is, 1 to ${keyNameLengthMax} characters (default "${nameDefault}")`,
    "scopes <a,b>": "What it may do, of the scopes below (default all)",
    "expires <when>": "After a time (90d, 24h) or on a date (2030-01-31)",
  },
  about: `The scopes are ${knownScopes.join(", ").replace(", events:", ",\nevents:")}. By default it has all of them but ${platformScope}.\nThe key itself is not stored, only a hash of it: write it down when it is shown.\nA time is a whole number and one of ${unitsText}.`,
  examples: [
    "petstore keys create --name ci",
    "petstore keys create --name report --scopes pets:read --expires 90d",
  ],
  async run(call, context) {
    const { values } = call;
    const name = values.get("name") ?? nameDefault;
    const { key, token } = mintKey(
      {
        name: readText("--name", name, keyNameError(name)),
        environment: context.environment,
        scopes: readScopes(values.get("scopes")),
        expiresAtMs: readExpiry(values.get("expires"), context.clock.now()),
      },
      context.clock,
    );
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

const listKeys: Command = {
  name: "keys list",
  summary: "List keys, without the secrets",
  examples: ["petstore keys list"],
  async run(_call, context) {
    const keys = await withStores(context, (stores) => stores.keys.list());
    const now = context.clock.now();
    const when = (instantMs: number | undefined) =>
      instantMs === undefined ? "never" : fromNow(instantMs, now);
    return listReport(keys, {
      json: (key) => keyJson(key, now),
      columns: {
        Id: (key) => key.id,
        Name: (key) => key.name,
        Hint: (key) => key.hint,
        Scopes: ({ scopes }) => (scopes === "all" ? "all" : scopes.join(",")),
        State: (key) => stateText(key, now),
        Created: (key) => when(key.createdAtMs),
        Expires: (key) => when(key.expiresAtMs),
        "Last used": (key) => when(key.lastUsedAtMs),
      },
      empty: "There are no keys yet. Create one with petstore keys create --name <name>.",
    });
  },
};

const rotateKey: Command = {
  name: "keys rotate",
  summary: "Replace a key; the old one works for a grace period",
  operands: whichKey,
  options: {
    "grace <time>": `How long the old key still works (default ${graceDefault})`,
  },
  about:
    "The new key has the name, the scopes and the length of life of the old one. The old key never\noutlives the expiry that it already has. --grace 0s ends it at once. A time is a whole number and\n" +
    `one of ${unitsText}.`,
  examples: ["petstore keys rotate ci", "petstore keys rotate key_4fK2mQ9xW1Zt --grace 7d"],
  async run({ operand, values }, context) {
    const grace = values.get("grace") ?? graceDefault;
    const graceMs = requireSpan("--grace", grace, "24h, 7d or 0s");
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
        : `The old key ${old.id} works until ${whenText(oldExpiresAtMs, now)}.`;
    return {
      json: {
        ...mintedJson(key, token),
        replaces: toJson({ id: old.id, expiresAtMs: oldExpiresAtMs }),
      },
      text: `Rotated "${old.name}". Its new key is ${key.id}. ${powersOf(key)}\n${shownOnce(token)}\n${oldEnds}\n`,
    };
  },
};

const revokeKey: Command = {
  name: "keys revoke",
  summary: "Revoke a key immediately",
  operands: whichKey,
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
        ...toJson({ id, name, revokedAtMs: revokedAtMs ?? now }),
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

/** Names need not be unique, but a repeated one may mean that a rotation was intended. */
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

function mintedJson(
  { id, name, environment, scopes, expiresAtMs, createdAtMs }: ApiKey,
  key: string,
) {
  return toJson({ key, id, name, environment, scopes, expiresAtMs, createdAtMs });
}

function keyJson(key: ApiKey, nowMs: number) {
  const { hash: _, ...shown } = key;
  return { ...toJson(shown), state: keyState(key, nowMs) };
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
  const wanted = text.split(",").map((word) => readChoice("--scopes", word.trim(), knownScopes));
  return [...new Set(wanted)];
}

function readExpiry(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  const spanMs = readSpan("--expires", text);
  const expiresAtMs = spanMs === undefined ? readInstant("--expires", text) : nowMs + spanMs;
  if (expiresAtMs === undefined) {
    throw new UsageError(
      `--expires must be a time such as 90d or 24h (a whole number and one of ${unitsText}), or a date such as 2030-01-31 or 2030-01-31T12:00:00Z.`,
    );
  }
  if (expiresAtMs <= nowMs) {
    throw new UsageError(`--expires must be in the future; ${instantText(nowMs)} is now.`);
  }
  return expiresAtMs;
}

/** Finds the one key that is meant, by its id, its name or the key itself, or says why it cannot. */
async function findKey(store: KeyStore, meant: string, nowMs: number): Promise<ApiKey> {
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

function stateText(key: ApiKey, nowMs: number): string {
  const state = keyState(key, nowMs);
  return state === "active" && key.replacedBy !== undefined ? "active, replaced" : state;
}

/** All that one key did with one operation. */
interface Usage {
  readonly keyId: string;
  readonly keyName: string;
  readonly operation: OperationId;
  readonly lifecycle: Lifecycle | undefined;
  readonly calls: number;
  readonly lastCallAtMs: number;
}

const operations = new Map(allOperations.map((operation) => [operation.id, operation]));
const deprecated = allOperations.filter((operation) => operation.lifecycle !== undefined);

const keysUsage: Command = {
  name: "keys usage",
  summary: "Show which key calls which operation",
  options: {
    "operation <operationId>": "Only this operation of the contract",
    deprecated: "Only deprecated operations",
  },
  about: "A running service writes its counts down every few seconds.",
  examples: ["petstore keys usage --deprecated", "petstore keys usage --operation getPet"],
  async run({ values, switches }, context) {
    const typed = values.get("operation");
    const known = allOperations.map(({ id }) => id);
    const operation = typed === undefined ? undefined : readChoice("--operation", typed, known);
    const { keys, uses } = await withStores(context, async (stores) => ({
      keys: await stores.keys.list(),
      uses: await stores.keys.listUses(),
    }));
    const usages = sumOf(uses, keys).filter(
      (usage) =>
        (operation === undefined || usage.operation === operation) &&
        (!switches.has("deprecated") || usage.lifecycle !== undefined),
    );
    const now = context.clock.now();
    return listReport(usages, {
      json: usageJson,
      columns: {
        Key: ({ keyId }) => keyId,
        Name: ({ keyName }) => keyName,
        Operation: ({ operation }) => operation,
        Calls: ({ calls }) => digits(calls),
        "Last call": ({ lastCallAtMs }) => fromNow(lastCallAtMs, now),
        Note: ({ lifecycle }) => (lifecycle ? `deprecated, ${fate(lifecycle, now)}` : ""),
      },
      empty: nothingText(operation, switches.has("deprecated"), now),
    });
  },
};

/** The store counts by day; the question is about all days. */
function sumOf(uses: readonly KeyUse[], keys: readonly ApiKey[]): Usage[] {
  const names = new Map(keys.map((key) => [key.id, key.name]));
  const sums = new Map<string, Usage>();
  for (const { keyId, operation, count, lastAtMs } of uses) {
    const before = sums.get(`${keyId} ${operation}`);
    sums.set(`${keyId} ${operation}`, {
      keyId,
      keyName: names.get(keyId) ?? "",
      operation,
      lifecycle: operations.get(operation)?.lifecycle,
      calls: count + (before?.calls ?? 0),
      lastCallAtMs: Math.max(lastAtMs, before?.lastCallAtMs ?? lastAtMs),
    });
  }
  return [...sums.values()];
}

function usageJson({ lifecycle, ...usage }: Usage) {
  const { sunsetAtMs, successor } = lifecycle ?? {};
  return toJson({ ...usage, deprecated: lifecycle !== undefined, sunsetAtMs, successor });
}

function fate({ sunsetAtMs, successor }: Lifecycle, nowMs: number): string {
  const goes = sunsetAtMs > nowMs ? "goes away" : "went away";
  return `${goes} on ${dateText(sunsetAtMs)}; call ${successor} instead`;
}

function nothingText(
  operation: string | undefined,
  onlyDeprecated: boolean,
  nowMs: number,
): string {
  if (operation !== undefined) return `No key has called ${operation} yet.`;
  if (!onlyDeprecated) return "No key has called anything yet.";
  const fates = deprecated.map(({ id, lifecycle }) =>
    lifecycle === undefined ? "" : `\n  ${id} ${fate(lifecycle, nowMs)}`,
  );
  return `No key has called a deprecated operation.${fates.join("")}`;
}

/** In the order of the help. */
export const keysCommands: readonly Command[] = [
  createKey,
  listKeys,
  rotateKey,
  revokeKey,
  keysUsage,
];
