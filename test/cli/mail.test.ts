import { describe, expect, test } from "bun:test";
import { run } from "../../src/cli/run.ts";
import { Vault } from "../../src/core/vault.ts";
import { mailSeal } from "../../src/notifications/mails.ts";
import { SmtpSender } from "../../src/outbound/smtpSender.ts";
import { freePort } from "../../testkit/freePorts.ts";
import { MailServer } from "../../testkit/mailServer.ts";
import { CapturedOutput, CliFixture } from "./cliFixture.ts";

const vault = (cli: CliFixture) => new Vault("the secret of this service", cli.clock);

/** Runs a command with the settings of a mail server on this port. */
async function withMail(cli: CliFixture, port: number, ...argv: string[]) {
  const [stdout, stderr] = [new CapturedOutput(), new CapturedOutput()];
  const from = { name: "Pet Store", address: "petstore@example.net" };
  const server = { host: "127.0.0.1", port, security: "none", login: undefined } as const;
  const sender = new SmtpSender({ server, from, clock: cli.clock });
  const context = cli.context({
    ...{ stdout, stderr },
    observeSetup: async () => ({
      ...{ domains: undefined, database: undefined, connectionsPossible: 10_000 },
      disk: { folder: "/data", freeBytes: undefined, refused: undefined, syncMs: undefined },
    }),
    mail: () => ({
      ...{ server: `127.0.0.1:${port}`, vault: vault(cli), operatorEmail: "root@example.com" },
      context: { service: "Pet Store", dashboard: "http://localhost:8080/dashboard/" },
      send: (message) => sender.send(message),
      verify: () => sender.verify(),
    }),
  });
  const code = await run(argv, context);
  return { code, out: stdout.text, err: stderr.text };
}

const mailsIn = (cli: CliFixture) => cli.withStores(({ mails }) => mails.list({ limit: 9 }));

describe("an invitation", () => {
  test("is mailed where the account has an address, and shown as before", async () => {
    await using cli = new CliFixture();
    await cli.json("owners", "add", "acme", "--email", "ops@acme.example");
    const { out } = await withMail(cli, 1, "owners", "invite", "acme", "--json");
    const made = JSON.parse(out);
    expect(made).toMatchObject({ name: "acme", mailedTo: "ops@acme.example" });
    const [mail, ...others] = await mailsIn(cli);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ recipient: "acme", address: "ops@acme.example" });
    expect(vault(cli).open(mail?.sealed ?? "", mailSeal(mail?.id ?? ""))).toBe(made.link);
    expect(JSON.stringify(mail)).not.toContain(made.link.split("/").at(-1));
    const text = (await withMail(cli, 1, "owners", "invite", "acme")).out;
    expect(text).toContain("It is also mailed to ops@acme.example.");
  });

  test("is only shown without an address or a mail server", async () => {
    await using cli = new CliFixture();
    await cli.json("owners", "add", "acme");
    const { out } = await withMail(cli, 1, "owners", "invite", "acme", "--json");
    expect(JSON.parse(out).mailedTo).toBeNull();
    await cli.json("owners", "email", "ops@acme.example", "acme");
    expect((await cli.json("owners", "invite", "acme")).mailedTo).toBeNull();
    expect(await mailsIn(cli)).toEqual([]);
  });

  test("of the operator goes to the address of the settings", async () => {
    await using cli = new CliFixture();
    const { out } = await withMail(cli, 1, "owners", "invite", "--operator", "--json");
    expect(JSON.parse(out).mailedTo).toBe("root@example.com");
  });
});

test("the change of an address is told to the one before", async () => {
  await using cli = new CliFixture();
  await cli.json("owners", "add", "acme", "--email", "old@acme.example");
  const change = (address: string) => withMail(cli, 1, "owners", "email", address, "acme");
  await change("old@acme.example");
  expect(await mailsIn(cli)).toEqual([]);
  await change("new@acme.example");
  expect(await mailsIn(cli)).toMatchObject([
    { address: "old@acme.example", content: { kind: "email_changed", name: "acme" } },
  ]);
});

