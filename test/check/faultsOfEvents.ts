/** Faults in recording, listing and streaming events. */
import type { Caught } from "./faults.ts";
import { drop, query, text, when, withKey } from "./tamper.ts";

const isEvents = (_: unknown, { path }: { path: string }) => /^\/events(?:\?|$)/.test(path);
const types = (...names: string[]) => names.map((name) => `no ${name}`);

const unrecorded: readonly Caught[] = types(
  ...["pet.created", "pet.updated", "pet.deleted"],
  ...["order.placed", "order.approved", "order.delivered", "order.cancelled"],
).map((inside) => ({
  ...{ name: `there is ${inside}`, inside, andMore: true },
  caughtBy: [
    inside.includes("pet")
      ? "event-pet"
      : `event-order-${inside.endsWith("cancelled") ? "cancel" : "deliver"}`,
  ],
}));

export const faultsOfEvents: readonly Caught[] = [
  ...unrecorded,
  {
    name: "an event has the pet as it was",
    inside: "records what was",
    caughtBy: ["event-pet"],
  },
  {
    name: "an event of a pet without its order",
    answered: when(
      isEvents,
      text((body) => body.replaceAll('"pending"', '"available"')),
    ),
    caughtBy: ["event-pet-of-order"],
  },
  {
    name: "what was refused is an event",
    inside: "records refusals",
    caughtBy: ["event-none-refused"],
  },
  {
    name: "what changed nothing is an event",
    inside: "records what stays",
    caughtBy: ["event-none-unchanged"],
  },
  {
    name: "events have no timestamp",
    answered: when(
      isEvents,
      text((body) => body.replaceAll("timestamp", "time")),
    ),
    caughtBy: ["events-order", "event-pet"],
    andMore: true,
  },
  {
    name: "the newest events come first",
    inside: "lists the newest first",
    caughtBy: ["events-order", "event-pet", "events-page"],
    andMore: true,
  },
  {
    name: "there is no Link after the last event",
    inside: "events end",
    caughtBy: ["events-go-on", "events-304"],
    andMore: true,
  },
  {
    name: "an empty page has a Link to itself",
    answered: when(isEvents, ({ body, headers }, { path }) => {
      if (body === "[]") headers.set("link", `</v1${path}>; rel="next"`);
    }),
    caughtBy: ["events-go-on"],
    andMore: true,
  },
  {
    name: "events have no ETag",
    answered: when(isEvents, drop("etag")),
    asked: ({ headers, path }) => {
      if (isEvents(undefined, { path })) headers.delete("if-none-match");
    },
    caughtBy: ["etag-events", "events-304"],
  },
  {
    name: "events are not filtered by type",
    asked: query((search) => search.delete("type"), "/events"),
    caughtBy: ["events-by-type", "events-type-pet-sold-refused", "events-cursor-of-others-refused"],
  },
  {
    name: "events are not filtered by resource",
    asked: query((search) => search.delete("resource"), "/events"),
    caughtBy: ["events-by-resource", "events-resource-empty-refused"],
    andMore: true,
  },
  {
    name: "the limit of events is ignored",
    asked: query((search) => search.delete("limit"), "/events"),
    caughtBy: ["events-limit-0-refused", "events-limit-101-refused", "events-page"],
  },
  {
    name: "a cursor of events that was made up is ignored",
    asked: query((search) => {
      if (search.get("cursor") === "made-up") search.delete("cursor");
    }, "/events"),
    caughtBy: ["events-cursor-made-up-refused"],
  },
  {
    name: "no key is needed for events",
    asked: (asked) => {
      if (isEvents(undefined, asked)) withKey(asked);
    },
    caughtBy: ["events-need-key"],
  },
  {
    name: "a stream has another media type",
    answered: (answered) => {
      if (answered.follow === undefined) return;
      delete answered.follow;
      answered.headers.set("content-type", "text/plain");
    },
    caughtBy: ["events-stream", "events-stream-goes-on"],
  },
  {
    name: "a stream ends before anything happens",
    answered: (answered) => {
      if (answered.follow !== undefined) delete answered.follow;
    },
    caughtBy: ["events-stream", "events-stream-goes-on"],
  },
  {
    name: "a stream names all events alike",
    inside: "streams messages",
    caughtBy: ["events-stream", "events-stream-goes-on"],
  },
  {
    name: "a stream begins with the first event",
    inside: "streams everything",
    caughtBy: ["events-stream", "events-stream-goes-on"],
  },
];
