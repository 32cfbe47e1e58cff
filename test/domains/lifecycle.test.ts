import { describe, expect, test } from "bun:test";
import { isServed, type Status, statuses } from "../../src/hosting/domains/domain.ts";
import * as lifecycle from "../../src/hosting/domains/lifecycle.ts";
import { dueJob, nextDueAtMs } from "../../src/hosting/domains/schedule.ts";
import { dayMs, type EventName, events, hourMs, lives, startMs, statusAt } from "./lives.ts";

describe("each status", () => {
  for (const [status, domain] of Object.entries(lives)) {
    test(`${status} is entered`, () => expect(statusAt(domain)).toBe(status as Status));
  }

  test("is one of those that are declared, and none is left out", () => {
    expect(new Set([...Object.keys(lives), "suspended"])).toEqual(new Set(statuses));
  });
});

describe("what an event makes of a status", () => {
  const ends = { "its removal": "removed", "its being given up": "abandoned" } as const;
  const untouchedBySilence = (status: Status) => ({
    "no answer": status,
    "no answer a hundred times": status,
  });
  const refusals = (status: Status) => ({
    "a refusal by CAA": status,
    "a rate limit": status,
    "a refusal by policy": status,
    "an authority that is down": status,
    "edges that are not ready": status,
  });
  const table: Readonly<Record<keyof typeof lives, Readonly<Partial<Record<EventName, Status>>>>> =
    {
      pending_dns: {
        ...ends,
        ...untouchedBySilence("pending_dns"),
        "a right answer": "verified",
        "a wrong answer": "misconfigured",
        "a click": "pending_dns",
      },
      misconfigured: {
        ...ends,
        ...untouchedBySilence("misconfigured"),
        "a right answer": "verified",
        "a wrong answer": "misconfigured",
        "a click": "misconfigured",
      },
      verified: {
        ...ends,
        ...untouchedBySilence("verified"),
        ...refusals("blocked"),
        "a right answer": "verified",
        "a wrong answer": "misconfigured",
        "a click": "verified",
        "an order": "issuing",
        "a certificate": "live",
      },
      issuing: {
        ...ends,
        ...untouchedBySilence("issuing"),
        ...refusals("blocked"),
        "a right answer": "issuing",
        "a wrong answer": "misconfigured",
        "a failed authorisation": "issuing",
        "a certificate": "live",
        "a lost lease": "verified",
      },
      certificate_delayed: {
        ...ends,
        ...untouchedBySilence("certificate_delayed"),
        ...refusals("certificate_delayed"),
        "a rate limit": "blocked",
        "a refusal by policy": "blocked",
        "a right answer": "certificate_delayed",
        "a wrong answer": "misconfigured",
        "a failed authorisation": "certificate_delayed",
        "a click": "issuing",
        "a certificate": "live",
      },
      blocked: {
        ...ends,
        ...untouchedBySilence("blocked"),
        ...refusals("blocked"),
        "a right answer": "blocked",
        "a wrong answer": "misconfigured",
        "a click": "blocked",
        "an order": "issuing",
        "a certificate": "live",
      },
      prepared: {
        ...ends,
        ...untouchedBySilence("prepared"),
        ...refusals("prepared"),
        "a wrong answer": "prepared",
        "three wrong answers": "prepared",
        "a switch": "live",
        "a click": "prepared",
        "a certificate": "prepared",
      },
      live: {
        ...ends,
        ...untouchedBySilence("live"),
        ...refusals("renewal_failing"),
        "a right answer": "live",
        "a wrong answer": "live",
        "three wrong answers": "degraded",
        "a click": "live",
        "an order": "live",
        "a certificate": "live",
        "a failed authorisation": "renewal_failing",
      },
      degraded: {
        ...ends,
        ...untouchedBySilence("degraded"),
        "a right answer": "live",
        "a wrong answer": "degraded",
        "a click": "degraded",
      },
      renewal_failing: {
        ...ends,
        ...untouchedBySilence("renewal_failing"),
        ...refusals("renewal_failing"),
        "a right answer": "renewal_failing",
        "three wrong answers": "degraded",
        "a certificate": "live",
        "a click": "renewal_failing",
      },
      // A worker that comes late with whatever it learnt changes nothing of an end.
      ...({
        abandoned: Object.fromEntries(endless("abandoned")),
        removed: Object.fromEntries(endless("removed")),
      } as const),
    };

  function endless(status: Status): [string, Status][] {
    return Object.keys(events)
      .filter((name) => !(name in { "its removal": 1, "its being given up": 1 }))
      .map((name) => [name, status]);
  }

  for (const [status, row] of Object.entries(table)) {
    for (const [name, next] of Object.entries(row)) {
      test(`${status} and ${name}: ${next}`, () => {
        const domain = events[name as EventName](lives[status as keyof typeof lives], startMs);
        expect(statusAt(domain)).toBe(next);
        if (next === "removed" || next === "abandoned") expect(isServed(domain)).toBe(false);
      });
    }
  }
});

