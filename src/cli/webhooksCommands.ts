/** Creates, tests, rotates and removes webhook endpoints, and shows and replays their deliveries. */
import { toJson } from "../contract/json.ts";
import {
  type EventPattern,
  eventPatterns,
  matchingTypes,
  shopPatterns,
} from "../petstore/events/events.ts";
import { urlError } from "../petstore/webhooks/address.ts";
import { signedHeaders } from "../petstore/webhooks/signature.ts";
import {
  createEndpoint,
  type Delivery,
  deliveryStates,
  descriptionLengthMax,
  type Endpoint,
  endpointsMax,
  openSecrets,
  rotateSecret,
  type WebhookStore,
} from "../petstore/webhooks/webhooks.ts";
import type { Command } from "./command.ts";
import type { CliContext, WebhookTools } from "./context.ts";
import { fromNow, requireSpan, unitsText, whenText } from "./durations.ts";
import { CommandFailure, UsageError } from "./errors.ts";
import { readChoice, readText, readWhole } from "./readText.ts";
import { counted, listReport, table } from "./table.ts";
import { withStores } from "./withStores.ts";

const whichEndpoint = { "<id>": "The endpoint, by its id" };
const overlapDefault = "24h";
const limitDefault = 50;
const limitMax = 1_000;

/** A line for each kind. */
const typesText = eventPatterns
  .filter((pattern) => pattern.endsWith("*"))
  .map((pattern) => `  ${matchingTypes([pattern]).join(", ")}`)
  .reduce((text, line) => `${text}\n${line}`, "The types are:");

const createWebhook: Command = {
  name: "webhooks create",
  summary: "Create an endpoint that events are sent to",
  operands: { "<url>": "Where to, such as https://example.com/webhooks" },
  options: {
    "types <a,b>": `Which events, such as key.* or pet.created, or all (default ${shopPatterns})`,
    "description <text>": `What it is for, up to ${descriptionLengthMax} characters`,
  },
  about: `${typesText}\nIts secret verifies signatures, and is shown this once.`,
  examples: [
    "petstore webhooks create https://example.com/webhooks",
    "petstore webhooks create https://example.com/webhooks --types order.placed,domain.*",
  ],
  async run({ operand, values }, context) {
    return withTools(context, async (tools) => {
      const url = readText("<url>", operand, urlError(operand, tools.isAllowed));
      const types = readTypes(values.get("types"));
      const description = readDescription(values.get("description") ?? "");
      const wanted = { url: new URL(url).href, types, description };
      const { endpoint, secret } = createEndpoint(wanted, tools.vault, context.clock);
      const isAdded = await withStores(context, ({ webhooks }) => webhooks.add(endpoint));
      if (!isAdded) {
        throw new CommandFailure(`There are ${endpointsMax} endpoints already. Remove one first.`);
      }
      return {
        json: { ...endpointJson(endpoint), secret },
        text: `Created ${endpoint.id}, which gets events from now on.\n${shownOnce(secret)}`,
      };
    });
  },
};

const listWebhooks: Command = {
  name: "webhooks list",
  summary: "List endpoints",
  examples: ["petstore webhooks list"],
  async run(_call, context) {
    const endpoints = await withStores(context, ({ webhooks }) => webhooks.list());
    return listReport(endpoints, {
      json: endpointJson,
      columns: {
        Id: ({ id }) => id,
        URL: ({ url }) => url,
        Types: ({ types }) => types?.join(",") ?? "all",
        State: stateText,
        Created: ({ createdAtMs }) => fromNow(createdAtMs, context.clock.now()),
      },
      empty: "There are no endpoints yet. Create one with petstore webhooks create <url>.",
    });
  },
};

const showWebhook: Command = {
  name: "webhooks show",
  summary: "Show an endpoint and what waits for it",
  operands: whichEndpoint,
  examples: ["petstore webhooks show whe_4fK2mQ9xW1Zt"],
  async run({ operand }, context) {
    const now = context.clock.now();
    const found = await withStores(context, async ({ webhooks, events }) => {
      const endpoint = await findEndpoint(webhooks, operand);
      const behind = (await events.lastId()) - endpoint.place;
      return { endpoint, behind, pending: await webhooks.countPending(endpoint.id) };
    });
    const { endpoint, behind, pending } = found;
    const { failingSinceMs } = endpoint;
    const text = table([
      ["Endpoint", endpoint.id],
      ["URL", endpoint.url],
      ["Description", endpoint.description],
      ["Types", endpoint.types?.join(", ") ?? "all"],
      ["State", stateText(endpoint)],
      ["Created", whenText(endpoint.createdAtMs, now)],
      ["Failing", failingSinceMs === undefined ? "no" : `since ${whenText(failingSinceMs, now)}`],
      ["Pending", counted(pending, "delivery", "deliveries")],
      ["Not looked at", counted(behind, "event")],
    ]);
    return { json: { ...endpointJson(endpoint), pending, behind }, text };
  },
};

