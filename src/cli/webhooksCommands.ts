/** Creates, tests, rotates and removes webhook endpoints, and shows and replays their deliveries. */
import type {
  Attempt,
  Delivery,
  EventTypes,
  Header,
  MintedWebhook,
  Webhook,
} from "../contract/generated/platform.ts";
import { eventTypes } from "../contract/operations.ts";
import { eventPatterns, matchingTypes, shopPatterns } from "../petstore/events/events.ts";
import { deliveryStates, descriptionLengthMax } from "../petstore/webhooks/webhooks.ts";
import type { Command } from "./command.ts";
import { printable } from "./domainsText.ts";
import { fromNow, requireSpan, unitsText, whenText } from "./durations.ts";
import { UsageError } from "./errors.ts";
import { onService } from "./hosting.ts";
import { readChoice, readText, readWhole } from "./readText.ts";
import { counted, listReport, table } from "./table.ts";
import { type HostedWebhooks, withWebhooks } from "./webhooksAccess.ts";

const whichEndpoint = { "<id>": "The endpoint, by its id" };
const overlapDefault = "24h";
const limitDefault = 50;
const limitMax = 200;
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
    ...onService,
  },
  about: `${typesText}\nIts secret verifies signatures, and is shown this once.`,
  examples: [
    "petstore webhooks create https://example.com/webhooks",
    "petstore webhooks create https://example.com/webhooks --types 'order.placed,domain.*'",
  ],
  async run(call, context) {
    const { operand: url, values } = call;
    const types = readTypes(values.get("types") ?? shopPatterns.join());
    const description = readDescription(values.get("description") ?? "");
    const wanted = { url, types, description };
    const made = await withWebhooks(call, context, (webhooks) => webhooks.create(wanted));
    const text = `Created ${made.webhook.id}, which gets events from now on.\n`;
    return { json: mintedJson(made), text: text + shownOnce(made) };
  },
};

const updateWebhook: Command = {
  name: "webhooks update",
  summary: "Change where an endpoint is, or what it gets",
  operands: whichEndpoint,
  options: {
    "url <url>": "Where to; retries go there, too",
    "types <a,b>": "Which events, such as key.* or pet.created, or all",
    "description <text>": `What it is for, up to ${descriptionLengthMax} characters`,
    ...onService,
  },
  examples: [
    "petstore webhooks update whe_4fK2mQ9xW1Zt --url https://example.com/hooks --types all",
  ],
  async run(call, context) {
    const { operand: id, values } = call;
    const [url, types] = [values.get("url"), values.get("types")];
    const description = values.get("description");
    if (url === undefined && types === undefined && description === undefined) {
      throw new UsageError("Name what to change: --url, --types or --description.");
    }
    const wanted = {
      ...(url === undefined ? {} : { url }),
      ...(types === undefined ? {} : { types: readTypes(types) }),
      ...(description === undefined ? {} : { description: readDescription(description) }),
    };
    const changed = await withWebhooks(call, context, async (webhooks) => {
      const { url, types, description } = await webhooks.show(id);
      return webhooks.update(id, { url, types, description, ...wanted });
    });
    return { json: changed, text: `Updated ${id}.\n` };
  },
};

const listWebhooks: Command = {
  name: "webhooks list",
  summary: "List endpoints",
  options: onService,
  examples: ["petstore webhooks list"],
  async run(call, context) {
    const endpoints = await withWebhooks(call, context, (webhooks) => webhooks.list());
    const now = context.clock.now();
    return listReport(endpoints, {
      columns: {
        Id: ({ id }) => id,
        URL: ({ url }) => url,
        Types: ({ types }) => typesOf(types, ","),
        State: stateText,
        Created: ({ createdAt }) => fromNow(Date.parse(createdAt), now),
      },
      empty: "There are no endpoints yet. Create one with petstore webhooks create <url>.",
    });
  },
};

const showWebhook: Command = {
  name: "webhooks show",
  summary: "Show an endpoint and what waits for it",
  operands: whichEndpoint,
  options: onService,
  examples: ["petstore webhooks show whe_4fK2mQ9xW1Zt"],
  async run(call, context) {
    const shown = await withWebhooks(call, context, (webhooks) => webhooks.show(call.operand));
    const when = (at: string) => whenText(Date.parse(at), context.clock.now());
    const { disabled, failingSince, oldSecretExpiresAt } = shown;
    const text = table([
      ["Endpoint", shown.id],
      ["URL", shown.url],
      ["Description", shown.description],
      ["Types", typesOf(shown.types, ", ")],
      ["State", stateText(shown)],
      ...(disabled === null ? [] : [["Disabled", when(disabled.at)]]),
      ["Created", when(shown.createdAt)],
      ["Failing", failingSince === null ? "no" : `since ${when(failingSince)}`],
      ...(oldSecretExpiresAt === null ? [] : [["Old secret", `until ${when(oldSecretExpiresAt)}`]]),
      ["Pending", counted(shown.pending, "delivery", "deliveries")],
      ["Not looked at", counted(shown.behind, "event")],
    ]);
    return { json: shown, text };
  },
};

