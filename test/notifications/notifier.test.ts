/** From the state of the store to a mail that a server of others' making has taken. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { Vault } from "../../src/core/vault.ts";
import { mailSeal } from "../../src/notifications/mails.ts";
import { Notifier, type NotifierParts } from "../../src/notifications/notifier.ts";
import { SmtpSender } from "../../src/outbound/smtpSender.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { type FakeClock, fakeClock } from "../../testkit/fakeClock.ts";
import { freePort } from "../../testkit/freePorts.ts";
import { MailServer } from "../../testkit/mailServer.ts";
import { addTo, dayMs, domainFor, hourMs, nowMs, projectIn } from "../store/domainSamples.ts";
import { useTemporaryFolder } from "../store/folder.ts";
import { endpointFor } from "../store/webhooks.suite.ts";
import { takeWriterThread } from "../store/writerPool.ts";

const minuteMs = 60_000;
const folder = useTemporaryFolder(takeWriterThread);
const vault = new Vault("the secret of this service", systemClock);
let stores: Stores;
let clock: FakeClock;
let server: MailServer;
let logged: [level: string, event: string, fields: Readonly<Record<string, unknown>>][];
const eventsOf = (level: string) => logged.filter(([at]) => at === level).map(([, event]) => event);

const proofNeeded = { ownership: { kind: "proof_needed" } } as const;

async function setEmail(id: string, email: string): Promise<void> {
  const holder =
    id === "operator" ? ({ kind: "operator" } as const) : ({ kind: "owner", id } as const);
  await stores.accounts.setEmail({ account: id, holder, email });
}

beforeEach(async () => {
  stores = await folder.open();
  clock = fakeClock(nowMs + 3 * dayMs);
  server = await new MailServer().listen();
  logged = [];
  await projectIn(stores, "shop");
  await addTo(stores, domainFor("docs.example.com", "shop", proofNeeded));
});
afterEach(() => server[Symbol.asyncDispose]());

const note = (level: string) => (event: string, fields: Readonly<Record<string, unknown>>) =>
  void logged.push([level, event, fields]);

function notifierWith(parts: Partial<NotifierParts> = {}, port = server.port): Notifier {
  const sender = new SmtpSender({
    server: { host: "127.0.0.1", port, security: "none", login: undefined },
    from: { name: "Pet Store", address: "petstore@example.net" },
    clock: { ...systemClock, now: () => clock.now() },
  });
  return new Notifier({
    ...{ stores, clock, vault, operatorEmail: "root@example.com" },
    log: { info: note("info"), warn: note("warn"), error: note("error") },
    context: { service: "Pet Store", dashboard: "https://pets.example.com/dashboard/" },
    send: (message) => sender.send(message),
    ...parts,
  });
}

/** Ticks as often as a running service does. */
async function pass(notifier: Notifier, ms: number, stepMs = minuteMs): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    clock.advance(stepMs);
    await notifier.tick();
  }
}

describe("an owner", () => {
  test("gets one mail with all domains that have the same problem, and it can be read", async () => {
    await setEmail("shop", "shop@example.com");
    await addTo(stores, domainFor("xn--bcher-kva.example", "shop", proofNeeded));
    await notifierWith().tick();
    const [mail, ...others] = server.mails;
    expect(others).toEqual([]);
    expect(mail).toMatchObject({
      subject: "[Pet Store] 2 domains are not verified yet",
      from: { name: "Pet Store", address: "petstore@example.net" },
      envelope: { to: ["shop@example.com"] },
    });
    for (const form of [mail?.text, mail?.html]) {
      expect(form).toContain("docs.example.com");
      expect(form).toContain("bücher.example (xn--bcher-kva.example)");
      expect(form).toContain("/dashboard/#/projects/shop/domains/docs.example.com");
    }
    expect(await stores.mails.count()).toEqual({ pending: 0, sent: 1, failed: 0 });
    expect(eventsOf("info")).toEqual(["mail.created", "mail.delivered"]);
  });

  test("is not told again while it lasts, nor after a restart", async () => {
    await setEmail("shop", "shop@example.com");
    await pass(notifierWith(), 2 * dayMs, hourMs);
    await pass(notifierWith(), 2 * dayMs, hourMs);
    expect(server.mails).toHaveLength(1);
  });

  test("is told again when it was over and is back", async () => {
    await setEmail("shop", "shop@example.com");
    const notifier = notifierWith();
    await notifier.tick();
    await stores.sites.setPlan("shop", "free");
    await pass(notifier, 2 * minuteMs);
    expect(await stores.mails.listTold()).toMatchObject([{ open: false }]);
    await stores.sites.setPlan("shop", "paid");
    await pass(notifier, 23 * hourMs, hourMs);
    expect(server.mails).toHaveLength(1);
    await pass(notifier, 2 * hourMs, hourMs);
    expect(server.mails).toHaveLength(2);
    expect(new Set(server.mails.map(({ messageId }) => messageId)).size).toBe(2);
  });

  test("without an address is the operator's to tell, and told once they have one", async () => {
    const notifier = notifierWith();
    await notifier.tick();
    expect(server.mails.map(({ envelope }) => envelope.to)).toEqual([["root@example.com"]]);
    await setEmail("shop", "shop@example.com");
    await pass(notifier, 2 * minuteMs);
    expect(server.mails.map(({ envelope }) => envelope.to)[1]).toEqual(["shop@example.com"]);
  });
});

