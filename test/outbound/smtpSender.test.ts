/** Against a mail server, and read by a parser, that others have made. */
import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { SMTPServerOptions } from "smtp-server";
import { systemClock } from "../../src/core/clock.ts";
import { Vault } from "../../src/core/vault.ts";
import { certificateSeal } from "../../src/hosting/domains/domains.ts";
import { SmtpSender } from "../../src/outbound/smtpSender.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { freePort } from "../../testkit/freePorts.ts";
import { MailServer } from "../../testkit/mailServer.ts";
import { createAuthority } from "../edge/certificates.ts";

const message = {
  id: "mail_1",
  to: "anna@example.com",
  subject: "[Pet Store] Bücher und Ähnliches",
  text: "Hello, Ähnliches.\n",
  html: "<p>Hello, Ähnliches.</p>",
};

type Options = ConstructorParameters<typeof SmtpSender>[0];
const login = { user: "petstore", password: "seven tins of sardines" };

function senderTo(
  port: number,
  server: Partial<Options["server"]> = {},
  more: Partial<Options> = {},
) {
  return new SmtpSender({
    server: { host: "127.0.0.1", port, security: "none", login: undefined, ...server },
    from: { name: "Pet Störe", address: "petstore@example.net" },
    clock: systemClock,
    ...more,
  });
}

describe("a mail", () => {
  test("arrives in both forms, with a Message-ID of its own", async () => {
    await using server = await new MailServer().listen();
    const clock = { ...systemClock, now: () => Date.parse("2026-11-16T12:00:00Z") };
    const sender = senderTo(server.port, {}, { clock });
    expect(await sender.send(message)).toEqual({ kind: "sent" });
    const [mail] = server.mails;
    expect(mail).toMatchObject({
      envelope: { from: "petstore@example.net", to: ["anna@example.com"] },
      from: { name: "Pet Störe", address: "petstore@example.net" },
      to: [{ address: "anna@example.com" }],
      subject: message.subject,
      messageId: "<mail_1@example.net>",
      date: "2026-11-16T12:00:00.000Z",
    });
    expect(mail?.text?.trim()).toBe(message.text.trim());
    expect(mail?.html?.trim()).toBe(message.html);
    expect(mail?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/im);
    expect(mail?.raw).toMatch(/^Content-Type: multipart\/alternative/im);
    // Servers of any age pass it on: short lines of ASCII.
    expect(mail?.raw.split("\r\n").every((line) => /^[\x20-\x7e\t]{0,998}$/.test(line))).toBe(true);
  });

  test("is the same when it is sent again", async () => {
    await using server = await new MailServer().listen();
    const sender = senderTo(server.port);
    await sender.send(message);
    await sender.send(message);
    const ids = server.mails.map(({ messageId }) => messageId);
    expect(ids).toEqual(["<mail_1@example.net>", "<mail_1@example.net>"]);
  });

  test("has no header and no recipient by what a name has in it", async () => {
    await using server = await new MailServer().listen();
    const subject = "Bella\r\nBcc: mallory@example.org\r\n\r\nHello";
    const address = "anna@example.com>\r\nRCPT TO:<mallory@example.org";
    await senderTo(server.port).send({ ...message, subject });
    await senderTo(server.port).send({ ...message, to: address });
    for (const { envelope, headers } of server.mails) {
      expect(envelope.to).not.toContain("mallory@example.org");
      expect(headers.map(({ key }) => key)).not.toContain("bcc");
    }
    expect(server.mails[0]?.envelope.to).toEqual(["anna@example.com"]);
  });
});