describe("a suspended domain", () => {
  for (const standing of [
    { paid: false, deployed: true },
    { paid: true, deployed: false },
    { paid: false, deployed: false },
  ]) {
    test(`is so whatever it was, with ${JSON.stringify(standing)}, and is restored as it was`, () => {
      for (const [status, domain] of Object.entries(lives)) {
        const ended = status === "removed" || status === "abandoned";
        expect(statusAt(domain, startMs, standing)).toBe(ended ? (status as Status) : "suspended");
        expect(statusAt(domain)).toBe(status as Status);
      }
    });
  }
});

describe("a live domain", () => {
  test("is degraded by the third definite failure in a row, and recovers by one right answer", () => {
    let domain = lives.live;
    const seen: Status[] = [];
    for (const name of [
      "a wrong answer",
      "a wrong answer",
      "a right answer",
      "a wrong answer",
      "no answer",
      "a wrong answer",
      "no answer",
      "a wrong answer",
      "no answer",
      "a right answer",
    ] as const) {
      domain = events[name](domain, startMs);
      seen.push(statusAt(domain));
    }
    expect(seen).toEqual([...Array<Status>(7).fill("live"), "degraded", "degraded", "live"]);
  });

  test("goes on being served while it is degraded, also beyond 30 days", () => {
    const nowMs = startMs + 40 * dayMs;
    expect(statusAt(lives.degraded, nowMs)).toBe("degraded");
    expect(isServed(lives.degraded)).toBe(true);
    expect(dueJob(lives.degraded, nowMs)).not.toBe("abandon");
  });

  test("is looked at every 6 hours, and soon again when something was wrong", () => {
    const { live } = lives;
    expect(live.dns.nextCheckAtMs).toBe(startMs + 6 * hourMs);
    const right = events["a right answer"](live, startMs);
    expect(right.dns.nextCheckAtMs).toBe(startMs + 6 * hourMs);
    const wrong = events["a wrong answer"](live, startMs);
    expect(wrong.dns.nextCheckAtMs).toBe(startMs + 30_000);
  });

  test("is renewed with a third of its life left, and asks for the window at once", () => {
    const { live } = lives;
    expect(live.certificate.renewAtMs).toBe(startMs + 60 * dayMs);
    expect(dueJob(live, startMs)).toBe("renewal_window");
    const told = lifecycle.renewalWindowReceived(live, {
      window: { startMs: startMs + 9, endMs: startMs + 99 },
      renewAtMs: startMs + 50,
      askAgainAtMs: startMs + 6 * hourMs,
    });
    expect(nextDueAtMs(told, startMs)).toBe(startMs + 50);
    expect(dueJob(told, startMs + 50)).toBe("issue");
  });

  test("keeps the window and the time that it has when the authority says nothing new", () => {
    const window = { startMs: startMs + 9, endMs: startMs + 99 };
    const told = { window, renewAtMs: startMs + 50, askAgainAtMs: startMs + 1 };
    const once = lifecycle.renewalWindowReceived(lives.live, told);
    const nothing = { askAgainAtMs: startMs + 2 };
    expect(lifecycle.renewalWindowReceived(once, nothing).certificate).toMatchObject({
      window,
      renewAtMs: startMs + 50,
      askWindowAtMs: startMs + 2,
    });
  });

  test("whose certificate has run out is issued anew where DNS is right, or misconfigured", () => {
    const endMs = startMs + 90 * dayMs;
    expect(statusAt(lives.live, endMs - 1)).toBe("live");
    expect(statusAt(lives.live, endMs)).toBe("verified");
    expect(statusAt(lives.degraded, endMs)).toBe("misconfigured");
    expect(statusAt(lives.renewal_failing, endMs)).toBe("certificate_delayed");
    const checked = events["a right answer"](lives.live, endMs);
    expect(dueJob(checked, endMs)).toBe("issue");
  });

  test("keeps its certificate while a renewal is refused", () => {
    expect(lives.renewal_failing.certificate.held).toEqual(lives.live.certificate.held);
    expect(isServed(lives.renewal_failing)).toBe(true);
  });
});
