/** After the load: the database, the events and the webhooks against what was acknowledged. */
import { systemClock } from "../../src/core/clock.ts";
import { eventText } from "../../src/petstore/events/events.ts";
import { messageId } from "../../src/petstore/webhooks/webhooks.ts";
import { openSqlite } from "../../src/storage/sqlite/store.ts";
import { judgeAuditLog, judgeDatabase, judgeStore, keysIn } from "../judge.ts";
import type { Ledger } from "../ledger.ts";
import { pause } from "../load.ts";
import { readEvents } from "../scenarios/webhooks.ts";
import { judgeLog } from "../service.ts";
import { judgeEnd } from "../storeFixture.ts";
import type { Tally } from "../tally.ts";
import { expected, type Place } from "./place.ts";

const caughtUpMsMax = 300_000;

export async function judgeAll(place: Place, ledger: Ledger, tally: Tally): Promise<void> {
  const { victim, file, subscribers } = place;
  for (const { receiver } of subscribers) receiver.recover();
  await judgeStore({ ...victim, ledger, tally, settle: true, keys: () => keysIn(file) });
  const lateMs = performance.now() + caughtUpMsMax;
  for (const { id } of subscribers) {
    let left = await waitingFor(place, id);
    while (left > 0 && performance.now() < lateMs) {
      await replayPending(place, id);
      await pause(500);
      left = await waitingFor(place, id);
    }
    tally.judge(left === 0, () => `${left} deliveries are left after ${caughtUpMsMax} ms`);
  }
  await judgeWebhooks(place);
  const secrets = [place.secret, place.operatorToken, place.account.password];
  judgeLog(victim, tally, [...secrets, ...subscribers.map(({ receiver }) => receiver.secret)]);
  await judgeEnd(victim, tally);
  judgeDatabase(file, tally);
  judgeAuditLog(file, tally);
}

async function waitingFor({ platform }: Place, id: string): Promise<number> {
  const details = await expected(await platform("GET", `/webhooks/${id}`), 200);
  return details.pending + details.behind;
}

/** Those of a receiver that failed may be due in hours. */
async function replayPending({ platform }: Place, id: string): Promise<void> {
  const list = await platform("GET", `/webhooks/${id}/deliveries?state=pending&limit=100`);
  for (const { eventId } of (await expected(list, 200)).items) {
    await expected(await platform("POST", `/webhooks/${id}/deliveries/${eventId}/replay`), 200);
  }
}

/** Each event of a pet or an order came to each endpoint, as it was, and nothing else did. */
async function judgeWebhooks({ file, subscribers }: Place): Promise<void> {
  const stores = await openSqlite(file, { environment: "production", clock: systemClock });
  try {
    const events = await readEvents(stores, 0);
    const wanted = events.filter(({ type }) => /^(?:pet|order)\./.test(type));
    const bodies = wanted.map((event) => [messageId({ eventId: event.id }), eventText(event)]);
    for (const { receiver } of subscribers) receiver.judge(new Map(bodies as [string, string][]));
  } finally {
    await stores.close();
  }
}