describe("the operator", () => {
  test("is told of an endpoint that was disabled, at the address of their account", async () => {
    await setEmail("shop", "shop@example.com");
    await setEmail("operator", "ops@example.com");
    const endpoint = endpointFor();
    await stores.webhooks.add(endpoint);
    await stores.webhooks.setDisabled(endpoint.id, { atMs: clock.now(), reason: "gone" });
    await notifierWith().tick();
    const mail = server.mails.find(({ envelope }) => envelope.to[0] === "ops@example.com");
    expect(mail?.subject).toBe("[Pet Store] A webhook endpoint was disabled");
    expect(mail?.text).toContain(endpoint.url);
    expect(mail?.text).toContain(`petstore webhooks enable ${endpoint.id}`);
  });

  test("without any address is warned by the log, and told once there is one", async () => {
    const notifier = notifierWith({ operatorEmail: undefined });
    await notifier.tick();
    expect(eventsOf("warn")).toEqual(["mails.unaddressed"]);
    expect(await stores.mails.count()).toEqual({ pending: 0, sent: 0, failed: 0 });
    await setEmail("operator", "ops@example.com");
    await pass(notifier, minuteMs);
    expect(server.mails).toHaveLength(1);
  });

  test("is told of keys that call what will be removed", async () => {
    await setEmail("shop", "shop@example.com");
    const sunsetMs = Date.UTC(2030, 11, 5);
    clock = fakeClock(sunsetMs - 90 * dayMs - hourMs);
    await stores.keys.add({
      ...{ id: "key_1", name: "report\r\nBcc: x@example.org", environment: "production" },
      ...{ hash: "hash", hint: "hint", scopes: "all", createdAtMs: 0, expiresAtMs: undefined },
      ...{ revokedAtMs: undefined, replacedBy: undefined, lastUsedAtMs: undefined },
    });
    const use = { keyId: "key_1", operation: "getPet", day: "2030-09-01", count: 1 } as const;
    await stores.keys.recordUses([{ ...use, lastAtMs: Date.UTC(2030, 8, 1) }]);
    const notifier = notifierWith();
    const sunsets = () =>
      server.mails.filter(({ subject }) => subject?.includes("operation that will be removed"));
    await notifier.tick();
    expect(sunsets()).toEqual([]);
    await pass(notifier, 2 * hourMs, hourMs);
    const [mail, ...others] = sunsets();
    expect(others).toEqual([]);
    expect(mail?.envelope.to).toEqual(["root@example.com"]);
    expect(mail?.headers.map(({ key }) => key)).not.toContain("bcc");
    expect(mail?.text).toContain("getPet is removed on 2030-12-05");
  });
});

