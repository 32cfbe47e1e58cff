import { isDeepStrictEqual } from "node:util";
import { parseJson } from "../../contract/json.ts";
import type { Caller } from "../caller.ts";
import { assert, type Check, checksOf, expectAscending, NotApplicable } from "../check.ts";
import { type Event, type HttpExchange, readEvent, shortened } from "../exchange.ts";

const check = checksOf("events");
const listCheck = check("openapi: /paths/~1events/get");
const eventCheck = check("openapi: /components/schemas/Event");
const guideCheck = check("guide/events.md");
const linkCheck = check("openapi: /components/headers/NextEvents");

/** A page of a filtered list may be empty, and the service may have many events of others. */
const pagesMax = 100;

async function list(
  caller: Caller,
  path: string,
  headers?: Readonly<Record<string, string>>,
): Promise<HttpExchange> {
  return scoped(await caller.get(path, headers));
}

function scoped(seen: HttpExchange): HttpExchange {
  if (seen.status !== 403) return seen;
  seen.error(403, "insufficient_scope");
  throw new NotApplicable("The key lacks the scope events:read.");
}

/** A page of events that no other event changes: it is full. */
export async function steadyEvents(caller: Caller): Promise<string> {
  const path = `/events?limit=1&resource=pets/${(await caller.addPet()).id}`;
  for (let page = 0, at = path; page < pagesMax; page++) {
    const seen = await list(caller, at);
    if (seen.events().length > 0) return at;
    at = caller.nextOf(seen, "/events");
  }
  throw new NotApplicable("There are too many events here to look through.");
}

/** All events of a query, and the path that leads to those that have not happened yet. */
async function follow(caller: Caller, from: string) {
  const events: Event[] = [];
  let path = from;
  for (let page = 0; page < pagesMax; page++) {
    const seen = await list(caller, path);
    const found = seen.events();
    events.push(...found);
    expectAscending(events, "events");
    if (seen.link("next") === undefined) {
      assert(found.length === 0, "a Link, as long as there are events", seen.shown);
      return { events, path };
    }
    const next = caller.nextOf(seen, "/events");
    assert(next !== path, "a Link that leads on, or none", seen.header("link"));
    path = next;
  }
  throw new NotApplicable("There are too many events here to look through.");
}

const eventsOf = async (caller: Caller, query: string): Promise<Event[]> =>
  (await follow(caller, `/events?${query}`)).events;

const typesOf = (events: readonly Event[]): string[] => events.map(({ type }) => type);

function expectTypes(events: readonly Event[], ...wanted: readonly string[]): void {
  const [expected, seen] = [wanted, typesOf(events)].map((types) => types.join(", ") || "none");
  assert(expected === seen, `${expected}`, `${seen}`);
}

/** Each with the resource as the response showed it. */
async function expectEvents(
  caller: Caller,
  resource: string,
  wanted: readonly (readonly [type: string, shown: HttpExchange])[],
): Promise<void> {
  const events = await eventsOf(caller, `resource=${resource}`);
  expectTypes(events, ...wanted.map(([type]) => type));
  for (const [place, event] of events.entries()) {
    assert(event.resource === resource, `resource ${resource}`, event.resource);
    const shown = wanted[place]?.[1];
    const same = isDeepStrictEqual(event.data, shown?.body());
    assert(same, `data as in ${shown?.shown}`, `other data of ${event.type} ${event.id}`);
  }
}

const contentType = "application/merge-patch+json";
const patch = (caller: Caller, id: bigint, body: object, headers = {}): Promise<HttpExchange> =>
  caller.send("PATCH", `/pets/${id}`, { headers, body, contentType });
const rename = (caller: Caller, id: bigint, headers = {}): Promise<HttpExchange> =>
  patch(caller, id, { name: caller.newName("renamed") }, headers);

const move = (caller: Caller, id: bigint, step: string) =>
  caller.send("POST", `/store/orders/${id}/${step}`);

