/** The handler of events, as a page or as a stream. */
import { Problem } from "../core/problems.ts";
import {
  type EventFilter,
  type EventType,
  eventText,
  shopTypes,
} from "../petstore/events/events.ts";
import type { ApiKey } from "../petstore/keys/keys.ts";
import { allows, platformScope } from "../petstore/keys/lifecycle.ts";
import type { HttpRequest } from "../wire/message.ts";
import { requireScope } from "./authorize.ts";
import { EventStreams, serverSentEvent } from "./eventStreams.ts";
import { type HandlerDependencies, type Handlers, paging, searchOf } from "./handlers.ts";
import { pageResponse } from "./responses.ts";

export interface StreamCall {
  /** Whose stream it is: each holder may have a limited number. */
  readonly holder: string;
  readonly stillKnown: () => Promise<boolean>;
  readonly request: Pick<HttpRequest, "header" | "signal">;
}

/** How many events are sent at once. */
const streamedAtOnce = 100;
const eventIdForm = /^[0-9]{1,15}$/;

export function eventHandlers({
  events,
  secret,
  ...parts
}: HandlerDependencies): Pick<Handlers, "listEvents"> {
  const detail = "Too many streams of events are open. Close one, or try again shortly.";
  const streams = new EventStreams({
    ...parts,
    failed: (cause) => parts.log.error("stream.failed", { cause }),
    exhausted: () => new Problem("rate_limited", { detail, retryAfterSeconds: 5 }),
  });

  parts.registry?.gauge("petstore_event_streams", "Streams of GET /events that are open.", () => {
    return streams.count;
  });

  async function stream(after: number, filter: EventFilter, call: StreamCall) {
    let place = after;
    const poll = async () => {
      if (!(await call.stillKnown())) return undefined;
      const page = await events.list({ after: place, limit: streamedAtOnce, ...filter });
      if (page === undefined || page.readUpTo === place) return page && "";
      place = page.readUpTo;
      const sent = page.events.map((event) =>
        serverSentEvent(event.type, eventText(event), event.id),
      );
      // Without data, it is no event: the client only remembers how far it has got.
      if (page.events.at(-1)?.id !== place) sent.push(`id: ${place}\n\n`);
      return sent.join("");
    };
    const { holder, request } = call;
    const first = await poll();
    if (first === undefined) throw new Problem("events_expired");
    const { body, headers } = streams.open({ holder, first, poll, signal: request.signal });
    return { status: 200, body, headers: { ...headers, "cache-control": "no-store" } } as const;
  }

  return {
    async listEvents({ query }, { base, key, stream: call }) {
      const { limit, type: types, resource, cursor } = query;
      const filter = { types: visibleTypes(key, types), resource };
      const address = `${base}/events?limit=${limit}${searchOf({ type: types, resource })}`;
      const question = `events ${types?.toSorted().join(",") ?? "*"} ${resource ?? "*"}`;
      const { after, next } = paging(secret, question, cursor, address);
      if (call !== undefined) {
        const place = lastEventId(call) ?? after ?? (await events.lastId());
        return stream(Number(place), filter, call);
      }
      const page = await events.list({ after: Number(after ?? 0n), limit, ...filter });
      if (page === undefined) throw new Problem("events_expired");
      const goesOn = page.events.length > 0 || !page.isLast;
      const end = next(goesOn ? BigInt(page.readUpTo) : undefined);
      return pageResponse(page.events.map(eventText), end, undefined);
    },
  };
}

/** The names of other people's keys and domains are not for everyone. */
function visibleTypes(
  key: ApiKey,
  types: readonly EventType[] | undefined,
): readonly EventType[] | undefined {
  if (allows(key, platformScope)) return types;
  if (types?.some((type) => !shopTypes.includes(type))) requireScope(key, platformScope);
  return types ?? shopTypes;
}

function lastEventId({ request }: StreamCall): number | undefined {
  const given = request.header("last-event-id");
  if (given === undefined || given === "") return undefined;
  if (eventIdForm.test(given)) return Number(given);
  throw new Problem("parameter_invalid", {
    detail: "Last-Event-ID must be the id of an event, in decimal digits.",
  });
}
