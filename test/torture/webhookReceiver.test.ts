import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { SeededRandom } from "../../testkit/seededRandom.ts";
import { Tally } from "../../torture/tally.ts";
import { type Misbehaviour, WebhookReceiver } from "../../torture/webhookReceiver.ts";

const secret = `whsec_${Buffer.from("a secret of thirty-two bytes ...").toString("base64")}`;
const first = { id: "evt_1", body: '{"id":1}' };
const second = { id: "evt_2", body: '{"id":2}' };

interface Sent {
  readonly id: string;
  readonly body: string;
  readonly signedBody?: string;
}

/** What the receiver has against these messages, where there are these events. */
async function violationsOf(
  sent: readonly Sent[],
  events: readonly Sent[],
  { faults = ["500"] as readonly Misbehaviour[], share = 0 } = {},
) {
  const tally = new Tally();
  await using receiver = new WebhookReceiver(tally, new SeededRandom(1), faults, share);
  receiver.secret = secret;
  const url = await receiver.listen();
  const statuses: unknown[] = [];
  for (const { id, body, signedBody = body } of sent) {
    const at = new Date(Date.now() + 1e9);
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
      "webhook-signature": new Webhook(secret).sign(id, at, signedBody),
    };
    const status = fetch(url, { method: "POST", headers, body })
      .then((response) => response.text().then(() => response.status))
      .catch(() => undefined);
    statuses.push(await status);
  }
  receiver.judge(new Map(events.map(({ id, body }) => [id, body])));
  return { violations: tally.violations.length, statuses };
}

test("each event once or more often is no violation", async () => {
  const sent = [first, second, first];
  expect(await violationsOf(sent, [first, second])).toEqual({
    violations: 0,
    statuses: [204, 204, 204],
  });
});

for (const [what, sent, events] of [
  ["an event that did not come", [first], [first, second]],
  ["a message without an event", [first], []],
  ["a message with the body of another event", [{ id: "evt_1", body: '{"id":2}' }], [first]],
  ["a message that is not JSON", [{ id: "evt_1", body: "" }], [first]],
  ["a message that changes", [{ id: "evt_1", body: "{}" }, first], [first]],
  ["a signature of another body", [{ ...first, signedBody: "{}" }], [first]],
] as const) {
  test(`${what} is a violation`, async () => {
    expect((await violationsOf(sent, events)).violations).toBe(1);
  });
}

for (const [fault, status] of [
  ["500", 500],
  ["410", 410],
  ["reset", undefined],
  ["torn", undefined],
  ["hangs", undefined],
] as const) {
  test(`a message that it answers by "${fault}" has not come`, async () => {
    const found = await violationsOf([first], [first], { faults: [fault], share: 1 });
    expect(found).toEqual({ violations: 1, statuses: [status] });
  });
}