const testWebhook: Command = {
  name: "webhooks test",
  summary: "Send a signed test message now",
  operands: whichEndpoint,
  about: 'Its type is "webhook.test". It is sent once and not listed among the deliveries.',
  examples: ["petstore webhooks test whe_4fK2mQ9xW1Zt"],
  async run({ operand }, context) {
    return withTools(context, async (tools) => {
      const endpoint = await withStores(context, ({ webhooks }) => findEndpoint(webhooks, operand));
      const nowMs = context.clock.now();
      const timestamp = new Date(nowMs).toISOString();
      const body = JSON.stringify({ type: "webhook.test", timestamp, data: {} });
      const id = `test_${Buffer.from(context.clock.random(9)).toString("base64url")}`;
      const secrets = openSecrets(endpoint, tools.vault, nowMs);
      const headers = signedHeaders({ id, body }, secrets, nowMs);
      const attempt = await tools.send({ url: endpoint.url, headers, body });
      const { status = 0, error, durationMs } = attempt;
      const isGood = error === undefined && status >= 200 && status < 300;
      const said = error ?? `It responded ${status} after ${durationMs} ms.`;
      return {
        json: { id, delivered: isGood, ...toJson({ ...attempt }) },
        text: `${isGood ? "Delivered." : "Not delivered."} ${said}\n`,
        exitCode: isGood ? 0 : 1,
      };
    });
  },
};

const listDeliveries: Command = {
  name: "webhooks deliveries",
  summary: "List deliveries to an endpoint, newest first",
  operands: whichEndpoint,
  options: {
    "state <state>": "Only those that are pending, delivered or failed",
    "before <event>": "Only of events with a smaller id, to continue a list",
    "limit <number>": `How many at most, 1 to ${limitMax} (default ${limitDefault})`,
  },
  about: "With --json, each has its body and its attempts, with the start of each response.",
  examples: ["petstore webhooks deliveries whe_4fK2mQ9xW1Zt --state failed"],
  async run({ operand, values }, context) {
    const [state, before] = [values.get("state"), values.get("before")];
    const query = {
      state: state === undefined ? undefined : readChoice("--state", state, deliveryStates),
      before: before === undefined ? undefined : readEvent("before", before),
      limit: readWhole("limit", values.get("limit") ?? `${limitDefault}`, 1, limitMax),
    };
    const deliveries = await withStores(context, async ({ webhooks }) => {
      const { id } = await findEndpoint(webhooks, operand);
      return webhooks.listDeliveries({ endpointId: id, ...query });
    });
    const now = context.clock.now();
    return listReport(deliveries, {
      json: (delivery) => ({
        ...toJson({ ...delivery, attempts: undefined }),
        attempts: delivery.attempts.map((each) => toJson({ ...each })),
      }),
      columns: {
        Event: ({ eventId }) => String(eventId),
        Type: ({ type }) => type,
        State: ({ state }) => state,
        Attempts: ({ attempts }) => String(attempts.length),
        Last: lastText,
        Next: ({ dueAtMs }) => (dueAtMs === undefined ? "" : fromNow(dueAtMs, now)),
      },
      empty: "There are no such deliveries.",
    });
  },
};

const replayWebhook: Command = {
  name: "webhooks replay",
  summary: "Deliver an event again, or all that failed",
  operands: { ...whichEndpoint, "[<event>]": "The id of the event; left out with --failed" },
  options: { failed: "All deliveries that failed" },
  about: "It has the same webhook-id as before. A running service sends it within seconds.",
  examples: [
    "petstore webhooks replay whe_4fK2mQ9xW1Zt 17",
    "petstore webhooks replay whe_4fK2mQ9xW1Zt --failed",
  ],
  async run({ operand, second, switches }, context) {
    if ((second === "") !== switches.has("failed")) {
      throw new UsageError("Name the event to replay, or use --failed, and not both.");
    }
    const eventId = second === "" ? undefined : readEvent("<event>", second);
    const replayed = await withStores(context, async ({ webhooks }) => {
      const { id } = await findEndpoint(webhooks, operand);
      const which = { endpointId: id, eventId, nowMs: context.clock.now() };
      let total = 0;
      for (;;) {
        const count = await webhooks.replay(which);
        total += count;
        if (count === 0 || eventId !== undefined) return total;
      }
    });
    if (replayed === 0 && eventId !== undefined) {
      throw new CommandFailure(
        `Event ${eventId} was never meant for this endpoint, or is no longer kept. See petstore webhooks deliveries ${operand}.`,
      );
    }
    const text = `${counted(replayed, "delivery", "deliveries")} will be sent again.\n`;
    return { json: { replayed }, text };
  },
};

