/** Every way in which an authority says no, and what we make of it. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { RefusalReason } from "../../src/hosting/domains/certificateAuthority.ts";
import { AcmeFixture, startMs } from "./acmeFixture.ts";
import { problem, type Reply, type Step } from "./fakeAuthority.ts";

let fixture: AcmeFixture;
beforeEach(async () => {
  fixture = await new AcmeFixture().start();
});
afterEach(() => {
  fixture.ca.stop();
  expect(fixture.ca.violations).toEqual([]);
});

const every: readonly Step[] = [
  "directory",
  "newNonce",
  "newAccount",
  "newOrder",
  "authorization",
  "challenge",
  "order",
  "finalize",
  "certificate",
];

describe("a limit of the authority", () => {
  const inAnHour = startMs + 3_600_000;
  const forms = { seconds: "3600", "a date": new Date(inAnHour).toUTCString() };

  for (const step of every) {
    for (const [form, value] of Object.entries(forms)) {
      test(`at ${step} says when to come back, from ${form}`, async () => {
        fixture.ca.when(step, () =>
          problem(429, "rateLimited", { headers: { "retry-after": value } }),
        );
        const refusal = await fixture.refusal();
        expect(refusal.reason).toBe("rate_limited");
        expect(refusal.retryAtMs).toBe(inAnHour);
      });
    }
  }

  test("is known by its type when the status is another", async () => {
    fixture.ca.when("newOrder", () =>
      problem(503, "rateLimited", { headers: { "retry-after": "60" } }),
    );
    const refusal = await fixture.refusal();
    expect(refusal).toEqual({
      reason: "rate_limited",
      detail: "this is rateLimited",
      retryAtMs: startMs + 60_000,
    });
  });

  test("is known by its status when there is nothing else", async () => {
    fixture.ca.when("newOrder", () => ({ status: 429, body: "<html>slow down</html>" }));
    const refusal = await fixture.refusal();
    expect(refusal).toEqual({
      reason: "rate_limited",
      detail: "The authority answered 429.",
      retryAtMs: undefined,
    });
  });

  for (const [value, expected] of [
    ["soon", undefined],
    ["-5", undefined],
    ["2027-01-01", undefined],
    ["Mon, 99 Foo 2026 12:00:00 GMT", undefined],
    ["9".repeat(400), undefined],
    ["999999999", startMs + 31 * 86_400_000],
    ["Sun, 06 Nov 1994 08:49:37 GMT", startMs],
  ] as const) {
    test(`with Retry-After "${value.slice(0, 30)}" is still a limit`, async () => {
      fixture.ca.when("newOrder", () =>
        problem(429, "rateLimited", { headers: { "retry-after": value } }),
      );
      const refusal = await fixture.refusal();
      expect(refusal.reason).toBe("rate_limited");
      expect(refusal.retryAtMs).toBe(expected);
    });
  }
});

describe("a refused request", () => {
  const answers: readonly [Reply, RefusalReason][] = [
    [problem(403, "caa"), "caa"],
    [problem(400, "rejectedIdentifier"), "policy"],
    [problem(400, "unsupportedIdentifier"), "policy"],
    [problem(403, "unauthorized"), "policy"],
    [problem(403, "userActionRequired"), "policy"],
    [problem(403, "externalAccountRequired"), "policy"],
    [problem(400, "malformed"), "policy"],
    [problem(400, "badSignatureAlgorithm"), "policy"],
    [problem(400, "aTypeOfTomorrow"), "policy"],
    [problem(400, "dns"), "authorization_failed"],
    [problem(500, "serverInternal"), "unavailable"],
    [problem(503, "unauthorized"), "unavailable"],
    [{ status: 502, body: "<html>bad gateway</html>" }, "unavailable"],
    [{ status: 403, body: "<html>blocked by a proxy</html>" }, "unavailable"],
    [{ status: 400, body: { type: "about:blank", title: "no" } }, "unavailable"],
    [{ status: 400, body: { type: 7, detail: {}, subproblems: "x" } }, "unavailable"],
    [{ status: 301, headers: { location: "http://127.0.0.1:1/" } }, "unavailable"],
  ];
  for (const [reply, reason] of answers) {
    const type = (reply.body as { type?: string } | undefined)?.type ?? "no problem document";
    test(`with ${reply.status} and ${type} is ${reason}`, async () => {
      fixture.ca.when("newOrder", () => reply);
      expect((await fixture.refusal()).reason).toBe(reason);
    });
  }

  test("at finalising can be a CAA record too", async () => {
    fixture.ca.when("finalize", () => problem(403, "caa"));
    expect((await fixture.refusal()).reason).toBe("caa");
  });

  test("is understood from its subproblems, which are part of the detail", async () => {
    const about = (type: string, detail: string) => ({
      type: `urn:ietf:params:acme:error:${type}`,
      detail,
    });
    fixture.ca.when("newOrder", () =>
      problem(403, "compound", {
        detail: "Several errors.",
        subproblems: [about("malformed", "One."), about("caa", "CAA forbids it."), null, "odd"],
      }),
    );
    expect(await fixture.refusal()).toEqual({
      reason: "caa",
      detail: "Several errors. One. CAA forbids it.",
      retryAtMs: undefined,
    });
  });

  test("says what the authority said, as bounded plain text", async () => {
    const detail = `first\r\nsecond\u001b[31m\u202e\u0000 ${"😀".repeat(600)}`;
    fixture.ca.when("newOrder", () => problem(400, "rejectedIdentifier", { detail }));
    const { detail: said } = await fixture.refusal();
    expect(said).toStartWith("first second [31m 😀😀");
    expect(said.length).toBeLessThanOrEqual(500);
    expect(said.length).toBeGreaterThan(490);
    expect(said.isWellFormed()).toBe(true);
  });
});

describe("a failed check of the host", () => {
  const failWith = (error: unknown) =>
    fixture.ca.when("authorization", (nth, usual) => {
      const reply = usual();
      if (nth === 1) return reply;
      const challenges = [
        { type: "dns-01", status: "pending" },
        { type: "http-01", status: "invalid", error },
      ];
      return { ...reply, body: { ...(reply.body as object), status: "invalid", challenges } };
    });

  const errors: readonly [string, RefusalReason][] = [
    ["connection", "authorization_failed"],
    ["dns", "authorization_failed"],
    ["unauthorized", "authorization_failed"],
    ["tls", "authorization_failed"],
    ["incorrectResponse", "authorization_failed"],
    ["malformed", "authorization_failed"],
    ["aTypeOfTomorrow", "authorization_failed"],
    ["caa", "caa"],
    ["rateLimited", "rate_limited"],
    ["rejectedIdentifier", "policy"],
    ["serverInternal", "unavailable"],
  ];
  for (const [type, reason] of errors) {
    test(`for ${type} is ${reason}`, async () => {
      failWith(problem(400, type).body);
      expect(await fixture.refusal()).toEqual({
        reason,
        detail: `this is ${type}`,
        retryAtMs: undefined,
      });
    });
  }

  test("is a CAA record when that stands among the subproblems", async () => {
    const caa = problem(403, "caa").body;
    failWith(problem(403, "unauthorized", { subproblems: [caa] }).body);
    expect((await fixture.refusal()).reason).toBe("caa");
  });

  for (const error of [undefined, null, "text", [], { type: 5 }]) {
    test(`with the error ${JSON.stringify(error)} is still a failed check`, async () => {
      failWith(error);
      const refusal = await fixture.refusal();
      expect(refusal.reason).toBe("authorization_failed");
      expect(refusal.detail).not.toBe("");
    });
  }

  test("happens when what was published is something else", async () => {
    const publish = async ({ token }: { token: string }) => {
      fixture.ca.published.set(token, `${token}.of-another-account`);
    };
    expect((await fixture.refusal({ publish })).reason).toBe("authorization_failed");
  });

  for (const status of ["deactivated", "expired", "revoked", "strange", undefined, 7]) {
    test(`that is ${status} lets the next order begin anew`, async () => {
      fixture.ca.when("authorization", (_, usual) => {
        const reply = usual();
        return { ...reply, body: { ...(reply.body as object), status } };
      });
      expect((await fixture.refusal()).reason).toBe("unavailable");
    });
  }

  test("is not begun where the authority offers no check over HTTP", async () => {
    fixture.ca.when("authorization", (_, usual) => {
      const reply = usual();
      return { ...reply, body: { ...(reply.body as object), challenges: [{ type: "dns-01" }] } };
    });
    expect((await fixture.refusal()).reason).toBe("policy");
  });
});

describe("an order that the authority gives up", () => {
  for (const [type, reason] of [
    ["caa", "caa"],
    ["rateLimited", "rate_limited"],
    ["unauthorized", "authorization_failed"],
    ["serverInternal", "unavailable"],
  ] as const) {
    test(`for ${type} is ${reason}, before and after finalising`, async () => {
      const invalid = { status: 200, body: { status: "invalid", error: problem(403, type).body } };
      fixture.ca.when("finalize", (_, usual) => {
        usual();
        return invalid;
      });
      expect((await fixture.refusal()).reason).toBe(reason);
      fixture.ca.when("order", () => invalid);
      expect((await fixture.refusal()).reason).toBe(reason);
    });
  }
});