const testWebhook: Command = {
  name: "webhooks test",
  summary: "Send a signed test message now",
  operands: whichEndpoint,
  options: onService,
  about: 'Its type is "webhook.test". It is sent once and not listed among the deliveries.',
  examples: ["petstore webhooks test whe_4fK2mQ9xW1Zt"],
  async run(call, context) {
    const outcome = await withWebhooks(call, context, (webhooks) => webhooks.test(call.operand));
    const { status, error, durationSeconds } = outcome.attempt;
    const took = Math.round(durationSeconds * 1_000);
    const said = error ?? `It responded ${status} after ${took} ms.`;
    return {
      json: outcome,
      text: `${outcome.delivered ? "Delivered." : "Not delivered."} ${said}\n`,
      exitCode: outcome.delivered ? 0 : 1,
    };
  },
};

const listDeliveries: Command = {
  name: "webhooks deliveries",
  summary: "List deliveries to an endpoint, newest first",
  operands: whichEndpoint,
  options: {
    "state <state>": "Only those that are pending, delivered or failed",
    "type <type>": "Only of events of this type",
    "before <event>": "Only of events with a smaller id, to continue a list",
    "limit <number>": `How many at most, 1 to ${limitMax} (default ${limitDefault})`,
    ...onService,
  },
  about: "petstore webhooks delivery shows one with its requests and responses.",
  examples: ["petstore webhooks deliveries whe_4fK2mQ9xW1Zt --state failed"],
  async run(call, context) {
    const { operand: id, values } = call;
    const [state, type, before] = ["state", "type", "before"].map((name) => values.get(name));
    const filter = {
      state: state === undefined ? undefined : readChoice("--state", state, deliveryStates),
      type: type === undefined ? undefined : readChoice("--type", type, eventTypes),
      before: before === undefined ? undefined : readEvent("before", before),
      limit: readWhole("limit", values.get("limit") ?? `${limitDefault}`, 1, limitMax),
    };
    const page = await withWebhooks(call, context, (webhooks) => webhooks.deliveries(id, filter));
    const now = context.clock.now();
    return listReport(page.items, {
      columns: {
        Event: ({ eventId }) => String(eventId),
        Type: ({ type }) => type,
        State: ({ state }) => state,
        Attempts: ({ attempts }) => String(attempts),
        Last: lastText,
        Next: ({ dueAt }) => (dueAt === null ? "" : fromNow(Date.parse(dueAt), now)),
      },
      empty: "There are no such deliveries.",
    });
  },
};

const showDelivery: Command = {
  name: "webhooks delivery",
  summary: "Show a delivery with its requests and responses",
  operands: { ...whichEndpoint, "<event>": "The id of the event" },
  options: onService,
  examples: ["petstore webhooks delivery whe_4fK2mQ9xW1Zt 17"],
  async run(call, context) {
    const event = readEvent("<event>", call.second);
    const shown = await withWebhooks(call, context, (webhooks) =>
      webhooks.delivery(call.operand, event),
    );
    const when = (at: string) => whenText(Date.parse(at), context.clock.now());
    const facts = table([
      ["Event", `${shown.eventId}, ${shown.type}`],
      ["State", shown.state],
      ["Next", shown.dueAt === null ? "none" : when(shown.dueAt)],
      ["Body", shown.body],
    ]);
    const attempts = shown.attempts.map((attempt) => `\n${attemptText(attempt, when)}`);
    return { json: shown, text: facts + attempts.join("") };
  },
};

const replayWebhook: Command = {
  name: "webhooks replay",
  summary: "Deliver an event again, or all that failed",
  operands: { ...whichEndpoint, "[<event>]": "The id of the event; left out with --failed" },
  options: { failed: "All deliveries that failed", ...onService },
  about: "It has the same webhook-id as before. A running service sends it within seconds.",
  examples: [
    "petstore webhooks replay whe_4fK2mQ9xW1Zt 17",
    "petstore webhooks replay whe_4fK2mQ9xW1Zt --failed",
  ],
  async run(call, context) {
    const { operand: id, second, switches } = call;
    if ((second === "") !== switches.has("failed")) {
      throw new UsageError("Name the event to replay, or use --failed, and not both.");
    }
    const event = second === "" ? undefined : readEvent("<event>", second);
    const outcome = await withWebhooks(call, context, (webhooks) => webhooks.replay(id, event));
    const text = `${counted(outcome.replayed, "delivery", "deliveries")} will be sent again.\n`;
    return { json: outcome, text };
  },
};

