/** Processes that deliver webhooks are killed, and receivers misbehave: every event still comes. */
import { systemClock } from "../../src/core/clock.ts";
import { Vault } from "../../src/core/vault.ts";
import { eventText, type RecordedEvent } from "../../src/petstore/events/events.ts";
import {
  createEndpoint,
  type Endpoint,
  messageId,
  resourceOf,
} from "../../src/petstore/webhooks/webhooks.ts";
import { openSqlite } from "../../src/storage/sqlite/store.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { faultyDisk, lacksFaultyDisk, setFaults } from "../../testkit/faultyDisk.ts";
import { pause, startLoad } from "../load.ts";
import type { Scenario, ScenarioContext } from "../scenario.ts";
import { judgeLog, type Victim } from "../service.ts";
import { judgeEnd, newStoreFixture, type StoreFixture } from "../storeFixture.ts";
import { WebhookReceiver } from "../webhookReceiver.ts";

/** Few, so that what they cause can be delivered meanwhile. */
const clients = 4;
const killsInARow = 4;
/** Of a database: the next one has one process if this one has two. */
const roundsMax = 2;
const lifeMsMin = 200;
const lifeMsMax = 2_500;
const startMsMax = 200;
/** Longer than a lease: whoever is started next has the endpoints at once. */
const leaseMs = 20_000;
/** Longer than any retry waits. */
const retryMs = 27 * 3_600_000;
const caughtUpMsMax = 90_000;

export const webhooks: Scenario = {
  name: "webhooks",
  about: "SIGKILL of processes that deliver webhooks, to receivers that hang, fail and reset",
  lacks: lacksFaultyDisk,
  async run(context) {
    const endMs = performance.now() + context.seconds * 1_000;
    for (let number = 0; number === 0 || performance.now() < endMs; number++) {
      const random = context.random.fork(`store ${number}`);
      const { tally } = context;
      await using faulty = new WebhookReceiver(
        ...[tally, random.fork("faulty")],
        ...[["hangs", "500", "503", "reset", "slow", "torn"] as const, 0.05],
      );
      await using leaving = new WebhookReceiver(tally, random.fork("leaving"), ["410"], 0.02);
      const place = await openPlace(context, number, [faulty, leaving]);
      try {
        for (let round = 0; round === 0 || performance.now() < endMs; round++) {
          if (round === roundsMax) break;
          await killInTurns(place, round);
        }
        await judgeAll(place);
        for (const victim of place.victims) await judgeEnd(victim, tally);
      } finally {
        for (const victim of place.victims) await victim.killed();
        await place.stores.close();
      }
    }
  },
};

interface Place {
  readonly context: ScenarioContext;
  readonly fixture: StoreFixture;
  /** One process, or two on the same database. */
  readonly victims: Victim[];
  readonly open: () => Promise<Victim>;
  /** Another hand on the database, which creates and enables endpoints. */
  readonly stores: Stores;
  readonly endpoints: readonly {
    readonly receiver: WebhookReceiver;
    readonly endpoint: Endpoint;
  }[];
  /** The last one before there was an endpoint. */
  readonly eventsBefore: number;
  /** Moves the calendar of the processes. */
  jump(byMs: number): void;
  nowMs(): number;
}

async function openPlace(
  context: ScenarioContext,
  number: number,
  receivers: readonly WebhookReceiver[],
): Promise<Place> {
  const fixture = newStoreFixture(context, `store-${number}`);
  const control = `${fixture.folder}.control`;
  const first = await fixture.open();
  await first.stopped();
  const variables = {
    ...faultyDisk({ folder: fixture.folder, control }),
    PETSTORE_WEBHOOK_NETWORKS: "127.0.0.0/8",
    // It would record events of its own while they are judged.
    PETSTORE_DOCS_SITE: "off",
  };
  const clock = systemClock;
  const stores = await openSqlite(fixture.file, { environment: "production", clock });
  const vault = new Vault(fixture.secret, clock);
  const eventsBefore = await stores.events.lastId();
  const endpoints = [];
  for (const receiver of receivers) {
    const wanted = { url: await receiver.listen(), types: undefined, description: "" };
    const { endpoint, secret } = createEndpoint(wanted, vault, clock);
    receiver.secret = secret;
    await stores.webhooks.add(endpoint);
    endpoints.push({ receiver, endpoint });
  }
  let offsetMs = 0;
  const open = () => fixture.open(variables);
  const victims: Victim[] = [];
  const count = 1 + (number % 2);
  while (victims.length < count) victims.push(await open());
  return {
    ...{ context, fixture, victims, open, stores, endpoints, eventsBefore },
    jump(byMs) {
      offsetMs += byMs;
      setFaults(control, { clockOffsetMs: offsetMs });
    },
    nowMs: () => Date.now() + offsetMs,
  };
}

