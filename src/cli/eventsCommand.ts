/** Lists and follows what happened to pets, orders, keys, sites, domains and certificates. */
import { pause } from "../core/clock.ts";
import {
  type EventFilter,
  type EventStore,
  eventPatterns,
  eventText,
  matchingTypes,
  type RecordedEvent,
} from "../petstore/events/events.ts";
import type { Command } from "./command.ts";
import { instantText, readTime } from "./durations.ts";
import { CommandFailure } from "./errors.ts";
import { readChoice, readWhole } from "./readText.ts";
import { orStopped } from "./stopping.ts";
import { withStores } from "./withStores.ts";

const limitDefault = 50;
const limitMax = 1_000_000;
const pollMs = 500;
const pageMax = 1_000;
/** As many as the store looks through for a page of matches. */
const windowIds = 10_000;

export const listEvents: Command = {
  name: "events",
  summary: "List the latest events, or follow them",
  options: {
    "type <a,b>": "Only these, such as pet.created or domain.*",
    "resource <resource>": "Only of this one, such as keys/key_4fK2mQ9xW1Zt",
    "since <time>": "From then on: a date, or how long ago, such as 7d",
    "after <event>": "Only events with a larger id, to continue a list",
    "limit <number>": `How many at most, 1 to ${limitMax} (default ${limitDefault})`,
    follow: "Go on with what happens, until it is stopped",
  },
  about:
    "The oldest comes first. With --since or --after the first of them are listed, otherwise the last.\nWith --json, each event is one line of JSON (NDJSON), as GET /events has it.",
  examples: [
    "petstore events --type key.*,domain.* --since 7d",
    "petstore events --follow --json | jq .type",
  ],
  async run({ values, switches }, context) {
    const { clock, stdout } = context;
    const [type, after] = [values.get("type"), values.get("after")];
    const types = type === undefined ? undefined : readTypes(type);
    const filter: EventFilter = { types, resource: values.get("resource") };
    const sinceMs = readTime("--since", values.get("since"), clock.now());
    const first = readWhole("after", after ?? "0", 0, 999_999_999_999);
    const limit = readWhole("limit", values.get("limit") ?? `${limitDefault}`, 1, limitMax);
    const signal = context.stopSignal();
    const lineOf = switches.has("json") ? eventText : shownLine;
    const write = async (events: readonly RecordedEvent[]) => {
      signal.throwIfAborted();
      const text = events.map((event) => `${lineOf(event)}\n`).join("");
      if (!stdout.write(text)) await orStopped(stdout.drained(), signal);
    };
    await withStores(context, async ({ events }) => {
      // What happens from here on is followed.
      const end = await events.lastId();
      if (after === undefined && sinceMs === undefined) {
        await write(await latest(events, filter, limit, end));
      } else {
        const from = sinceMs === undefined ? 0 : await placeAt(events, sinceMs, end);
        let left = limit;
        for await (const page of pagesAfter(events, filter, Math.max(first, from))) {
          await write(page.slice(0, left));
          left -= page.length;
          if (left <= 0) break;
        }
      }
      for (let place = end; switches.has("follow"); ) {
        await orStopped(pause(clock, pollMs, signal), signal);
        const page = await events.list({ ...filter, after: place, limit: pageMax });
        await write(page?.events ?? []);
        place = page?.readUpTo ?? (await events.lastId());
      }
      await stdout.drained();
    });
    return undefined;
  },
};

function readTypes(text: string) {
  const patterns = text.split(",").map((each) => readChoice("--type", each.trim(), eventPatterns));
  return matchingTypes(patterns);
}

const typeWidth = Math.max(...eventPatterns.map(({ length }) => length));

function shownLine({ id, atMs, type, resource }: RecordedEvent): string {
  return `${String(id).padStart(8)}  ${instantText(atMs)}  ${type.padEnd(typeWidth)}  ${resource}`;
}

async function* pagesAfter(events: EventStore, filter: EventFilter, after: number) {
  for (let place = after; ; ) {
    const page = await events.list({ ...filter, after: place, limit: pageMax });
    if (page === undefined) {
      throw new CommandFailure(
        `Events that follow ${place} are no longer kept. Leave out --after to see the latest.`,
      );
    }
    yield page.events;
    if (page.isLast) return;
    place = page.readUpTo;
  }
}

/** The last ones that match, from the end backwards. */
async function latest(events: EventStore, filter: EventFilter, limit: number, end: number) {
  let found: RecordedEvent[] = [];
  for (let to = end; to > 0 && found.length < limit; to -= windowIds) {
    const query = { ...filter, limit: windowIds };
    const within = await events.list({ ...query, after: Math.max(0, to - windowIds) });
    // Some of these are gone, and nothing is before them.
    const page = within ?? (await events.list({ ...query, after: 0 }));
    found = [...(page?.events ?? []).filter(({ id }) => id <= to), ...found];
    if (within === undefined) break;
  }
  return found.slice(-limit);
}

/** The id before the first event since an instant. */
async function placeAt(events: EventStore, sinceMs: number, end: number): Promise<number> {
  let [low, high] = [0, end];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const page = await events.list({ after: middle, limit: 1 });
    // Undefined where events are no longer kept: those that are come later.
    const isLater = page?.events.every(({ atMs }) => atMs >= sinceMs) ?? false;
    if (isLater) high = middle;
    else low = middle + 1;
  }
  return low;
}