describe("petstore mail", () => {
  async function withFailed(): Promise<CliFixture> {
    const cli = new CliFixture();
    await cli.json("owners", "add", "acme", "--email", "ops@acme.example");
    await withMail(cli, 1, "owners", "invite", "acme");
    await cli.withStores(async ({ mails }) => {
      const nowMs = cli.clock.now();
      const { id = "", tries = 0 } = (await mails.takeDue(nowMs, nowMs + 1_000)) ?? {};
      const failed = { state: "failed", dueAtMs: undefined, error: "550 No such user" } as const;
      await mails.settle({ id, tries, ...failed, atMs: nowMs });
    });
    return cli;
  }

  test("list shows what became of mails, and no link", async () => {
    await using cli = await withFailed();
    const [mail] = await cli.json("mail", "list");
    expect(mail).toEqual({
      ...{ id: expect.stringMatching(/^mail_\w{20}$/), recipient: "acme", state: "failed" },
      ...{ address: "ops@acme.example", tries: 1, error: "550 No such user", dueAt: null },
      ...{ createdAt: "2026-11-15T12:00:00.000Z", endedAt: "2026-11-15T12:00:00.000Z" },
      content: { kind: "invitation", name: "acme", expiresAtMs: expect.any(Number) },
    });
    const { out } = await cli.run(["mail", "list", "--state", "failed"]);
    expect(out).toContain("ops@acme.example  invitation  acme   failed  550 No such user");
    expect(await cli.json("mail", "list", "--state", "pending")).toEqual([]);
  });

  test("retry sends one to the address that the account has now, or all", async () => {
    await using cli = await withFailed();
    await cli.json("owners", "email", "new@acme.example", "acme");
    const [{ id }] = await cli.json("mail", "list");
    expect(await cli.json("mail", "retry", id)).toEqual({ retried: 1 });
    expect(await mailsIn(cli)).toMatchObject([{ state: "pending", address: "new@acme.example" }]);
    expect((await cli.run(["mail", "retry", "--all"])).out).toBe("1 mail will be sent.\n");
  });

  test("test says whether the server takes a mail", async () => {
    await using cli = new CliFixture();
    await using server = await new MailServer().listen();
    const sent = await withMail(cli, server.port, "mail", "test", "anna@example.com");
    const said = `127.0.0.1:${server.port} took a mail for anna@example.com.\n`;
    expect(sent).toEqual({ code: 0, out: said, err: "" });
    expect(server.mails[0]?.subject).toBe("[Pet Store] A test");
    server.refuse = (step) => (step === "to" ? "550 No such user" : undefined);
    const refused = await withMail(cli, server.port, "mail", "test", "anna@example.com");
    expect(refused.code).toBe(1);
    expect(refused.out).toContain("did not take a mail for anna@example.com.");
    expect(refused.out).toContain("550 No such user");
  });

  test.each([
    ["mail test", 2, "<address> is missing."],
    ["mail test anna", 2, "<address> must be an e-mail address"],
    ["mail test anna@example.com", 1, "No mail server is set. Set PETSTORE_SMTP_URL"],
    ["mail list --state gone", 2, "--state must be one of pending, sent, failed"],
    ["mail retry", 2, "Name the mail to retry, or use --all"],
    ["mail retry mail_x --all", 2, "Name the mail to retry, or use --all"],
    ["mail retry mail_x", 1, 'There is no mail "mail_x" that failed or waits.'],
  ])("%s is refused", async (line, code, said) => {
    await using cli = new CliFixture();
    const { code: exit, out, err } = await cli.run(line.split(" "));
    expect(err).toContain(said);
    expect([exit, out]).toEqual([code, ""]);
  });

  test("doctor signs in to the server, and counts mails that wait or failed", async () => {
    await using cli = await withFailed();
    await using server = await new MailServer().listen();
    const fine = await withMail(cli, server.port, "doctor");
    expect(fine.out).toContain(
      `mail 127.0.0.1:${server.port}  The mail server lets the service in.`,
    );
    expect(fine.out).toContain("1 mail could not be sent.");
    expect([fine.code, server.mails]).toEqual([0, []]);
    await cli.json("mail", "retry", "--all");
    const down = await withMail(cli, await freePort(), "doctor");
    expect(down.out).toContain("1 mail not sent yet.");
    expect(down.out).toContain("The mail server cannot be used: ");
    expect(down.code).toBe(1);
  });
});