const rotateWebhook: Command = {
  name: "webhooks rotate",
  summary: "Replace the secret of an endpoint; both sign for a while",
  operands: whichEndpoint,
  options: { "overlap <time>": `How long the old one still signs (default ${overlapDefault})` },
  about: `--overlap 0s ends it at once. A time is a whole number and one of ${unitsText}.`,
  examples: ["petstore webhooks rotate whe_4fK2mQ9xW1Zt --overlap 7d"],
  async run({ operand, values }, context) {
    const overlap = values.get("overlap") ?? overlapDefault;
    const overlapMs = requireSpan("--overlap", overlap, "24h, 7d or 0s");
    return withTools(context, async ({ vault }) => {
      const { endpoint, secret } = await withStores(context, async ({ webhooks }) => {
        const endpoint = await findEndpoint(webhooks, operand);
        const next = rotateSecret(endpoint, overlapMs, vault, context.clock);
        if (!(await webhooks.replaceSecrets(endpoint, next.secrets))) {
          throw new CommandFailure("It was changed at the same time. Nothing was done; try again.");
        }
        return { endpoint, secret: next.secret };
      });
      const until = context.clock.now() + overlapMs;
      const old =
        overlapMs > 0
          ? `The old secret also signs until ${whenText(until, context.clock.now())}.`
          : "The old secret signs no more.";
      return {
        json: { ...endpointJson(endpoint), secret },
        text: `Rotated the secret of ${endpoint.id}. ${old}\n${shownOnce(secret)}`,
      };
    });
  },
};

/** A command that changes whether an endpoint gets events. */
function changing(
  name: string,
  summary: string,
  change: (store: WebhookStore, id: string, nowMs: number) => Promise<boolean>,
  done: string,
): Command {
  return {
    name: `webhooks ${name}`,
    summary,
    operands: whichEndpoint,
    examples: [`petstore webhooks ${name} whe_4fK2mQ9xW1Zt`],
    async run({ operand }, context) {
      const nowMs = context.clock.now();
      const isDone = await withStores(context, ({ webhooks }) => change(webhooks, operand, nowMs));
      if (!isDone) throw noSuchEndpoint(operand);
      return { json: { id: operand }, text: `${operand} ${done}\n` };
    },
  };
}

async function withTools<T>(
  context: CliContext,
  work: (tools: WebhookTools) => Promise<T>,
): Promise<T> {
  const tools = context.webhooks();
  try {
    return await work(tools);
  } finally {
    await tools.close();
  }
}

/** Undefined for all. What belongs to others must be asked for. */
function readTypes(text: string = shopPatterns.join()): readonly EventPattern[] | undefined {
  if (text === "all") return undefined;
  const read = (each: string) => readChoice("--types", each.trim(), eventPatterns);
  return [...new Set(text.split(",").map(read))];
}

function readDescription(text: string): string {
  const isLong = text.length > descriptionLengthMax;
  const error = isLong ? `must have at most ${descriptionLengthMax} characters` : undefined;
  return readText("--description", text, error);
}

function readEvent(what: string, text: string): number {
  return readWhole(what, text, 1, 999_999_999_999);
}

async function findEndpoint(store: WebhookStore, id: string): Promise<Endpoint> {
  const found = (await store.list()).find((endpoint) => endpoint.id === id);
  if (found === undefined) throw noSuchEndpoint(id);
  return found;
}

function noSuchEndpoint(id: string): CommandFailure {
  return new CommandFailure(
    `No endpoint has the id ${JSON.stringify(id)}. See petstore webhooks list.`,
  );
}

const disabledTexts = {
  operator: "disabled",
  gone: "disabled: it responded 410",
  failing: "disabled: three days of failures alone",
} as const;

function stateText({ disabled, failingSinceMs }: Endpoint): string {
  if (disabled !== undefined) return disabledTexts[disabled.reason];
  return failingSinceMs === undefined ? "enabled" : "enabled, failing";
}

function lastText({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  return last?.error ?? (last?.status === undefined ? "" : String(last.status));
}

function endpointJson({ secrets: _, ...endpoint }: Endpoint) {
  const { types, disabled, ...rest } = endpoint;
  return { ...toJson({ ...rest, disabled }), types: types ?? "all" };
}

function shownOnce(secret: string): string {
  return `\n  ${secret}\n\nThe secret is shown this once and cannot be shown again.\n`;
}

/** In the order of the help. */
export const webhooksCommands: readonly Command[] = [
  createWebhook,
  listWebhooks,
  showWebhook,
  testWebhook,
  listDeliveries,
  replayWebhook,
  rotateWebhook,
  changing(
    ...(["enable", "Send events to an endpoint again, from where it stopped"] as const),
    (store, id) => store.setDisabled(id, undefined),
    "is enabled. It gets what it has missed.",
  ),
  changing(
    ...(["disable", "Send nothing to an endpoint until it is enabled"] as const),
    (store, id, atMs) => store.setDisabled(id, { atMs, reason: "operator" }),
    "is disabled.",
  ),
  changing(
    ...(["remove", "Remove an endpoint and its deliveries"] as const),
    (store, id) => store.remove(id),
    "is removed, with its deliveries.",
  ),
];
