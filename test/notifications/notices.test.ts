import { describe, expect, test } from "bun:test";
import type { Domain, Issuance } from "../../src/hosting/domains/domain.ts";
import {
  domainNotices,
  dueNotices,
  type Notice,
  type NoticeKind,
  sunsetNotices,
  type ToldNotice,
  webhookNotices,
} from "../../src/notifications/notices.ts";
import type { ApiKey, KeyUse } from "../../src/petstore/keys/keys.ts";
import { catalogueKeyName } from "../../src/petstore/keys/lifecycle.ts";
import { dayMs, domainFor, hourMs, nowMs } from "../store/domainSamples.ts";
import { endpointFor } from "../store/webhooks.suite.ts";

const minuteMs = 60_000;
const standing = { paid: true, deployed: true };
const finding = { code: "CAA_BLOCKS", message: "CAA forbids it.", next: "Change CAA." } as const;

const issuance = (sinceMs: number, parts: Partial<Issuance> = {}): Issuance => ({
  ...{ sinceMs, attempts: 1, nextAttemptAtMs: nowMs, ordering: false, delay: undefined },
  refusal: { reason: "caa", atMs: nowMs, findings: [finding] },
  ...parts,
});

function domainWith(parts: {
  readonly left?: number;
  readonly life?: number;
  readonly issuance?: Issuance;
  readonly dns?: Partial<Domain["dns"]>;
  readonly domain?: Partial<Domain>;
}): Domain {
  const { left, life = 90 * dayMs } = parts;
  const base = domainFor("docs.example.com", "shop", parts.domain);
  const notAfterMs = nowMs + (left ?? 0);
  const held =
    left === undefined
      ? undefined
      : {
          ...{ id: "crt_1", issuer: "CA", renewalName: undefined },
          ...{ notBeforeMs: notAfterMs - life, notAfterMs },
        };
  return {
    ...base,
    dns: { ...base.dns, verdict: "right", everRight: true, ...parts.dns },
    certificate: { ...base.certificate, held, issuance: parts.issuance },
  };
}

const kindsOf = (domain: Domain, now = nowMs, plan = standing) =>
  domainNotices({ domain, standing: plan, version: 1 }, now).map(({ kind, recipient }) => [
    kind,
    recipient,
  ]);