describe("a server that refuses", () => {
  for (const [what, step, said, kind] of [
    ["a recipient for good", "to", "550 No such user", "refused"],
    ["a recipient for now", "to", "450 Mailbox busy", "deferred"],
    ["the message for good", "data", "554 Looks like spam", "refused"],
    ["the message for now", "data", "451 Try later", "deferred"],
    ["the sender, and so every mail", "from", "550 Not allowed", "unreachable"],
    ["the connection", "connect", "554 No service", "unreachable"],
    ["a recipient, because it is closing", "to", "421 Closing", "unreachable"],
  ] as const) {
    test(`${what} is understood`, async () => {
      await using server = await new MailServer().listen();
      server.refuse = (at) => (at === step ? said : undefined);
      const result = await senderTo(server.port).send(message);
      expect(result).toEqual({ kind, error: expect.stringContaining(said.slice(4)) });
      expect(server.mails).toEqual([]);
    });
  }

  test("or is not there is told apart from one that refuses a mail", async () => {
    const result = await senderTo(await freePort()).send(message);
    expect(result).toMatchObject({ kind: "unreachable" });
    expect(await senderTo(await freePort()).verify()).toMatchObject({ kind: "unreachable" });
  });

  test("to say anything is given up", async () => {
    const silent = createServer((socket) => void socket.on("error", () => {}));
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    const clock = fakeClock(Date.now());
    const { port } = silent.address() as AddressInfo;
    const connected = once(silent, "connection");
    const sending = senderTo(port, {}, { clock, attemptMsMax: 30_000 }).send(message);
    const [socket] = await connected;
    clock.advance(30_000);
    expect(await sending).toEqual({
      kind: "unreachable",
      error: "There was no reply within 30 seconds.",
    });
    socket.destroy();
    silent.close();
  });
});

describe("signing in and TLS", () => {
  const authority = createAuthority();
  const vault = new Vault("the secret of this service", systemClock);
  const { id, chainPem, sealedKey } = authority.issue("localhost", "crt_1", vault);
  const tls = { cert: chainPem, key: vault.open(sealedKey, certificateSeal("localhost", id)) };
  const trusted = { trustPem: authority.certificatePem };
  const host = "localhost";
  const withLogin: SMTPServerOptions = {
    authOptional: false,
    onAuth: ({ username, password }, _session, callback) =>
      username === login.user && password === login.password
        ? callback(null, { user: username })
        : callback(new Error("Wrong")),
  };
  const upgradable = { ...tls, ...withLogin, hideSTARTTLS: false };

  test("by STARTTLS: the password is sent only after it", async () => {
    await using server = await new MailServer(upgradable).listen();
    const sender = senderTo(server.port, { host, security: "starttls", login }, trusted);
    expect(await sender.send(message)).toEqual({ kind: "sent" });
    expect(server.mails[0]).toMatchObject({ isSecure: true, user: login.user });
    expect(await sender.verify()).toEqual({ kind: "sent" });
  });

  test("by TLS from the start", async () => {
    await using server = await new MailServer({ ...tls, ...withLogin, secure: true }).listen();
    const sender = senderTo(server.port, { host, security: "tls", login }, trusted);
    expect(await sender.send(message)).toEqual({ kind: "sent" });
    expect(server.mails[0]).toMatchObject({ isSecure: true });
  });

  test("without it nothing is sent where it is wanted", async () => {
    await using server = await new MailServer({ ...withLogin, hideSTARTTLS: true }).listen();
    const sender = senderTo(server.port, { host, security: "starttls", login }, trusted);
    expect(await sender.send(message)).toMatchObject({ kind: "unreachable" });
    expect(server.mails).toEqual([]);
  });

  test("a certificate that is not trusted ends it", async () => {
    await using server = await new MailServer(upgradable).listen();
    const sender = senderTo(server.port, { host, security: "starttls", login });
    expect(await sender.send(message)).toMatchObject({ kind: "unreachable" });
    expect(server.mails).toEqual([]);
  });

  test("a wrong password is said without the password", async () => {
    await using server = await new MailServer(upgradable).listen();
    const wrong = { ...login, password: "not the password" };
    const sender = senderTo(server.port, { host, security: "starttls", login: wrong }, trusted);
    const result = await sender.send(message);
    expect(result).toMatchObject({ kind: "unreachable", error: expect.stringContaining("535") });
    expect(JSON.stringify(result)).not.toContain(wrong.password);
    expect(await sender.verify()).toMatchObject({ kind: "unreachable" });
    expect(server.mails).toEqual([]);
  });
});
