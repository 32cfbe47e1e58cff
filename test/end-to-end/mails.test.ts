/** Mails of a service of several processes, and of one that dies after the server took a mail. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { eventually } from "../../testkit/eventually.ts";
import { MailServer } from "../../testkit/mailServer.ts";
import { petstore, type Running, startProcess } from "../../testkit/serviceProcess.ts";
import { addTo, domainFor, projectIn } from "../store/domainSamples.ts";
import { describeOnEngines, type TestDatabase } from "./engines.ts";

const hourMs = 3_600_000;
const password = "seven-tins-of-sardines";

let database: TestDatabase;
let server: MailServer;
let running: Running | undefined;

afterEach(async () => {
  await running?.end("SIGKILL");
  running = undefined;
  await server[Symbol.asyncDispose]();
  await database.remove();
});

describeOnEngines("mails", (engine) => {
  let variables: Record<string, string>;

  beforeEach(async () => {
    database = await engine.newDatabase();
    server = await new MailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password: given }, _session, callback) =>
        given === password ? callback(null, { user: username }) : callback(new Error("Wrong")),
    }).listen();
    variables = {
      ...database.variables,
      PETSTORE_PROCESSES: "2",
      PETSTORE_SMTP_URL: `smtp://petstore:${password}@127.0.0.1:${server.port}`,
      PETSTORE_MAIL_FROM: "petstore@example.net",
      PETSTORE_BASE_URL: "https://pets.example.com/v1",
    };
    const stores = await database.open();
    await projectIn(stores, "shop");
    const holder = { kind: "owner", id: "shop" } as const;
    await stores.accounts.setEmail({ account: "shop", holder, email: "shop@example.com" });
    const addedAtMs = Date.now() - 49 * hourMs;
    await addTo(stores, domainFor("docs.example.com", "shop", { addedAtMs }));
    await stores.close();
  });

  test("go out once, by whichever process, also after a restart", async () => {
    running = await startProcess(variables);
    await eventually(() => server.mails.length > 0);
    const [mail] = server.mails;
    expect(mail?.subject).toBe("[Pet Store] docs.example.com is not verified yet");
    expect(mail?.user).toBe("petstore");
    const address = "https://pets.example.com/dashboard/#/projects/shop/domains/docs.example.com";
    expect(mail?.text).toContain(address);
    expect(mail?.html).toContain(`href="${address}"`);
    await eventually(() => running?.stderr().includes('"event":"mail.delivered"'));
    await running.end("SIGTERM");
    running = await startProcess(variables);
    // Whatever is sent after the start is sent before this.
    const invited = await petstore(["owners", "invite", "shop"], variables);
    expect(invited.stdout).toContain("It is also mailed to shop@example.com.");
    await eventually(() => server.mails.length > 1);
    expect(server.mails.map(({ subject }) => subject)).toEqual([
      "[Pet Store] docs.example.com is not verified yet",
      "[Pet Store] Your link to sign in",
    ]);
    const link = /https:\S+welcome\S+/.exec(invited.stdout)?.[0] ?? "";
    expect(server.mails[1]?.text).toContain(link);
    expect(await database.storedText()).not.toContain(link.split("/").at(-1) as string);
    expect(running.stderr()).not.toContain(password);
  });

  test("are not lost with the process that was sending", async () => {
    const killed = Promise.withResolvers<void>();
    const taken = Promise.withResolvers<void>();
    server.taken = () => {
      taken.resolve();
      return killed.promise;
    };
    running = await startProcess({ ...variables, PETSTORE_PROCESSES: "1" });
    await taken.promise;
    await running.end("SIGKILL");
    killed.resolve();
    server.taken = undefined;
    const retried = await petstore(["mail", "retry", "--all"], variables);
    expect(retried.stdout).toBe("1 mail will be sent.\n");
    running = await startProcess(variables);
    await eventually(() => server.mails.length > 1);
    const [first, second] = server.mails.map(({ messageId }) => messageId);
    expect(second).toBe(first as string);
    await eventually(async () => {
      const { stdout } = await petstore(["mail", "list", "--json"], variables);
      return JSON.parse(stdout).every(({ state }: { state: string }) => state === "sent");
    });
  });
});