describe("a domain", () => {
  const unverified = { verdict: "unknown", everRight: false } as const;

  test("is told of when DNS is not right 48 hours after it was added", () => {
    const domain = domainWith({ dns: { ...unverified, findings: [finding] } });
    expect(kindsOf(domain, nowMs + 48 * hourMs - 1)).toEqual([]);
    expect(kindsOf(domain, nowMs + 48 * hourMs)).toEqual([["domain_unverified", "shop"]]);
    expect(
      kindsOf({ ...domain, dns: { ...domain.dns, verdict: "wrong" } }, nowMs + 3 * dayMs),
    ).toEqual([["domain_unverified", "shop"]]);
    const [notice] = domainNotices({ domain, standing, version: 1 }, nowMs + 3 * dayMs);
    expect(notice).toEqual({
      ...{ kind: "domain_unverified", subject: `domains/${domain.id}`, recipient: "shop" },
      item: {
        name: "docs.example.com",
        detail: "It was added on 2026-11-15. CAA forbids it. Change CAA.",
        page: "#/projects/shop/domains/docs.example.com",
      },
    });
  });

  test("is not told of once DNS was right, or it has ended", () => {
    const right = domainWith({ dns: { ...unverified, everRight: true } });
    expect(kindsOf(right, nowMs + 9 * dayMs)).toEqual([]);
    for (const kind of ["removed", "abandoned"] as const) {
      const ownership = { kind, atMs: nowMs };
      expect(
        kindsOf(domainWith({ dns: unverified, domain: { ownership } }), nowMs + 9 * dayMs),
      ).toEqual([]);
    }
  });

  test("is told of when its certificate takes 30 minutes, for whatever reason", () => {
    for (const reason of ["caa", "rate_limited", "unavailable", "authorization_failed"] as const) {
      const refusal = { reason, atMs: nowMs, findings: [finding] };
      const domain = domainWith({ issuance: issuance(nowMs, { refusal }) });
      expect(kindsOf(domain, nowMs + 30 * minuteMs - 1)).toEqual([]);
      expect(kindsOf(domain, nowMs + 30 * minuteMs)).toEqual([["certificate_delayed", "shop"]]);
    }
    const ordering = domainWith({ issuance: issuance(nowMs, { ordering: true }) });
    expect(kindsOf(ordering, nowMs + 31 * minuteMs)).toEqual([["certificate_delayed", "shop"]]);
  });

  test("is told of when its renewal fails for an hour", () => {
    const domain = domainWith({ left: 30 * dayMs, issuance: issuance(nowMs) });
    expect(kindsOf(domain, nowMs + hourMs - 1)).toEqual([]);
    expect(kindsOf(domain, nowMs + hourMs)).toEqual([["renewal_failing", "shop"]]);
    const [notice] = domainNotices({ domain, standing, version: 1 }, nowMs + hourMs);
    expect(notice?.item.detail).toBe(
      "The certificate expires on 2026-12-15. CAA forbids it. Change CAA.",
    );
    const going = domainWith({
      left: 30 * dayMs,
      issuance: issuance(nowMs, { refusal: undefined }),
    });
    expect(kindsOf(going, nowMs + hourMs)).toEqual([]);
  });

  test("is told of, to its owner and the operator, seven days before its certificate expires", () => {
    const both = [
      ["certificate_expiring", "shop"],
      ["certificate_expiring", "operator"],
    ];
    expect(kindsOf(domainWith({ left: 7 * dayMs + 1 }))).toEqual([]);
    expect(kindsOf(domainWith({ left: 7 * dayMs }))).toEqual(both);
    expect(kindsOf(domainWith({ left: dayMs, issuance: issuance(nowMs - dayMs) }))).toEqual(both);
  });

  test("with a certificate of six days is told of when the renewal is late", () => {
    const life = 6 * dayMs;
    expect(kindsOf(domainWith({ left: 5 * dayMs, life }))).toEqual([]);
    expect(kindsOf(domainWith({ left: 2 * dayMs, life }))).toEqual([]);
    expect(kindsOf(domainWith({ left: dayMs, life }))).toHaveLength(2);
  });

  test("is told of when the plan cuts it off, but not when its owner shows nothing", () => {
    const free = { paid: false, deployed: true };
    const served = domainWith({ left: 30 * dayMs });
    expect(kindsOf(served, nowMs, free)).toEqual([["domain_suspended", "shop"]]);
    const [notice] = domainNotices({ domain: served, standing: free, version: 1 }, nowMs);
    expect(notice?.item.detail).toBe(
      "It is not served: the plan is free, and domains need the paid one. The name stays yours. To have it served again, change the plan.",
    );
    expect(kindsOf(served, nowMs, { paid: true, deployed: false })).toEqual([]);
    // It was never served.
    expect(kindsOf(domainWith({}), nowMs, free)).toEqual([]);
    expect(kindsOf(domainWith({ left: dayMs }), nowMs, free)).toEqual([
      ["domain_suspended", "shop"],
    ]);
  });

  test("of the service itself is the operator's", () => {
    const own = domainWith({ left: dayMs, domain: { project: "", ownerId: "" } });
    expect(kindsOf(own)).toEqual([["certificate_expiring", "operator"]]);
  });

  test("of an owner who cannot have an account is the operator's", () => {
    const domain = { ownerId: "operator", project: "shop" };
    expect(kindsOf(domainWith({ left: dayMs, domain }))).toEqual([
      ["certificate_expiring", "operator"],
    ]);
  });

  test("has its name in both scripts", () => {
    const [notice] = domainNotices(
      {
        domain: domainWith({ left: dayMs, domain: { host: "xn--bcher-kva.example" } }),
        standing,
        version: 1,
      },
      nowMs,
    );
    expect(notice?.item.name).toBe("bücher.example (xn--bcher-kva.example)");
  });

  test("that is served well is not told of", () => {
    expect(kindsOf(domainWith({ left: 60 * dayMs }))).toEqual([]);
  });
});

describe("an endpoint", () => {
  test("is told of when it was disabled by itself, and not when the operator did it", () => {
    const kinds = (reason?: "gone" | "failing" | "operator") =>
      webhookNotices(endpointFor({ disabled: reason && { atMs: nowMs, reason } })).map(
        ({ kind, recipient }) => [kind, recipient],
      );
    expect(kinds("gone")).toEqual([["webhook_disabled", "operator"]]);
    expect(kinds("failing")).toEqual([["webhook_disabled", "operator"]]);
    expect([...kinds("operator"), ...kinds()]).toEqual([]);
  });
});

