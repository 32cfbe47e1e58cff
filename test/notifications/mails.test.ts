import { describe, expect, test } from "bun:test";
import {
  afterAttempt,
  contentOf,
  giveUpMs,
  type Mail,
  type SendResult,
} from "../../src/notifications/mails.ts";
import { composeMail } from "../../src/notifications/mailText.ts";
import { type Notice, noticeKinds } from "../../src/notifications/notices.ts";

const nowMs = Date.UTC(2026, 10, 16, 12);
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const down: SendResult = { kind: "unreachable", error: "connect ECONNREFUSED" };

const mail: Mail = {
  ...{ id: "mail_1", recipient: "shop", address: "shop@example.com", sealed: undefined },
  content: { kind: "email_changed", name: "shop", atMs: nowMs },
  ...{ state: "pending", tries: 1, createdAtMs: nowMs, dueAtMs: nowMs },
  ...{ endedAtMs: undefined, error: undefined },
};

/** Attempts at the server until the mail has ended, or `untilMs`. */
function attempts(resultAt: (atMs: number) => SendResult, untilMs = Number.POSITIVE_INFINITY) {
  const times: number[] = [];
  let settled = { ...mail, tries: 0 };
  let atMs = nowMs;
  while (settled.state === "pending" && atMs < untilMs) {
    times.push(atMs - nowMs);
    const after = afterAttempt({ ...settled, tries: settled.tries + 1 }, resultAt(atMs), atMs, 0);
    settled = { ...settled, ...after };
    atMs = settled.dueAtMs ?? atMs;
  }
  return { times, ...settled };
}

describe("a mail that cannot be sent", () => {
  test("is tried within minutes, and then every hour", () => {
    const { times } = attempts(() => down, nowMs + 4 * hourMs);
    expect(times.map((ms) => ms / minuteMs)).toEqual([0, 1, 6, 21, 51, 111, 171, 231]);
  });

  test("is sent within an hour of the end of an outage of a day, or of four", () => {
    for (const days of [1, 4]) {
      const back = nowMs + days * dayMs;
      const { state, times } = attempts((atMs) => (atMs < back ? down : { kind: "sent" }));
      expect(state).toBe("sent");
      expect((times.at(-1) ?? 0) - days * dayMs).toBeLessThan(hourMs);
    }
  });

  test("is given up after five days, with the reason", () => {
    const { state, times, error } = attempts(() => down);
    expect([state, error]).toEqual(["failed", "connect ECONNREFUSED"]);
    expect(times.at(-1)).toBeGreaterThanOrEqual(giveUpMs);
    expect(times.at(-1)).toBeLessThan(giveUpMs + 2 * hourMs);
  });

  test("is not given up because the clock jumps ahead by a month", () => {
    const jumped = { ...mail, tries: 2 };
    expect(afterAttempt(jumped, down, nowMs + 30 * dayMs, 0).state).toBe("pending");
  });

  test("is not tried again where the recipient was refused for good", () => {
    const settled = afterAttempt(mail, { kind: "refused", error: "550 No such user" }, nowMs, 0);
    expect(settled).toMatchObject({
      state: "failed",
      error: "550 No such user",
      dueAtMs: undefined,
    });
  });

  test("is spread by a tenth", () => {
    const delay = (random: number) =>
      (afterAttempt(mail, down, nowMs, random).dueAtMs ?? 0) - nowMs;
    expect([delay(0), delay(0.5), delay(0.999)]).toEqual([60_000, 63_000, 65_994]);
  });
});

const context = { service: "Pet Store", dashboard: "https://pets.example.com/dashboard/" };
const noticeAbout = (name: string, detail = "It fails."): Notice => ({
  ...{ kind: "renewal_failing", subject: "domains/1", recipient: "shop" },
  item: { name, detail, page: "#/projects/shop/domains/a.example" },
});

describe("the text", () => {
  test("of one thing names it, with what to do and where", () => {
    const content = contentOf("renewal_failing", [noticeAbout("docs.example.com")]);
    const { subject, text } = composeMail(content, context, undefined);
    expect(subject).toBe("[Pet Store] The certificate of docs.example.com cannot be renewed");
    expect(text).toBe(
      `Renewal has been failing for over an hour. The site stays available until the certificate expires. Renewal is retried automatically.

docs.example.com
  It fails.
  https://pets.example.com/dashboard/#/projects/shop/domains/a.example

This is an automatic message of Pet Store. Where your mail goes is set in the dashboard, under Account:

https://pets.example.com/dashboard/#/account
`,
    );
  });

  test("of many lists fifty, and says how many more there are", () => {
    const many = Array.from({ length: 1_234 }, (_, index) => noticeAbout(`${index}.example`));
    const { subject, text, html } = composeMail(
      contentOf("renewal_failing", many),
      context,
      undefined,
    );
    expect(subject).toBe("[Pet Store] 1234 certificates cannot be renewed");
    for (const form of [text, html]) {
      expect(form).toContain("49.example");
      expect(form).not.toContain("50.example");
      expect(form).toContain("and 1184 more");
    }
  });

  test("exists for every kind, for one and for several", () => {
    for (const kind of noticeKinds) {
      for (const count of [1, 3]) {
        const notices = Array(count).fill(noticeAbout("a.example"));
        const { subject, text, html } = composeMail(contentOf(kind, notices), context, undefined);
        expect(subject).toMatch(/^\[Pet Store\] \S.{10,}[^.]$/);
        expect(`${text}${html}`).not.toMatch(/undefined|NaN|\[object/);
      }
    }
  });

  test("of an invitation has the link, until when it works, and for whom", () => {
    const content = { kind: "invitation", name: "acme", expiresAtMs: nowMs } as const;
    const link = "https://pets.example.com/dashboard/#/welcome/abc";
    const { text, html } = composeMail(content, context, link);
    expect(text).toContain(`\n\n${link}\n\n`);
    expect(text).toContain("as acme");
    expect(text).toContain("2026-11-16 12:00 UTC");
    expect(html).toContain(`<a href="${link}">`);
  });

  test("of names that are markup, headers or very long stays text on one line", () => {
    const name = `<script>alert("1")</script>\r\nBcc: mallory@example.org\u2028${"x".repeat(2_000)}`;
    const content = contentOf("operation_sunset", [noticeAbout(name, "<b>&</b>")]);
    const { subject, html } = composeMail(content, context, undefined);
    expect(subject).not.toMatch(/[\r\n\u2028]/);
    expect([...subject].length).toBeLessThanOrEqual(170);
    expect(html).not.toContain("<script");
    expect(html).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; Bcc:");
    expect(html).toContain("&lt;b&gt;&amp;&lt;/b&gt;");
  });

  test("as HTML follows a dark theme, and loads nothing", () => {
    const { html } = composeMail(
      contentOf("renewal_failing", [noticeAbout("a.example")]),
      context,
      undefined,
    );
    expect(html).toContain('<meta name="color-scheme" content="light dark">');
    expect(html).not.toMatch(/<(?:img|link|script|style|iframe)|url\(|(?<!-)color:|background/i);
  });
});