const rotateWebhook: Command = {
  name: "webhooks rotate",
  summary: "Replace the secret of an endpoint; both sign for a while",
  operands: whichEndpoint,
  options: {
    "overlap <time>": `How long the old one still signs (default ${overlapDefault})`,
    ...onService,
  },
  about: `--overlap 0s ends it at once. A time is a whole number and one of ${unitsText}.`,
  examples: ["petstore webhooks rotate whe_4fK2mQ9xW1Zt --overlap 7d"],
  async run(call, context) {
    const { operand: id, values } = call;
    const overlap = values.get("overlap") ?? overlapDefault;
    const seconds = requireSpan("--overlap", overlap, "24h, 7d or 0s") / 1_000;
    const made = await withWebhooks(call, context, (webhooks) => webhooks.rotate(id, seconds));
    const until = made.webhook.oldSecretExpiresAt;
    const old =
      until === null
        ? "The old secret signs no more."
        : `The old secret also signs until ${whenText(Date.parse(until), context.clock.now())}.`;
    const text = `Rotated the secret of ${id}. ${old}\n${shownOnce(made)}`;
    return { json: mintedJson(made), text };
  },
};

/** A command that changes whether an endpoint gets events. */
function changing(name: "enable" | "disable" | "remove", summary: string, done: string): Command {
  return {
    name: `webhooks ${name}`,
    summary,
    operands: whichEndpoint,
    options: onService,
    examples: [`petstore webhooks ${name} whe_4fK2mQ9xW1Zt`],
    async run(call, context) {
      const { operand: id } = call;
      const change = async (webhooks: HostedWebhooks) => void (await webhooks[name](id));
      await withWebhooks(call, context, change);
      return { json: { id }, text: `${id} ${done}\n` };
    },
  };
}

function readTypes(text: string): EventTypes {
  if (text === "all") return "all";
  return text.split(",").map((each) => readChoice("--types", each.trim(), eventPatterns));
}

function readDescription(text: string): string {
  const isLong = text.length > descriptionLengthMax;
  const error = isLong ? `must have at most ${descriptionLengthMax} characters` : undefined;
  return readText("--description", text, error);
}

function readEvent(what: string, text: string): number {
  return readWhole(what, text, 1, 999_999_999_999);
}

const typesOf = (types: EventTypes, between: string) =>
  types === "all" ? types : types.join(between);

const disabledTexts = {
  operator: "disabled",
  gone: "disabled: it responded 410",
  failing: "disabled: three days of failures alone",
} as const;

function stateText({ disabled, state }: Webhook): string {
  return disabled === null ? state : disabledTexts[disabled.reason];
}

function lastText({ lastError, lastStatus }: Delivery): string {
  return lastError ?? (lastStatus === null ? "" : String(lastStatus));
}

function attemptText(attempt: Attempt, when: (at: string) => string): string {
  const { at, durationSeconds, url, requestHeaders, status, headers, body, error } = attempt;
  const lines = (all: readonly Header[]) =>
    all.map(({ name, value }) => `  ${printable(`${name}: ${value}`)}\n`);
  const shownBody = (body ?? "").split("\n").map((line) => `  ${printable(line)}\n`);
  const response =
    status === null
      ? []
      : [`Response ${status}\n`, ...lines(headers), ...(body ? ["\n", ...shownBody] : [])];
  return [
    `${when(at)}, ${Math.round(durationSeconds * 1_000)} ms\n`,
    ...(error === null ? [] : [`${error}\n`]),
    ...[`POST ${url}\n`, ...lines(requestHeaders), ...response],
  ].join("");
}

const mintedJson = ({ webhook, secret }: MintedWebhook) => ({ ...webhook, secret });

function shownOnce({ secret }: MintedWebhook): string {
  return `\n  ${secret}\n\nThe secret is shown this once and cannot be shown again.\n`;
}

/** In the order of the help. */
export const webhooksCommands: readonly Command[] = [
  createWebhook,
  listWebhooks,
  showWebhook,
  updateWebhook,
  testWebhook,
  listDeliveries,
  showDelivery,
  replayWebhook,
  rotateWebhook,
  changing(
    ...(["enable", "Send events to an endpoint again, from where it stopped"] as const),
    "is enabled and gets the events since it stopped. Send what failed again with webhooks replay --failed.",
  ),
  changing(
    ...(["disable", "Send nothing to an endpoint until it is enabled"] as const),
    "is disabled.",
  ),
  changing(
    ...(["remove", "Remove an endpoint and its deliveries"] as const),
    "is removed, with its deliveries.",
  ),
];