describe("a mail server", () => {
  beforeEach(() => setEmail("shop", "shop@example.com"));

  test("that is down for a day loses nothing, and the log says so", async () => {
    const port = await freePort();
    const notifier = notifierWith({}, port);
    await pass(notifier, dayMs, 5 * minuteMs);
    expect(await stores.mails.count()).toEqual({ pending: 1, sent: 0, failed: 0 });
    expect(new Set(eventsOf("warn"))).toEqual(new Set(["mail.postponed"]));
    const [waiting] = await stores.mails.list({ limit: 1 });
    expect(waiting?.error).toContain("ECONNREFUSED");
    await using back = await new MailServer().listen(port);
    await pass(notifier, 2 * hourMs, 5 * minuteMs);
    expect(back.mails.map(({ messageId }) => messageId)).toEqual([`<${waiting?.id}@example.net>`]);
  });

  test("that is down for a week has mails given up, which is logged", async () => {
    const notifier = notifierWith({}, await freePort());
    await pass(notifier, 6 * dayMs, 30 * minuteMs);
    expect(await stores.mails.count()).toEqual({ pending: 0, sent: 0, failed: 1 });
    expect(eventsOf("warn").filter((event) => event === "mail.failed")).toHaveLength(1);
  });

  test("that refuses a recipient for good is not asked again, and others get theirs", async () => {
    await projectIn(stores, "acme");
    await setEmail("acme", "acme@example.com");
    await addTo(stores, domainFor("acme.example.com", "acme", proofNeeded));
    server.refuse = (step, text) =>
      step === "to" && text === "shop@example.com" ? "550 5.1.1 No such user" : undefined;
    await pass(notifierWith(), hourMs);
    expect(server.mails.map(({ envelope }) => envelope.to)).toEqual([["acme@example.com"]]);
    const [failed] = await stores.mails.list({ state: "failed", limit: 9 });
    expect(failed).toMatchObject({ address: "shop@example.com", tries: 1 });
    expect(failed?.error).toContain("550 5.1.1 No such user");
    expect(logged.find(([, event]) => event === "mail.failed")?.[2]).toMatchObject({
      recipient: "shop",
      error: failed?.error,
    });
  });

  test("that cannot be reached is tried with one mail a minute, however many wait", async () => {
    for (let count = 0; count < 30; count++) {
      const content = { kind: "email_changed", name: "shop", atMs: nowMs } as const;
      const mail = {
        recipient: `shop${count}`,
        address: "shop@example.com",
        content,
        sealed: undefined,
      };
      await stores.mails.add({ id: `mail_${count}`, ...mail }, clock.now());
    }
    let attempts = 0;
    const send = async () => {
      attempts++;
      return { kind: "unreachable", error: "down" } as const;
    };
    await pass(notifierWith({ send }), 10 * minuteMs, 5_000);
    expect(attempts).toBeGreaterThanOrEqual(9);
    expect(attempts).toBeLessThanOrEqual(11);
  });

  test("that took a mail before the process died gets it again, with the same Message-ID", async () => {
    const dies: Stores["mails"] = {
      ...stores.mails,
      settle: () => Promise.reject(new Error("Killed here.")),
    };
    await notifierWith({ stores: { ...stores, mails: dies } }).tick();
    expect(server.mails).toHaveLength(1);
    const next = notifierWith();
    await next.tick();
    expect(server.mails).toHaveLength(1);
    await pass(next, 6 * minuteMs);
    const [first, second, ...more] = server.mails.map(({ messageId }) => messageId);
    expect([second, more]).toEqual([first, []]);
    expect(await stores.mails.count()).toEqual({ pending: 0, sent: 1, failed: 0 });
  });

  test("that never answers does not keep the service from stopping", async () => {
    const notifier = notifierWith({ send: () => new Promise(() => {}) });
    const ticking = notifier.tick();
    const begun = Promise.withResolvers<void>();
    clock.next(() => begun.resolve());
    await begun.promise;
    const stopped = notifier.stop(1_000);
    clock.advance(1_000);
    await stopped;
    expect(await Promise.race([ticking.then(() => "done"), Promise.resolve("waiting")])).toBe(
      "waiting",
    );
  });
});

describe("an invitation", () => {
  const invitation = (expiresAtMs: number, sealed: string) => ({
    ...{ id: "mail_1", recipient: "shop", address: "shop@example.com", sealed },
    content: { kind: "invitation", name: "shop", expiresAtMs } as const,
  });
  const link = "https://pets.example.com/dashboard/#/welcome/abc";

  test("is sealed in the store, and open in the mail", async () => {
    const sealed = vault.seal(link, mailSeal("mail_1"));
    await stores.mails.add(invitation(clock.now() + dayMs, sealed), clock.now());
    expect(JSON.stringify(await stores.mails.list({ limit: 9 }))).not.toContain("welcome");
    await notifierWith().tick();
    const mail = server.mails.find(({ subject }) => subject?.includes("link to sign in"));
    expect(mail?.text).toContain(link);
    expect((await stores.mails.get("mail_1"))?.sealed).toBeUndefined();
    expect(JSON.stringify(logged)).not.toContain("welcome");
  });

  test("that expired, or was sealed with another secret, is not sent", async () => {
    for (const [expiresAtMs, sealed, why] of [
      [clock.now(), vault.seal(link, mailSeal("mail_1")), "expired"],
      [clock.now() + dayMs, vault.seal(link, mailSeal("mail_2")), "another PETSTORE_SECRET"],
    ] as const) {
      await stores.mails.add({ ...invitation(expiresAtMs, sealed), id: "mail_1" }, clock.now());
      await notifierWith().tick();
      const mail = await stores.mails.get("mail_1");
      expect(mail).toMatchObject({ state: "failed", error: expect.stringContaining(why) });
      await stores.mails.prune(clock.now() + 40 * dayMs);
    }
    expect(server.mails.filter(({ subject }) => subject?.includes("sign in"))).toEqual([]);
  });
});
