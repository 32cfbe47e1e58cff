import { describe, expect, test } from "bun:test";
import type { Domain } from "../../src/hosting/domains/domain.ts";
import * as lifecycle from "../../src/hosting/domains/lifecycle.ts";
import { abandonAtMs, dueJob, scheduledJobs } from "../../src/hosting/domains/schedule.ts";
import { certificateOf, dayMs, isNew, lives, minuteMs, shown, startMs } from "./lives.ts";

const { pending_dns, misconfigured, verified, live, prepared, renewal_failing } = lives;
const uncertified = isNew("dns-01");
const abandon = { job: "abandon", atMs: startMs + 30 * dayMs };
const checkOf = ({ dns }: Domain) => ({ job: "check", atMs: dns.nextCheckAtMs });
const issuing = (domain: Domain, atMs = domain.certificate.issuance?.nextAttemptAtMs) => ({
  job: "issue",
  atMs,
});
const renewing = { job: "issue", atMs: startMs + 60 * dayMs };
const windowOf = ({ certificate }: Domain) => ({
  job: "renewal_window",
  atMs: certificate.askWindowAtMs,
});
const delay = { job: "report_delay", atMs: startMs + 30 * minuteMs };

const withCertificate = (domain: Domain, certificate: Partial<Domain["certificate"]>): Domain => ({
  ...domain,
  certificate: { ...domain.certificate, ...certificate },
});
const issuanceOf = ({ certificate: { issuance } }: Domain) => {
  if (issuance === undefined) throw new Error("It should be issuing.");
  return issuance;
};
const reported = withCertificate(verified, { issuance: { ...issuanceOf(verified), delay: [] } });
const unscheduled = withCertificate(live, { renewAtMs: undefined, askWindowAtMs: undefined });
const lost = withCertificate(verified, { issuance: undefined });
const unproven: Domain = { ...verified, ownership: pending_dns.ownership };
const turnedWrong: Domain = { ...verified, dns: { ...verified.dns, verdict: "wrong" } };
const ownName: Domain = { ...pending_dns, project: "" };
const expired = withCertificate(uncertified, { issuance: undefined });
const order = { directory: "", url: "", sealedKey: "", challenge: "text", askedAtMs: startMs };
const ordered = withCertificate(uncertified, {
  issuance: { ...issuanceOf(verified), nextAttemptAtMs: startMs + minuteMs, order },
});

describe("the jobs, by priority,", () => {
  const cases: Record<string, readonly [Domain, readonly object[]]> = {
    "one that is new": [pending_dns, [checkOf(pending_dns), abandon]],
    "one with wrong records": [misconfigured, [checkOf(misconfigured), abandon]],
    "one with right records": [verified, [delay, checkOf(verified), issuing(verified)]],
    "one whose delay was reported": [reported, [checkOf(reported), issuing(reported)]],
    "one that is live": [live, [renewing, checkOf(live), windowOf(live)]],
    "one whose renewal fails": [
      renewal_failing,
      [issuing(renewal_failing), checkOf(renewal_failing), windowOf(renewal_failing)],
    ],
    "one that is valid and never renewed": [unscheduled, [checkOf(unscheduled)]],
    "one that lost its certificate": [lost, [checkOf(lost), abandon]],
    "one that is not proven": [unproven, [checkOf(unproven), abandon]],
    "one that has turned wrong": [turnedWrong, [checkOf(turnedWrong), abandon]],
    "the platform's own": [ownName, [checkOf(ownName)]],
    "one that is prepared": [uncertified, [issuing(uncertified), checkOf(uncertified), abandon]],
    "one that is prepared again": [
      expired,
      [issuing(expired, expired.dns.nextCheckAtMs), checkOf(expired), abandon],
    ],
    "one whose owner was told a challenge, after a day": [
      ordered,
      [issuing(ordered, startMs + dayMs), checkOf(ordered), abandon],
    ],
    "one that was removed": [
      lives.removed,
      [{ job: "watch", atMs: lives.removed.dns.nextCheckAtMs }],
    ],
    "one that was given up": [
      lives.abandoned,
      [{ job: "watch", atMs: lives.abandoned.dns.nextCheckAtMs }],
    ],
  };
  for (const [which, [domain, jobs]] of Object.entries(cases)) {
    test(`of ${which} are ${jobs.map((each) => Object.values(each)[0]).join(", ")}`, () =>
      expect(scheduledJobs(domain, startMs)).toEqual([...jobs] as never));
  }

  test("are due at their time, and none before", () => {
    const { atMs } = checkOf(live);
    expect([dueJob(live, atMs - 1), dueJob(live, atMs)].map((job) => job === "check")).toEqual([
      false,
      true,
    ]);
    expect(dueJob(pending_dns, startMs - 1)).toBeUndefined();
  });
});

test("one is given up after 30 days, or when the certificate it was prepared with expires", () => {
  expect(abandonAtMs(pending_dns, startMs)).toBe(abandon.atMs);
  expect(abandonAtMs(prepared, startMs)).toBe(startMs + 90 * dayMs);
  const short = lifecycle.certified(
    lifecycle.checked(uncertified, shown, startMs),
    certificateOf(startMs, dayMs),
    startMs,
  );
  expect(abandonAtMs(short, startMs)).toBe(abandon.atMs);
  expect(abandonAtMs(live, startMs)).toBeUndefined();
});