describe("a deprecated operation", () => {
  const sunsetAtMs = Date.UTC(2030, 11, 5);
  const getPet = { operation: "getPet", sunsetAtMs, successor: "/pets?id={petId}" };
  const key: ApiKey = {
    ...{ id: "key_1", name: "report", environment: "production", hash: "", hint: "" },
    ...{ scopes: "all", createdAtMs: 0, expiresAtMs: undefined, revokedAtMs: undefined },
    ...{ replacedBy: undefined, lastUsedAtMs: undefined },
  };
  const near = sunsetAtMs - 60 * dayMs;
  const usedAt = (lastAtMs: number): KeyUse => ({
    ...{ keyId: "key_1", operation: "getPet", day: "2030-10-01", count: 3 },
    lastAtMs,
  });
  const told = (keys: readonly ApiKey[]) =>
    sunsetNotices(getPet, keys, [usedAt(near - dayMs), usedAt(near)], near);

  test("is told of for each key that still calls it", () => {
    expect(told([key, { ...key, id: "key_2" }])).toEqual([
      {
        ...{ kind: "operation_sunset", subject: "keys/key_1", recipient: "operator" },
        item: {
          name: "report (key_1)",
          detail:
            "It called getPet on 2030-10-06; getPet is removed on 2030-12-05. Call /pets?id={petId} instead.",
          page: "#/keys",
        },
      },
    ]);
  });

  test("is not told of for keys that have ended, or that pages make for themselves", () => {
    expect(told([{ ...key, revokedAtMs: 1 }])).toEqual([]);
    expect(told([{ ...key, expiresAtMs: near }])).toEqual([]);
    expect(told([{ ...key, name: catalogueKeyName }])).toEqual([]);
  });
});

describe("what is mailed", () => {
  const notice = (kind: NoticeKind, subject = "domains/1", recipient = "shop"): Notice => ({
    ...{ kind, subject, recipient, item: { name: subject, detail: "", page: "#/" } },
  });
  const toldAt = (
    atMs: number,
    kind: NoticeKind,
    open = true,
    subject = "domains/1",
  ): ToldNotice => ({
    ...{ kind, subject, recipient: "shop", toldAtMs: atMs, open },
  });
  const kinds = (current: readonly Notice[], told: readonly ToldNotice[], atMs = nowMs) =>
    dueNotices(current, told, atMs).due.map(({ kind, subject }) => `${kind} ${subject}`);

  test("is what is new, and a state that lasts is not mailed again", () => {
    const current = [notice("renewal_failing")];
    expect(kinds(current, [])).toEqual(["renewal_failing domains/1"]);
    const told = [toldAt(nowMs, "renewal_failing")];
    for (const days of [0, 1, 2, 30, 300])
      expect(kinds(current, told, nowMs + days * dayMs)).toEqual([]);
  });

  test("is an expiry every day, though not twice within one", () => {
    const current = [notice("certificate_expiring")];
    const told = [toldAt(nowMs, "certificate_expiring")];
    expect(kinds(current, told, nowMs + dayMs - 1)).toEqual([]);
    expect(kinds(current, told, nowMs + dayMs)).toEqual(["certificate_expiring domains/1"]);
  });

  test("is one about a subject within a day: the most urgent, and the other later", () => {
    const current = [notice("domain_unverified"), notice("certificate_expiring")];
    expect(kinds(current, [])).toEqual(["certificate_expiring domains/1"]);
    const told = [toldAt(nowMs, "renewal_failing", false)];
    expect(kinds(current, told, nowMs + dayMs - 1)).toEqual([]);
    const other = [notice("domain_unverified", "domains/2"), ...current];
    expect(kinds(other, told, nowMs + 1)).toEqual(["domain_unverified domains/2"]);
  });

  test("is the same to each recipient", () => {
    const current = [
      notice("certificate_expiring"),
      notice("certificate_expiring", "domains/1", "operator"),
    ];
    expect(kinds(current, [])).toHaveLength(2);
    // Where they are one person, once.
    expect(
      kinds([notice("certificate_expiring"), notice("certificate_expiring")], []),
    ).toHaveLength(1);
  });

  test("is again what was over and began anew, after a day", () => {
    const current = [notice("renewal_failing")];
    const told = [toldAt(nowMs, "renewal_failing", false)];
    expect(kinds(current, told, nowMs + dayMs - 1)).toEqual([]);
    expect(kinds(current, told, nowMs + dayMs)).toEqual(["renewal_failing domains/1"]);
  });

  test("is not held back by a clock that was ahead", () => {
    const told = [toldAt(nowMs + 9 * dayMs, "renewal_failing", false)];
    expect(kinds([notice("renewal_failing")], told)).toEqual(["renewal_failing domains/1"]);
  });

  test("is over when it is not there any more", () => {
    const told = [toldAt(nowMs, "renewal_failing"), toldAt(nowMs, "domain_unverified", false)];
    expect(dueNotices([], told, nowMs).over).toEqual([told[0] as ToldNotice]);
    expect(dueNotices([notice("renewal_failing")], told, nowMs).over).toEqual([]);
  });
});
