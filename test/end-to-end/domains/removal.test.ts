import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect as connectPlain } from "node:net";
import { eventually } from "../../../testkit/eventually.ts";
import { type Bed, startBed } from "./bed/bed.ts";
import { describeWithBedOnEngines } from "./engines.ts";
import { operator, type Stage, startStage } from "./stage.ts";
import { ask, handshake, handshakeFailure, openHttp2, visit, visitPlain } from "./visits.ts";

let bed: Bed;
let stage: Stage;
let ca: string;

describeWithBedOnEngines("an attached domain", (engine) => {
  beforeAll(async () => {
    bed = await startBed();
    stage = await startStage(bed, engine);
    ca = await bed.caRoots();
    await stage.newProject("acme");
    await stage.newProject("rival");
  });
  afterAll(async () => {
    await stage?.stop();
    await bed?.stop();
  });

  const at = (host: string) => ({ port: bed.httpsPort, host, ca });

  async function live(host: string) {
    const zone = host.slice(host.indexOf(".") + 1);
    const made = await bed.zone(zone, { records: `docs CNAME ${bed.target}.` });
    await stage.goLive("acme", host);
    return made;
  }

  test("stops with its removal, for new, resumed and open connections", async () => {
    const host = "docs.leaving.test";
    await live(host);
    const sessions = await Promise.all(
      (["TLSv1.2", "TLSv1.3"] as const).map(async (version) => {
        const socket = await handshake(at(host), { minVersion: version, maxVersion: version });
        let session: Buffer | undefined = socket.getSession();
        socket.on("session", (later: Buffer) => {
          session = later;
        });
        await ask(socket, host);
        socket.destroy();
        return { session, minVersion: version, maxVersion: version };
      }),
    );
    const idle = await handshake(at(host), { ALPNProtocols: ["http/1.1"] });
    await ask(idle, host);
    const http2 = await openHttp2(at(host));
    const closed = Promise.all([
      new Promise((resolve) => idle.once("close", resolve)),
      new Promise((resolve) => http2.once("close", resolve)),
    ]);

    await stage.domainService.remove(operator, "acme", host, false);
    expect(await handshakeFailure(at(host))).toBeDefined();
    for (const { session, ...version } of sessions) {
      const options = session === undefined ? version : { ...version, session };
      expect(await handshakeFailure(at(host), options)).toBeDefined();
    }
    expect((await visitPlain(bed.httpPort, host)).status).toBe(404);
    await closed;

    // The edge says so itself, once it has closed what was open.
    await eventually(
      async () => (await stage.domainService.edgesBehind()).edgesBehind.length === 0,
    );
  });

  test("that was removed asks another owner for a proof, and returns to its own without an order", async () => {
    const host = "docs.returning.test";
    const zone = await live(host);
    await stage.domainService.remove(operator, "acme", host, false);

    const claim = await stage.domainService.add(operator, "rival", host);
    const [, proof] = claim.records;
    expect(proof).toMatchObject({ type: "TXT", fullName: `_petstore-proof.${host}` });
    const checked = await stage.verify("rival", host);
    expect(checked.status).toBe("pending_dns");
    expect(checked.findings.map(({ code }) => code)).toContain("PROOF_MISSING");
    expect(await handshakeFailure(at(host))).toBeDefined();

    const orders = bed.ca.count("newOrder");
    await stage.goLive("acme", host);
    expect(bed.ca.count("newOrder")).toBe(orders);
    expect((await visit(at(host))).body).toContain("<title>acme</title>");

    await zone.set(`docs CNAME ${bed.target}.\n_petstore-proof.docs TXT "${proof?.value}"`);
    await bed.flush();
    await stage.verify("rival", host);
    await stage.until("rival", host, ({ status }) => status === "live");
    expect((await visit(at(host))).body).toContain("<title>rival</title>");
    const lost = await stage.show("acme", host);
    expect(lost.status).toBe("abandoned");
    expect(lost.findings.map(({ code }) => code)).toEqual(["PROVEN_ELSEWHERE"]);
  });

  test("whose CNAME was deleted is degraded, and goes on being served", async () => {
    const host = "docs.drifting.test";
    const zone = await live(host);
    await zone.set("");
    await bed.flush();
    for (let looks = 1; looks <= 3; looks++) await stage.verify("acme", host);
    const details = await stage.show("acme", host);
    expect(details.status).toBe("degraded");
    expect(details.findings.map(({ code }) => code)).toContain("NXDOMAIN");
    expect((await visit(at(host))).status).toBe(200);
    await zone.set(`docs CNAME ${bed.target}.`);
    await bed.flush();
    expect((await stage.verify("acme", host)).status).toBe("live");
  });

  test("is suspended while the plan lapses, and served again when it is restored", async () => {
    const host = "docs.lapsing.test";
    await live(host);
    const { sites } = stage.service.stores;
    await sites.setPlan("acme", "free");
    expect((await stage.show("acme", host)).status).toBe("suspended");
    expect(await handshakeFailure(at(host))).toBeDefined();
    await sites.setPlan("acme", "paid");
    expect((await stage.show("acme", host)).status).toBe("live");
    expect((await visit(at(host))).status).toBe(200);
  });

  test("has no private key in anything that is stored, logged or answered", async () => {
    const host = "docs.secretive.test";
    await live(host);
    const answers = [JSON.stringify(await stage.show("acme", host)), stage.service.logged()];
    const all = [await stage.service.database.storedText(), ...answers].join("\n");
    expect(all).toContain("BEGIN CERTIFICATE");
    expect(all).not.toContain("PRIVATE KEY");
    // Nor the account's key, which is a JWK.
    expect(all).not.toMatch(/"d"\s*:\s*"/);
  });

  // Once is enough: no database has a part in it.
  if (engine.first) {
    test("does not wait for ever for a handshake", async () => {
      const socket = connectPlain(bed.httpsPort, "127.0.0.1");
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.on("error", () => {});
      socket.write(Buffer.from([0x16, 0x03, 0x01]));
      await closed;
    });
  }
});
