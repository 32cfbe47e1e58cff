import { expect, test } from "bun:test";
import { readConfig } from "../../src/config/config.ts";
import type { Log } from "../../src/core/log.ts";
import { MetricsRegistry } from "../../src/core/metrics.ts";
import { startBackground } from "../../src/serve/background.ts";
import { eventually } from "../../testkit/eventually.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import {
  addTo,
  certificateNamed,
  changeIn,
  domainFor,
  holding,
  projectIn,
} from "../store/domainSamples.ts";
import { useTemporaryFolder } from "../store/folder.ts";
import { keyNamed } from "../store/keys.suite.ts";
import { takeWriterThread } from "../store/writerPool.ts";

const folder = useTemporaryFolder(takeWriterThread);
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

test("what time alone makes true becomes an event within a minute", async () => {
  const stores = await folder.open();
  // In the 90 days before getPet is removed.
  const clock = fakeClock(Date.UTC(2030, 9, 10, 12));
  const nowMs = clock.now();
  await stores.keys.add(keyNamed("short", { expiresAtMs: nowMs + 1 }));
  await stores.keys.add(keyNamed("late"));
  const use = { keyId: "key_late", operation: "getPet", day: "2030-10-09", count: 1 } as const;
  await stores.keys.recordUses([{ ...use, lastAtMs: nowMs - dayMs }]);
  await projectIn(stores, "shop");
  const life = { notBeforeMs: nowMs - 84 * dayMs, notAfterMs: nowMs + 6 * dayMs };
  const certificate = certificateNamed("cert_1", "docs.example.com", life);
  const domain = domainFor("docs.example.com");
  await addTo(stores, domain);
  await changeIn(stores, holding(domain, certificate), { certificate });
  const before = await stores.events.lastId();

  const failures: unknown[] = [];
  const log = { error: (event: string, fields: unknown) => failures.push([event, fields]) };
  const background = startBackground({
    ...{ config: readConfig({}), secret: "secret", clock, stores },
    registry: new MetricsRegistry(),
    log: { info() {}, warn() {}, ...log } as unknown as Log,
  });
  const recorded = async () =>
    (await stores.events.list({ after: before, limit: 100 }))?.events ?? [];
  clock.advance(minuteMs);
  const events = await eventually(async () => {
    const seen = await recorded();
    return seen.length >= 3 && seen;
  });
  expect(events.map(({ type, resource }) => `${type} ${resource}`).toSorted()).toEqual([
    `certificate.expiring domains/${domain.id}`,
    "key.expired keys/key_short",
    "operation.sunset_approaching keys/key_late",
  ]);
  clock.advance(minuteMs);
  await background.finish(0);
  await background.stop();
  expect(await recorded()).toHaveLength(3);
  expect(failures).toEqual([]);
});
