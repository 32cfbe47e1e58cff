/** Receivers that misbehave and clocks that jump: nothing is lost or blocked, and each is visible. */
import { expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { Vault } from "../../src/core/vault.ts";
import { certificateSeal } from "../../src/hosting/domains/domains.ts";
import type { Endpoint } from "../../src/petstore/webhooks/webhooks.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { CliFixture } from "../cli/cliFixture.ts";
import { createAuthority } from "../edge/certificates.ts";
import { type Answer, answering, Receiver, response } from "../outbound/receiver.ts";
import { useTemporaryFolder } from "../store/folder.ts";
import { takeWriterThread } from "../store/writerPool.ts";
import { add, Delivering } from "./delivering.ts";

const dayMs = 24 * 60 * 60_000;

const gigabyte: Answer = (_request, socket) => {
  socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n");
  const more = () => void (socket.destroyed || socket.write(Buffer.alloc(65_536, "a"), more));
  more();
};

/** Of an authority that nobody knows. */
function unknownCertificate(host: string) {
  const vault = new Vault("the secret of this service", systemClock);
  const { id, chainPem, sealedKey } = createAuthority().issue(host, "crt_1", vault);
  return { cert: chainPem, key: vault.open(sealedKey, certificateSeal(host, id)) };
}

test("whatever a receiver does, others are not delayed, and `webhooks deliveries` shows it", async () => {
  await using healthy = await new Receiver(answering(response(204))).listen();
  await using tls = await new Receiver(
    answering(response(204)),
    unknownCertificate("receiver.test"),
  ).listen();
  const redirect = response(302, "", `location: http://127.0.0.1:${healthy.port}/\r\n`);
  const bad: readonly (readonly [shown: string, answer: Answer, url?: string])[] = [
    ["There was no complete response within 15 seconds.", () => {}],
    ["The response is longer than 64 KiB.", gigabyte],
    ["Redirects are not followed.", answering(redirect)],
    ["The connection failed (ECONNRESET).", (_request, socket) => void socket.resetAndDestroy()],
    ["The response is not HTTP/1.1.", answering("SSH-2.0-OpenSSH_9.2\r\n")],
    ["503", answering(response(503))],
    ["::1 is not a public address", () => {}, "https://loopback.test/"],
    ["The connection failed (", () => {}, `https://receiver.test:${tls.port}/`],
  ];
  await using cli = new CliFixture();
  const endpoints: { readonly endpoint: Endpoint; readonly shown: string }[] = [];
  await cli.withStores(async (stores) => {
    // Time stands still for what is under way, so that whatever hangs does so throughout.
    const network = fakeClock(0);
    const resolve = async (host: string) => [host === "loopback.test" ? "::1" : "127.0.0.1"];
    const sender = { clock: network, resolve };
    await using all = new Delivering(stores, fakeClock(cli.clock.now()), { sender });
    await using receivers = new AsyncDisposableStack();
    for (const [shown, answer, url] of bad) {
      const receiver = receivers.use(await new Receiver(answer).listen());
      const { endpoint } = await all.endpoint(receiver, url === undefined ? {} : { url });
      endpoints.push({ endpoint, shown });
    }
    const good = await all.endpoint(healthy);
    await add(stores, 40);
    const delivered = async () => (await all.deliveries(good.endpoint)).map(({ state }) => state);
    await all.until(async () => (await delivered()).filter((s) => s === "delivered").length === 40);
    expect(healthy.requests).toHaveLength(40);
    network.advance(15_000);
    for (const { endpoint } of endpoints) {
      await all.until(async () => (await all.deliveries(endpoint))[0]?.attempts.length === 1, 1);
      // It is tried again, for days.
      const [first] = await all.deliveries(endpoint);
      expect(first).toMatchObject({ state: "pending", tries: 1 });
      expect((await all.deliveries(endpoint)).length).toBe(40);
    }
    expect(tls.requests).toEqual([]);
    expect(all.logged).toEqual([]);
  });
  for (const { endpoint, shown } of endpoints) {
    const { out } = await cli.run(["webhooks", "deliveries", endpoint.id]);
    expect(out).toMatch(new RegExp(`\\b1 +pet.created +pending +1 +${RegExp.escape(shown)}`));
  }
});

const folder = useTemporaryFolder(takeWriterThread);
for (const [jump, byMs] of [
  ["a year ahead", 365 * dayMs],
  ["a day back", -dayMs],
  ["a year back", -365 * dayMs],
] as const) {
  test(`a clock that jumps ${jump} loses and delays nothing`, async () => {
    let fails = true;
    await using failing = await new Receiver((_request, socket) => {
      socket.write(response(fails ? 500 : 204));
    }).listen();
    await using healthy = await new Receiver(answering(response(204))).listen();
    const base = fakeClock(Date.now());
    let offsetMs = 0;
    const clock = { ...base, now: () => base.now() + offsetMs };
    await using all = new Delivering(await folder.open({ clock }), clock);
    const [one, two] = [await all.endpoint(failing), await all.endpoint(healthy)];
    const attempts = async ({ endpoint }: typeof one) =>
      (await all.deliveries(endpoint)).map((each) => each.attempts.map(({ status }) => status));
    await add(all.stores, 3);
    await all.until(async () => (await attempts(one)).flat().length === 3);
    await all.until(async () => (await attempts(two)).flat().length === 3);

    offsetMs = byMs;
    fails = false;
    const jumpedMs = clock.elapsed();
    await add(all.stores, 2);
    await all.until(async () => (await attempts(one)).flat().length === 8);
    await all.until(async () => (await attempts(two)).flat().length === 5);
    // As without a jump: the first retry is after five seconds.
    expect(clock.elapsed() - jumpedMs).toBeLessThan(30_000);
    const again = [500, 204];
    expect(await attempts(one)).toEqual([again, again, again, [204], [204]]);
    expect(await attempts(two)).toEqual([[204], [204], [204], [204], [204]]);
    expect((await all.stores.webhooks.list()).map(({ disabled }) => disabled)).toEqual([
      ...[undefined, undefined],
    ]);
    expect(all.logged).toEqual([]);
  });
}