const changes: readonly Check[] = [
  eventCheck(
    "event-pet",
    "Creating, updating and deleting a pet are events, each with the pet as it was returned.",
    async (caller) => {
      const created = await caller.postPet();
      const { id } = created.pet(201);
      const updated = await rename(caller, id);
      updated.pet();
      (await caller.send("DELETE", `/pets/${id}`)).expectStatus(204);
      await expectEvents(caller, `pets/${id}`, [
        ["pet.created", created],
        ["pet.updated", updated],
        ["pet.deleted", updated],
      ]);
    },
  ),
  ...[["approve", "deliver"], ["cancel"]].map((steps) =>
    eventCheck(
      `event-order-${steps.at(-1)}`,
      `Placing an order and to ${steps.join(" and ")} it are events, each with the order.`,
      async (caller) => {
        const petId = (await caller.addPet()).id;
        const placed = await caller.post("/store/orders", `{"petId":${petId},"quantity":1}`);
        const { id } = placed.order(201);
        const wanted: [string, HttpExchange][] = [["order.placed", placed]];
        for (const step of steps) {
          const moved = await move(caller, id, step);
          wanted.push([`order.${moved.order().status}`, moved]);
        }
        await expectEvents(caller, `orders/${id}`, wanted);
      },
    ),
  ),
  guideCheck(
    "event-pet-of-order",
    "An order that changes its pet is followed by an event of the pet.",
    async (caller) => {
      const pet = await caller.addPet();
      const order = await caller.placeOrder(pet);
      for (const step of ["approve", "deliver"]) (await move(caller, order.id, step)).order();
      const [placed, , delivered] = await eventsOf(caller, `resource=orders/${order.id}`);
      const [created, pending, sold, ...more] = await eventsOf(caller, `resource=pets/${pet.id}`);
      const seen = [created, pending, sold].map((event) => `${event?.data["status"]}`).join(", ");
      const fits = seen === "available, pending, sold" && more.length === 0;
      assert(fits, "events of the pet available, pending, sold", seen);
      const ordered = [created, placed, pending, delivered, sold].filter(
        (one) => one !== undefined,
      );
      expectAscending(ordered, "events of an order and its pet");
    },
  ),
  guideCheck("event-none-refused", "What is refused is no event.", async (caller) => {
    const { id } = await caller.addPet();
    (await patch(caller, id, { name: 5 })).error(400);
    (await rename(caller, id, { "if-match": '"stale"' })).error(412);
    (await caller.post("/store/orders", `{"petId":${id},"quantity":0}`)).error(400);
    expectTypes(await eventsOf(caller, `resource=pets/${id}`), "pet.created");
  }),
  guideCheck("event-none-unchanged", "What changes nothing is no event.", async (caller) => {
    const { id, name } = await caller.addPet();
    (await patch(caller, id, { name })).pet();
    expectTypes(await eventsOf(caller, `resource=pets/${id}`), "pet.created");
  }),
  guideCheck("event-none-repeated", "A repeated request is no further event.", async (caller) => {
    const pet = await caller.addPet();
    const headers = { "idempotency-key": caller.newName("key").replaceAll(" ", "-") };
    const place = () =>
      caller.post("/store/orders", `{"petId":${pet.id},"quantity":1}`, { headers });
    const { id } = (await place()).order(201);
    (await move(caller, id, "cancel")).order();
    (await place()).order(201);
    const events = await eventsOf(caller, `resource=pets/${pet.id}`);
    expectTypes(events, "pet.created", "pet.updated", "pet.updated");
  }),
];

/** A pet that was created and renamed. */
async function addRenamed(caller: Caller): Promise<bigint> {
  const { id } = await caller.addPet();
  (await rename(caller, id)).pet();
  return id;
}

const refusedQueries: Readonly<Record<string, string>> = {
  "limit=0": "parameter_invalid",
  "limit=101": "parameter_invalid",
  "type=pet.sold": "parameter_invalid",
  "resource=": "parameter_invalid",
  "cursor=made-up": "cursor_invalid",
};

const listing: readonly Check[] = [
  listCheck("events-order", "Events are listed in the order of their ids.", async (caller) => {
    await addRenamed(caller);
    const seen = await list(caller, "/events?limit=100");
    expectAscending(seen.events(), "events");
    assert(seen.link("next") !== undefined, "a Link to what follows", seen.header("link"));
  }),
  listCheck("events-page", "Link leads through them, each on one page.", async (caller) => {
    const query = `resource=pets/${await addRenamed(caller)}&limit=1`;
    expectTypes(await eventsOf(caller, query), "pet.created", "pet.updated");
    const first = await list(caller, `/events?${query}`);
    assert(first.events().length <= 1, "one on a page", first.shown);
  }),
  linkCheck(
    "events-go-on",
    "Link leads on after the last event, and the URL without Link has the events that follow later.",
    async (caller) => {
      const id = await addRenamed(caller);
      const { path } = await follow(caller, `/events?resource=pets/${id}`);
      (await list(caller, path)).expectNoHeader("link");
      (await rename(caller, id)).pet();
      const { events } = await follow(caller, path);
      expectTypes(events, "pet.updated");
    },
  ),
  check("openapi: /components/responses/NoNewEvents")(
    "events-304",
    "As long as nothing has happened, the ETag is answered 304.",
    async (caller) => {
      const id = await addRenamed(caller);
      const { path } = await follow(caller, `/events?resource=pets/${id}`);
      const headers = { "if-none-match": (await list(caller, path)).header("etag") };
      (await list(caller, path, headers)).expectStatus(304);
      (await rename(caller, id)).pet();
      expectTypes((await list(caller, path, headers)).events(), "pet.updated");
    },
  ),
  check("openapi: /components/parameters/eventTypes")(
    "events-by-type",
    "Types select events, alone and with a resource.",
    async (caller) => {
      const id = await addRenamed(caller);
      const own = `resource=pets/${id}`;
      expectTypes(await eventsOf(caller, `type=pet.updated&${own}`), "pet.updated");
      const both = await eventsOf(caller, `type=pet.updated&type=pet.created&${own}`);
      expectTypes(both, "pet.created", "pet.updated");
      expectTypes(await eventsOf(caller, `type=order.placed&${own}`));
      const seen = await list(caller, "/events?type=pet.updated&limit=100");
      const types = new Set(typesOf(seen.events()));
      types.delete("pet.updated");
      assert(types.size === 0, "only pet.updated", [...types].join(", "));
    },
  ),
  check("openapi: /components/parameters/resource")(
    "events-by-resource",
    "A resource selects its own events.",
    async (caller) => {
      const [one, other] = [await addRenamed(caller), await addRenamed(caller)];
      for (const id of [one, other]) {
        const events = await eventsOf(caller, `resource=pets/${id}`);
        const seen = [...new Set(events.map(({ resource }) => resource))].join(", ");
        assert(seen === `pets/${id}`, `pets/${id}`, seen || "none");
      }
      expectTypes(await eventsOf(caller, `resource=pets/${-caller.unusedId()}`));
    },
  ),
  ...Object.entries(refusedQueries).map(([query, code]) =>
    listCheck(
      `events-${query.replace("=", "-").replace(".", "-").replace(/-$/, "-empty")}-refused`,
      `A list of events with ${query} is refused with 400.`,
      async (caller) => (await list(caller, `/events?${query}`)).error(400, code),
    ),
  ),
  check("openapi: /components/parameters/cursor")(
    "events-cursor-of-others-refused",
    "A cursor is refused with other filters than those it came with.",
    async (caller) => {
      const query = `resource=pets/${await addRenamed(caller)}`;
      const cursor = caller.cursorOf(await list(caller, `/events?${query}&limit=1`), "/events");
      (await list(caller, `/events?${query}&cursor=${cursor}`)).events();
      for (const other of ["", "resource=pets/0&", `${query}&type=pet.created&`]) {
        const seen = await list(caller, `/events?${other}cursor=${cursor}`);
        seen.error(400, "cursor_invalid");
      }
    },
  ),
  check("openapi: /components/securitySchemes/apiKey")(
    "events-need-key",
    "Events need a key, as a list and as a stream.",
    async (caller) => {
      for (const accept of ["application/json", "text/event-stream"]) {
        const sent = { authorization: null, headers: { accept } };
        (await caller.send("GET", "/events", sent)).error(401);
      }
    },
  ),
];

