/** What `petstore doctor` sees and says, among real name servers and a real authority. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "../../../src/core/clock.ts";
import { judgeSetup } from "../../../src/hosting/domains/setupChecks.ts";
import { observeSetup, reportProblems } from "../../../src/serve/observeSetup.ts";
import { eventually } from "../../../testkit/eventually.ts";
import { petstore } from "../../../testkit/serviceProcess.ts";
import { caIdentity, settingsFor } from "../../../testkit/testBed/settings.ts";
import { startTestBed, type TestBed } from "../../../testkit/testBed/testBed.ts";
import { describeWithTestBed } from "../../../testkit/testBed/tools.ts";
import { startTestService, type TestService, testConfig } from "../service.ts";
import { handshakeFailure } from "./visits.ts";

const host = "api.platform.test";
const right = "sites A 127.0.0.1\n*.sites A 127.0.0.1\napi A 127.0.0.1";

describeWithTestBed("the doctor", () => {
  let testBed: TestBed;
  const folder = mkdtempSync(join(tmpdir(), "petstore-doctor-"));
  beforeAll(async () => {
    testBed = await startTestBed();
    await testBed.platform.set(right);
  });
  afterAll(async () => {
    await testBed?.stop();
    rmSync(folder, { recursive: true });
  });

  const settings = (name = host) => ({
    ...settingsFor(testBed),
    PETSTORE_DOMAIN: name,
    PETSTORE_EDGE_HOST: "127.0.0.1",
    PETSTORE_DATA: folder,
  });

  /** Each check as `dns api.platform.test: ok`, and the whole of those that are not. */
  async function examine(
    variables: Record<string, string> = {},
    clock: Clock = systemClock,
  ): Promise<{ verdicts: string[]; said: string }> {
    const config = testConfig({ ...settings(), ...variables });
    const version = async () => ({ version: undefined, latest: 1 });
    const store = { path: "the store", version, explain: String };
    const checks = judgeSetup(await observeSetup({ config, clock, store }));
    const verdicts = checks.map(({ check, subject, verdict }) =>
      [check, ...(subject === undefined ? [] : [subject]), verdict].join(" "),
    );
    const objections = checks.filter(({ verdict }) => verdict !== "ok");
    return { verdicts, said: objections.map(({ seen, next }) => `${seen} ${next}`).join("\n") };
  }

  async function listening<T>(port: number, address: string, work: () => Promise<T>): Promise<T> {
    const other: Server = createServer((socket) => {
      socket.on("error", () => {});
      socket.end("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello");
    });
    await new Promise<void>((done) => void other.listen(port, address, done));
    try {
      return await work();
    } finally {
      other.close();
    }
  }

  test("finds nothing wrong where everything is ready, and leaves nothing behind", async () => {
    const { verdicts, said } = await examine();
    expect(said).toBe("");
    expect(verdicts).toEqual([
      `dns ${host} ok`,
      `caa ${host} ok`,
      "dns *.sites.platform.test ok",
      "caa *.sites.platform.test ok",
      `port ${testBed.httpPort} ok`,
      `port ${testBed.httpsPort} ok`,
      "authority ok",
      "clock ok",
      "database ok",
      "disk ok",
      "files ok",
    ]);
    expect(readdirSync(folder)).toEqual([]);
    // The ports are free again.
    expect((await examine()).verdicts).toContain(`port ${testBed.httpPort} ok`);
  });

  test("names what is not in DNS, and what another server has", async () => {
    const elsewhere = testBed.unusedAddress();
    await testBed.platform.set(`sites A 127.0.0.1\napi A ${elsewhere}`);
    await testBed.flush();
    const { verdicts, said } = await listening(testBed.httpPort, elsewhere, () => examine());
    expect(verdicts).toContain(`dns ${host} problem`);
    expect(said).toContain(
      `${host} leads to ${elsewhere}, where another server answers on port ${testBed.httpPort}.`,
    );
    expect(said).toContain(
      "*.sites.platform.test has no address in DNS. Every attached domain points to a name below it. Create an A or AAAA record for *.sites.platform.test with the address of this machine.",
    );
    await testBed.platform.set(right);
    await testBed.flush();
  });

  test("names the CAA record that forbids", async () => {
    await testBed.platform.set(`${right}\napi CAA 0 issue "other.example"`);
    await testBed.flush();
    const { verdicts, said } = await examine();
    expect(verdicts).toContain(`caa ${host} problem`);
    expect(said).toContain(`CAA 0 issue "${caIdentity}"`);
    await testBed.platform.set(right);
    await testBed.flush();
  });

  test("names a port that another program has", async () => {
    const { verdicts, said } = await listening(testBed.httpPort, "127.0.0.1", () => examine());
    expect(verdicts).toContain(`port ${testBed.httpPort} problem`);
    expect(verdicts).toContain(`port ${testBed.httpsPort} ok`);
    expect(said).toContain("set PETSTORE_EDGE_HTTP_PORT to a free port");
  });

  test("names an authority that does not answer, and a clock that is wrong", async () => {
    const away = await examine({ PETSTORE_ACME_DIRECTORY: "https://127.0.0.1:1/directory" });
    expect(away.verdicts).toContain("authority problem");
    expect(away.said).toContain("https://127.0.0.1:1/directory: The authority cannot be reached");
    const late: Clock = { ...systemClock, now: () => systemClock.now() - 400_000 };
    const { verdicts, said } = await examine({}, late);
    expect(verdicts).toContain("clock problem");
    expect(said).toMatch(/It is (?:399|400|401) seconds behind that of the authority\./);
  });

  test("is a command that needs no agreement to terms, and says by its exit code what it found", async () => {
    const { PETSTORE_DOMAIN: _, ...variables } = { ...settings(), PETSTORE_ACME_TERMS: "" };
    const run = (name: string) => petstore(["doctor", "--domain", name, "--json"], variables);
    const well = await run(host);
    expect([well.code, well.stderr]).toEqual([0, ""]);
    expect(JSON.parse(well.stdout)).toMatchObject({ problems: 0, warnings: 0 });
    const ill = await run("nowhere.platform.test");
    expect(ill.code).toBe(1);
    expect(JSON.parse(ill.stdout).checks[0]).toMatchObject({
      check: "dns",
      subject: "nowhere.platform.test",
      verdict: "problem",
    });
  });

  describe("of a service that starts", () => {
    const start = (variables: Record<string, string> = {}) =>
      startTestService({
        leads: true,
        variables: { ...settings(), PETSTORE_DOCS_SITE: "off", ...variables },
      });
    const eventsOf = (service: TestService) =>
      service
        .logged()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
        .filter(({ event }) => event.startsWith("setup."));

    test("logs what is wrong while it serves, until there is a certificate", async () => {
      await testBed.platform.set("sites A 127.0.0.1\n*.sites A 127.0.0.1");
      await testBed.flush();
      const service = await start();
      const [problem, done] = await eventually(
        () => eventsOf(service).length > 1 && eventsOf(service),
      );
      expect(problem).toMatchObject({
        event: "setup.problem_detected",
        level: "warn",
        check: "dns",
        subject: host,
        seen: `${host} has no address in DNS.`,
        next: `Create an A or AAAA record for ${host} with the address of this machine.`,
      });
      expect(done).toMatchObject({ event: "setup.checked", level: "info", host, problems: 1 });

      await testBed.platform.set(right);
      await testBed.flush();
      // From outside, it knows the ports for its own.
      expect((await examine()).said).toBe("");
      const ca = await testBed.caRoots();
      const at = { port: testBed.httpsPort, host, ca };
      await eventually(async () => (await handshakeFailure(at)) === undefined);
      const logged: string[] = [];
      const note = (event: string) => void logged.push(event);
      const log = { info: note, warn: note, error: note, writes: () => true, flush() {} };
      const { signal } = new AbortController();
      const config = testConfig(settings());
      await reportProblems({ config, clock: systemClock, log, stores: service.stores, signal });
      expect(logged).toEqual([]);
      await service.stop();
    });

    test("names a port that another program has, and does not blame DNS", async () => {
      await testBed.platform.set(right);
      await testBed.flush();
      await listening(testBed.httpPort, "127.0.0.1", async () => {
        const service = await start();
        const events = await eventually(
          () =>
            eventsOf(service).some(({ event }) => event === "setup.checked") && eventsOf(service),
        );
        expect(events).toMatchObject([
          {
            check: "port",
            subject: String(testBed.httpPort),
            seen: "Another program listens on it.",
          },
          { event: "setup.checked", problems: 1 },
        ]);
        await service.stop();
      });
    });

    test("leaves no refused handshake in the log where all is well", async () => {
      const service = await start();
      await eventually(() => eventsOf(service).some(({ event }) => event === "setup.checked"));
      expect(eventsOf(service)).toMatchObject([{ event: "setup.checked", problems: 0 }]);
      const at = { port: testBed.httpsPort, host, ca: await testBed.caRoots() };
      await eventually(async () => (await handshakeFailure(at)) === undefined);
      expect(service.logged()).not.toContain("ECONNRESET");
      await service.stop();
    });

    test("is given up when it stops", async () => {
      const silent = createServer((socket) => void socket.on("error", () => {}));
      await new Promise<void>((done) => void silent.listen(0, "127.0.0.1", done));
      const { port } = silent.address() as AddressInfo;
      const asked = once(silent, "connection");
      const service = await start({
        // Not in DNS, so nobody else asks this authority.
        PETSTORE_DOMAIN: "nowhere.platform.test",
        PETSTORE_ACME_DIRECTORY: `http://127.0.0.1:${port}/directory`,
      });
      await asked;
      await service.stop();
      expect(eventsOf(service)).toEqual([]);
      silent.close();
    });
  });
});
