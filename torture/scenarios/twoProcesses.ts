/** Two processes on one database of SQLite, one or the other killed, and nobody shown the past. */
import { systemClock } from "../../src/core/clock.ts";
import { mintKey, planRotation } from "../../src/petstore/keys/lifecycle.ts";
import { openSqlite } from "../../src/storage/sqlite/store.ts";
import type { Stores } from "../../src/storage/stores.ts";
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import { codeOf, exchange } from "../exchange.ts";
import { type Load, pause, startLoad } from "../load.ts";
import type { Scenario, ScenarioContext } from "../scenario.ts";
import { judgeLog, type Victim } from "../service.ts";
import { judgeEnd, newStoreFixture, type StoreFixture } from "../storeFixture.ts";

/** Few are answered so fast that a moment counts, many keep both processes busy. */
const clientsChoices = [3, 16];
/** The first request of a connection is read at another point of the event loop than later ones. */
const freshShare = 0.4;
const killsInARow = 2;
const lifeMsMax = 700;
const startMsMax = 200;
const betweenKeysMsMax = 30;
/** Those of the last ones that are tried once more when a process has been started again. */
const revokedTriedAgain = 5;

export const twoProcesses: Scenario = {
  name: "twoProcesses",
  about: "two processes on one SQLite database, killed in turns while keys are revoked beside them",
  async run(context) {
    const endMs = performance.now() + context.seconds * 1_000;
    for (let number = 0; number === 0 || performance.now() < endMs; number++) {
      const place = await openPlace(context, number);
      try {
        for (let round = 0; round === 0 || performance.now() < endMs; round++) {
          if (place.fixture.isFull()) break;
          await killInTurns(place, context.random.fork(`store ${number}, round ${round}`));
          await judgeQuiet(place);
        }
        for (const { victim } of place.sides) await judgeEnd(victim, context.tally);
      } finally {
        for (const { victim } of place.sides) await victim.killed();
        await place.stores.close();
      }
    }
  },
};

/** Where one of the two processes is, through all its lives. */
interface Side {
  victim: Victim;
  /** Whether it can be asked. */
  living: boolean;
}

interface Place {
  readonly context: ScenarioContext;
  readonly fixture: StoreFixture;
  readonly sides: readonly Side[];
  /** A third hand on the database, which revokes keys. */
  readonly stores: Stores;
  readonly revoked: string[];
}

async function openPlace(context: ScenarioContext, number: number): Promise<Place> {
  const fixture = newStoreFixture(context, `store-${number}`);
  const sides: Side[] = [];
  try {
    for (let count = 0; count < 2; count++)
      sides.push({ victim: await fixture.open(), living: true });
    const stores = await openSqlite(fixture.file, {
      environment: "production",
      clock: systemClock,
    });
    return { context, fixture, sides, stores, revoked: [] };
  } catch (cause) {
    for (const { victim } of sides) await victim.killed();
    throw cause;
  }
}

async function killInTurns(place: Place, random: SeededRandom): Promise<void> {
  const { sides, context } = place;
  const load = begin(place, random.fork("load"));
  const revoking = startRevoking(place, random.fork("keys"));
  try {
    for (let kill = 0; kill < killsInARow; kill++) {
      await pause(random.between(0, lifeMsMax));
      await killAndStartAgain(place, random.oneOf(sides), random);
    }
    await pause(random.between(0, lifeMsMax));
  } finally {
    await load.ended();
    await revoking.ended();
  }
  context.tally.fault("request cut off", load.seen.lost);
}

function begin({ context, fixture, sides }: Place, random: SeededRandom): Load {
  const clients = random.oneOf(clientsChoices);
  return startLoad({
    addresses: () => sides.filter(({ living }) => living).map(({ victim }) => victim.base),
    token: sides[0]?.victim.token ?? "",
    random,
    ledger: fixture.ledger,
    tally: context.tally,
    clients,
    freshClients: Math.round(clients * freshShare),
    mayBreak: (base) => !lives(sides, base),
    readsMayFail: () => false,
    writesMayFail: () => false,
  });
}

const lives = (sides: readonly Side[], base: string) =>
  sides.some(({ victim, living }) => living && victim.base === base);

/** The other one goes on meanwhile, and nothing may be felt of it there. */
async function killAndStartAgain({ fixture, context }: Place, side: Side, random: SeededRandom) {
  side.living = false;
  await side.victim.killed();
  context.tally.fault("SIGKILL of one process");
  if (random.happens(0.3)) {
    await fixture.openAndKill(random.between(0, startMsMax));
    context.tally.fault("SIGKILL at the start");
  }
  side.victim = await fixture.open();
  side.living = true;
}

/** A key after the other is made, used at both processes, revoked, and must be refused by both. */
function startRevoking(place: Place, random: SeededRandom) {
  let stopping = false;
  const work = (async () => {
    while (!stopping) {
      await judgeRevocation(place, random);
      await pause(random.between(0, betweenKeysMsMax));
    }
  })();
  // A failure is reported where it is awaited.
  work.catch(() => {});
  return {
    async ended() {
      stopping = true;
      await work;
    },
  };
}

async function judgeRevocation(place: Place, random: SeededRandom): Promise<void> {
  const { stores, sides, revoked, context } = place;
  const { key, token } = mintKey(
    { name: "revoked", environment: "production", scopes: "all", expiresAtMs: undefined },
    systemClock,
  );
  await stores.keys.add(key);
  for (const side of sides) await judgeKey(place, side, token, "works", random);
  if (random.happens(0.3)) {
    const { key: successor, oldExpiresAtMs } = planRotation(key, 60_000, systemClock);
    await stores.keys.rotate(key.id, oldExpiresAtMs, successor);
  }
  await stores.keys.revoke(key.id, Date.now());
  revoked.push(token);
  context.tally.fault("key revoked");
  // At once by both: asked one after the other, the second would have had time to hear of it.
  await Promise.all(sides.map((side) => judgeKey(place, side, token, "key_revoked", random)));
}

type Said = "works" | "key_revoked";

/** Nothing is said of a process that ends meanwhile. */
async function judgeKey(
  place: Place,
  side: Side,
  token: string,
  expected: Said,
  random: SeededRandom,
) {
  const { tally } = place.context;
  const fresh = random.happens(0.5);
  const { victim } = side;
  const { base } = victim;
  if (!side.living) return;
  const url = `${base}/pets?limit=1`;
  const answer = await exchange({ method: "GET", url, token, fresh }, tally);
  if (answer === undefined && !lives(place.sides, base)) return;
  const said = answer?.status === 200 ? "works" : codeOf(answer?.text ?? "");
  tally.judge(said === expected, () => {
    return `${fresh ? "A fresh" : "A kept"} connection to ${base}: ${said}, not ${expected}`;
  });
}

/** Everything that must hold while nobody writes, as either process shows it. */
async function judgeQuiet(place: Place): Promise<void> {
  const { fixture, sides, revoked, context } = place;
  for (const side of sides) {
    await fixture.judge(side.victim);
    judgeLog(side.victim, context.tally, revoked);
    for (const token of revoked.slice(-revokedTriedAgain)) {
      await judgeKey(place, side, token, "key_revoked", context.random);
    }
  }
}