interface StreamedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** As far as they are complete; what has no data is none. */
function streamedEvents(text: string): StreamedEvent[] {
  const blocks = text.replaceAll(/\r\n?/g, "\n").split("\n\n").slice(0, -1);
  let id = "";
  return blocks.flatMap((block) => {
    const fields = block.split("\n").map((line) => /^([^:]*):? ?(.*)$/.exec(line) ?? []);
    const valuesOf = (wanted: string) =>
      fields.filter(([, name]) => name === wanted).map(([, , value = ""]) => value);
    id = valuesOf("id").at(-1) ?? id;
    const data = valuesOf("data").join("\n");
    return data === "" ? [] : [{ id, event: valuesOf("event").at(-1) ?? "message", data }];
  });
}

/** The first event that arrives on a stream once the work is done. */
async function firstStreamed(
  caller: Caller,
  path: string,
  headers: Readonly<Record<string, string>>,
  work: () => Promise<unknown>,
): Promise<Event> {
  const isEnough = (text: string) => streamedEvents(text).length > 0;
  const seen = scoped(await caller.stream(path, headers, work, isEnough));
  seen.expectStatus(200);
  const type = seen.header("content-type");
  assert(/^text\/event-stream(?:;|$)/.test(type), "Content-Type text/event-stream", type);
  const [first] = streamedEvents(seen.text);
  assert(first !== undefined, "an event on the stream", shortened(seen.text) || "none");
  const event = readEvent(jsonOf(first.data));
  const fits = first.id === `${event.id}` && first.event === event.type;
  assert(fits, `id ${event.id} and event ${event.type}`, `id ${first.id} and event ${first.event}`);
  return event;
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

const streaming: readonly Check[] = [
  listCheck("events-stream", "A stream has what happens while it is open.", async (caller) => {
    const id = await addRenamed(caller);
    const path = `/events?resource=pets/${id}`;
    const { events, path: end } = await follow(caller, path);
    expectTypes(events, "pet.created", "pet.updated");
    const event = await firstStreamed(caller, path, {}, () => rename(caller, id));
    const [listed] = (await list(caller, end)).events();
    assert(isDeepStrictEqual(event, listed), `event ${listed?.id} as listed`, `event ${event.id}`);
  }),
  check("openapi: /components/parameters/lastEventId")(
    "events-stream-goes-on",
    "A stream with Last-Event-ID goes on after that event.",
    async (caller) => {
      const query = `resource=pets/${await addRenamed(caller)}`;
      const [created, updated, ...more] = await eventsOf(caller, query);
      assert(updated !== undefined && more.length === 0, "two events", `event ${created?.id}`);
      const headers = { "last-event-id": `${created?.id}` };
      const event = await firstStreamed(caller, `/events?${query}`, headers, async () => {});
      assert(event.id === updated.id, `event ${updated.id}`, `event ${event.id}`);
    },
  ),
];

export const events: readonly Check[] = [...changes, ...listing, ...streaming];