async function killInTurns(place: Place, round: number): Promise<void> {
  const { context, fixture, victims } = place;
  const { tally } = context;
  const random = context.random.fork(`${fixture.folder} round ${round}`);
  const dying = new Set<string>();
  const load = startLoad({
    addresses: () => victims.map(({ base }) => base).filter((base) => !dying.has(base)),
    token: victims[0]?.token ?? "",
    random: random.fork("load"),
    ...{ ledger: fixture.ledger, tally, clients },
    mayBreak: (base) => dying.has(base),
    readsMayFail: () => false,
    writesMayFail: () => false,
  });
  try {
    for (let kill = 0; kill < killsInARow; kill++) {
      await pause(random.between(lifeMsMin, lifeMsMax));
      const at = random.between(0, victims.length);
      const victim = victims[at] as Victim;
      dying.add(victim.base);
      await victim.killed();
      tally.fault("SIGKILL");
      place.jump(leaseMs);
      if (random.happens(0.3)) {
        await fixture.openAndKill(random.between(0, startMsMax));
        tally.fault("SIGKILL at the start");
      }
      victims[at] = await place.open();
      await enableAgain(place);
    }
  } finally {
    await load.ended();
  }
}

/** Those that responded with 410 are disabled, and an event that they refused has failed. */
async function enableAgain({ stores, endpoints, nowMs }: Place): Promise<void> {
  for (const { endpoint } of endpoints) {
    const which = { endpointId: endpoint.id, nowMs: nowMs() };
    await stores.webhooks.setDisabled(endpoint.id, undefined);
    while ((await stores.webhooks.replay(which)) > 0) {
      // Each call replays a bounded number.
    }
  }
}

/** Every event comes in the end, once receivers acknowledge and the time of all retries has come. */
async function judgeAll(place: Place): Promise<void> {
  const { context, fixture, stores, endpoints, victims } = place;
  const { tally, say } = context;
  const [victim] = victims;
  if (victim === undefined) throw new Error("There is no process.");
  await fixture.judge(victim);
  for (const { receiver } of endpoints) receiver.recover();
  await enableAgain(place);
  place.jump(retryMs);
  const lateMs = performance.now() + caughtUpMsMax;
  let left = await countLeft(place);
  while (left > 0 && performance.now() < lateMs) {
    await pause(200);
    left = await countLeft(place);
  }
  tally.judge(left === 0, () => `${left} deliveries are left after ${caughtUpMsMax} ms`);
  const events = await readEvents(stores, place.eventsBefore);
  for (const { receiver, endpoint } of endpoints) {
    // Of itself, it gets none.
    const wanted = events.filter(({ resource }) => resource !== resourceOf(endpoint.id));
    const bodies = wanted.map((event) => [messageId({ eventId: event.id }), eventText(event)]);
    receiver.judge(new Map(bodies as [string, string][]));
  }
  const secrets = endpoints.map(({ receiver }) => receiver.secret);
  for (const each of victims) judgeLog(each, tally, secrets);
  say(`${events.length} events came.`);
}

/** There are more than GET /events shows to a client. */
export async function readEvents({ events }: Stores, from: number): Promise<RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  for (let after = from; ; ) {
    const page = await events.list({ after, limit: 1_000 });
    if (page === undefined) throw new Error("Events were removed.");
    found.push(...page.events);
    if (page.isLast) return found;
    after = page.readUpTo;
  }
}

async function countLeft({ stores, endpoints }: Place): Promise<number> {
  const last = await stores.events.lastId();
  const known = await stores.webhooks.list();
  let left = 0;
  for (const { endpoint } of endpoints) {
    const now = known.find(({ id }) => id === endpoint.id);
    left += last - (now?.place ?? 0) + (await stores.webhooks.countPending(endpoint.id));
  }
  return left;
}
