/** What holds of a domain whatever happens to it, in whatever order. */
import { expect, test } from "bun:test";
import { type Domain, isServed, statuses, statusOf } from "../../src/hosting/domains/domain.ts";
import * as lifecycle from "../../src/hosting/domains/lifecycle.ts";
import { dueJob, nextDueAtMs, scheduledJobs } from "../../src/hosting/domains/schedule.ts";
import fc from "../../testkit/fastCheck.ts";
import {
  certificateOf,
  dayMs,
  type Event,
  type EventName,
  events,
  finding,
  isNew,
  startMs,
} from "./lives.ts";

const more: Readonly<Record<string, Event>> = {
  "a short certificate": (domain, nowMs) =>
    lifecycle.certified(domain, certificateOf(nowMs, 6 * dayMs - 1_000), nowMs),
  "a renewal": lifecycle.renewing,
  "a window": (domain, nowMs) =>
    lifecycle.renewalWindowReceived(domain, {
      window: { startMs: nowMs + 5, endMs: nowMs + 50 },
      renewAtMs: nowMs + 7,
      askAgainAtMs: nowMs + 100,
    }),
  "no window": (domain) =>
    lifecycle.renewalWindowReceived(domain, {
      askAgainAtMs: undefined,
    }),
  "a delay": (domain) => lifecycle.delayed(domain, [finding]),
  "a notice": lifecycle.overdueReported,
  "a watch": (domain, nowMs) => lifecycle.watched(domain, [], nowMs),
  "a displacement": lifecycle.displaced,
};
const all: Readonly<Record<string, Event>> = { ...events, ...more };
const ends: readonly (EventName | string)[] = [
  "its removal",
  "its being given up",
  "a displacement",
];

const steps = fc.array(
  fc.record({
    name: fc.constantFrom(...Object.keys(all)),
    passedMs: fc.oneof(
      fc.constant(0),
      fc.integer({ min: 1, max: 60_000 }),
      fc.integer({ min: 1, max: 20 * dayMs }),
    ),
  }),
  { maxLength: 40 },
);

/** Each domain that a sequence of events leads to, with what it was before. */
function* livesOf(sequence: readonly { name: string; passedMs: number }[]) {
  let before = isNew();
  let nowMs = startMs;
  for (const { name, passedMs } of sequence) {
    nowMs += passedMs;
    const domain = (all[name] as Event)(before, nowMs);
    yield { before, domain, nowMs, name };
    before = domain;
  }
}

function holds(
  rule: (step: { before: Domain; domain: Domain; nowMs: number; name: string }) => void,
): void {
  const property = fc.property(steps, (sequence) => {
    for (const step of livesOf(sequence)) rule(step);
  });
  fc.assert(property, { numRuns: 500 });
}

test("there is always a next appointment, at a whole millisecond, or work at once", () => {
  holds(({ domain, nowMs }) => {
    const due = nextDueAtMs(domain, nowMs);
    expect(Number.isSafeInteger(due)).toBe(true);
    expect(scheduledJobs(domain, nowMs).every(({ atMs }) => Number.isSafeInteger(atMs))).toBe(true);
    if (due <= nowMs) expect(dueJob(domain, nowMs)).toBeDefined();
    else expect(dueJob(domain, nowMs)).toBeUndefined();
  });
});

test("edges answer only for what is held and has a certificate", () => {
  holds(({ domain }) => {
    const served = domain.ownership.kind === "held" && domain.certificate.held !== undefined;
    expect(isServed(domain)).toBe(served);
  });
});

test("what has ended never comes back by anything that a worker learns, and is not served", () => {
  holds(({ before, domain, name }) => {
    const ended = before.ownership.kind === "removed" || before.ownership.kind === "abandoned";
    if (!ended || ends.includes(name)) return;
    expect(domain.ownership).toEqual(before.ownership);
    expect(isServed(domain)).toBe(false);
  });
});

test("only a right answer makes a name held", () => {
  holds(({ before, domain, name }) => {
    if (before.ownership.kind !== "proof_needed" || domain.ownership.kind !== "held") return;
    expect(name).toMatch(/^a right answer$|^a switch$|^a challenge/);
  });
});

test("no certificate is wanted of a name before it was right and held", () => {
  holds(({ before, domain, name }) => {
    if (before.certificate.issuance !== undefined) return;
    if (domain.certificate.issuance === undefined || !/answer/.test(name)) return;
    expect([domain.ownership.kind, domain.dns.verdict]).toEqual(["held", "right"]);
  });
});

test("silence changes no status, ever", () => {
  const standing = { paid: true, deployed: true };
  holds(({ before, domain, nowMs, name }) => {
    if (!name.startsWith("no answer")) return;
    expect([domain.dns.verdict, domain.dns.failures]).toEqual([
      before.dns.verdict,
      before.dns.failures,
    ]);
    const had = statusOf(before, standing, nowMs);
    // An old certificate that ran out is wanted anew, which moves on what was right before.
    if (before.certificate.issuance !== domain.certificate.issuance) return;
    expect(statusOf(domain, standing, nowMs)).toBe(had);
  });
});

test("the status is always one of those that are declared", () => {
  holds(({ domain, nowMs }) => {
    for (const paid of [true, false]) {
      expect(statuses).toContain(statusOf(domain, { paid, deployed: true }, nowMs));
    }
  });
});

test("the domain stays whose it is and what it is called", () => {
  holds(({ before, domain }) => {
    const { id, host, project, ownerId, addedAtMs } = before;
    expect(domain).toMatchObject({ id, host, project, ownerId, addedAtMs });
  });
});
