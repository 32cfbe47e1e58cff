/** Who calls what: above all, who still calls what will go away. */
import type { Lifecycle } from "../contract/document.ts";
import { allOperations, type OperationId } from "../contract/operations.ts";
import type { ApiKey, KeyUse } from "../petstore/keys/keys.ts";
import type { Command } from "./command.ts";
import { dateText, fromNow, iso, isoOrNull } from "./durations.ts";
import { CommandFailure } from "./errors.ts";
import { didYouMean, nearest } from "./readText.ts";
import { digits, table } from "./table.ts";
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
    operation: { value: "<operationId>", summary: "Only this operation of the contract" },
    deprecated: { summary: "Only deprecated operations" },
  },
  about: "A running service writes its counts down every few seconds.",
  examples: ["petstore keys usage --deprecated", "petstore keys usage --operation getPet"],
  async run({ values, switches }, context) {
    const operation = readOperation(values.get("operation"));
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
    return {
      json: usages.map(usageJson),
      text:
        usages.length > 0
          ? usageTable(usages, now)
          : nothingText(operation, switches.has("deprecated"), now),
    };
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

function usageTable(usages: readonly Usage[], nowMs: number): string {
  return table([
    ["Key", "Name", "Operation", "Calls", "Last call", "Note"],
    ...usages.map((usage) => [
      usage.keyId,
      usage.keyName,
      usage.operation,
      digits(usage.calls),
      fromNow(usage.lastCallAtMs, nowMs),
      usage.lifecycle === undefined ? "" : `deprecated, ${fate(usage.lifecycle, nowMs)}`,
    ]),
  ]);
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
  if (operation !== undefined) return `No key has called ${operation} yet.\n`;
  if (!onlyDeprecated) return "No key has called anything yet.\n";
  const fates = deprecated.map(({ id, lifecycle }) =>
    lifecycle === undefined ? "" : `  ${id} ${fate(lifecycle, nowMs)}\n`,
  );
  return `No key has called a deprecated operation.\n${fates.join("")}`;
}

function readOperation(text: string | undefined): OperationId | undefined {
  if (text === undefined) return undefined;
  const known = allOperations.map(({ id }) => id);
  const found = known.find((id) => id === text);
  if (found !== undefined) return found;
  throw new CommandFailure(
    `${JSON.stringify(text)} is no operation.${didYouMean(nearest(text, known))} The operations are ${known.join(", ")}.`,
    2,
  );
}
