/** Which key calls which operation, above all deprecated ones. */
import type { Lifecycle } from "../contract/document.ts";
import { allOperations, type OperationId } from "../contract/operations.ts";
import type { ApiKey, KeyUse } from "../petstore/keys/keys.ts";
import type { Command } from "./command.ts";
import { dateText, fromNow, iso, isoOrNull } from "./durations.ts";
import { readChoice } from "./readText.ts";
import { digits, listReport } from "./table.ts";
import { withStores } from "./withStores.ts";

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

export const keysUsage: Command = {
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

function usageJson(usage: Usage) {
  return {
    keyId: usage.keyId,
    keyName: usage.keyName,
    operation: usage.operation,
    calls: usage.calls,
    lastCallAt: iso(usage.lastCallAtMs),
    deprecated: usage.lifecycle !== undefined,
    sunsetAt: isoOrNull(usage.lifecycle?.sunsetAtMs),
    successor: usage.lifecycle?.successor ?? null,
  };
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
