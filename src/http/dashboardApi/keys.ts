/** API keys, for operators. */
import type { Clock } from "../../clock.ts";
import { allOperations, scopes as knownScopes } from "../../contract/operations.ts";
import type { ApiKey, KeyStore, KeyUse } from "../../keys/keys.ts";
import { keyState, type MintedKey, mintKey, planRotation } from "../../keys/lifecycle.ts";
import type { Environment } from "../../keys/token.ts";
import type { InternalAnswer, InternalCall, Places } from "../internal/places.ts";
import { forOperators } from "./forOperators.ts";
import { invalid, membersOf, textIn } from "./reading.ts";
import { DashboardRefusal } from "./refusal.ts";

export interface KeyPlacesParts {
  readonly keys: KeyStore;
  readonly environment: Environment;
  readonly clock: Clock;
}

const nameLengthMax = 100;
const graceSecondsMax = 365 * 86_400;
/** The name of the keys that pages of the dashboard make for themselves. */
const dashboardName = "dashboard session";
const dashboardSeconds = 3_600;

const sunsets = new Map(
  allOperations.flatMap(({ id, lifecycle }) =>
    lifecycle === undefined ? [] : [[id, lifecycle] as const],
  ),
);

export function keyPlaces({ keys, environment, clock }: KeyPlacesParts): Places {
  async function list(): Promise<InternalAnswer> {
    const uses = await keys.listUses();
    const shown = (await keys.list()).map((key) => keyShown(key, uses, clock.now()));
    return { status: 200, body: { scopes: knownScopes, keys: shown } };
  }

  const minted = ({ key, token }: MintedKey): InternalAnswer => ({
    status: 201,
    body: { key: keyShown(key, [], clock.now()), token },
  });

  async function create({ body }: InternalCall): Promise<InternalAnswer> {
    const members = membersOf(await body(), ["name", "scopes", "expiresAtMs"]);
    const made = mintKey(
      {
        name: readName(members),
        environment,
        scopes: readScopes(members.scopes),
        expiresAtMs: readExpiry(members.expiresAtMs, clock.now()),
      },
      clock,
    );
    await keys.add(made.key);
    return minted(made);
  }

  async function find({ path }: InternalCall): Promise<ApiKey> {
    const found = (await keys.list()).find(({ id }) => id === path.key);
    if (found !== undefined) return found;
    throw new DashboardRefusal("key_not_found", "There is no such key.");
  }

  function refuseEnded(key: ApiKey): void {
    if (key.replacedBy === undefined && keyState(key, clock.now()) === "active") return;
    throw new DashboardRefusal(
      "key_ended",
      `${key.name} (${key.hint}) was rotated before, revoked or has expired. Create a new key.`,
    );
  }

  async function rotate(call: InternalCall): Promise<InternalAnswer> {
    const { graceSeconds } = membersOf(await call.body(), ["graceSeconds"]);
    const old = await find(call);
    refuseEnded(old);
    const rotation = planRotation(old, readGrace(graceSeconds) * 1000, clock);
    try {
      await keys.rotate(old.id, rotation.oldExpiresAtMs, rotation.key);
    } catch (cause) {
      // Somebody else may have ended it since we looked.
      refuseEnded(await find(call));
      throw cause;
    }
    return minted(rotation);
  }

  async function revoke(call: InternalCall): Promise<InternalAnswer> {
    const { id } = await find(call);
    await keys.revoke(id, clock.now());
    return { status: 204 };
  }

  /** For the page that asks, which keeps it in its memory and uses the public API with it. */
  async function catalogueKey(): Promise<InternalAnswer> {
    const expiresAtMs = clock.now() + dashboardSeconds * 1000;
    const wanted = { name: dashboardName, environment, scopes: "all", expiresAtMs } as const;
    const { key, token } = mintKey(wanted, clock);
    await keys.add(key);
    return {
      status: 201,
      body: { id: key.id, token, expiresAtMs, livesSeconds: dashboardSeconds },
    };
  }

  return forOperators({
    "/keys": { GET: list, POST: create },
    "/keys/{key}/rotate": { POST: rotate },
    "/keys/{key}/revoke": { POST: revoke },
    "/catalogue-key": { POST: catalogueKey },
  });
}

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
    dashboard: name === dashboardName,
    deprecatedUses: deprecatedUses(uses.filter(({ keyId }) => keyId === id)),
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

function readName(members: Readonly<Record<string, unknown>>): string {
  const name = textIn(members, "name").trim();
  if ([...name].length > nameLengthMax || /\p{Cc}/u.test(name) || !name.isWellFormed()) {
    throw invalid(`name must have 1 to ${nameLengthMax} characters, none of them invisible.`);
  }
  if (name === dashboardName) throw invalid(`The name ${name} is for pages of the dashboard.`);
  return name;
}

function readScopes(given: unknown = "all"): ApiKey["scopes"] {
  if (given === "all") return "all";
  const list: readonly unknown[] = Array.isArray(given) ? given : [];
  const unknown = list.filter((scope) => !knownScopes.includes(scope as string));
  if (list.length === 0 || unknown.length > 0) {
    throw invalid(`Choose at least one scope, of ${knownScopes.join(", ")}; or all of them.`);
  }
  return [...new Set(list as string[])];
}

function readExpiry(given: unknown, nowMs: number): number | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given === "number" && Number.isSafeInteger(given) && given > nowMs) return given;
  throw invalid("expiresAtMs must be an instant to come, in milliseconds since 1970.");
}

function readGrace(given: unknown): number {
  const fits = typeof given === "number" && Number.isSafeInteger(given);
  if (fits && given >= 0 && given <= graceSecondsMax) return given;
  throw invalid(`graceSeconds must be a whole number from 0 to ${graceSecondsMax}.`);
}
