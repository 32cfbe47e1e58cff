import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { TLSSocket } from "node:tls";
import { systemClock } from "../../src/core/clock.ts";
import { Vault } from "../../src/core/vault.ts";
import { certificateSeal } from "../../src/hosting/domains/domains.ts";
import { CertificateContexts } from "../../src/hosting/edge/tlsServer.ts";
import { rejectionOf } from "../store/rejection.ts";
import { createAuthority } from "./certificates.ts";
import { getSecured, openHttp2, requestHttp2, securedLine, shakeHands } from "./clients.ts";
import { FakeView } from "./fakeView.ts";
import { startTestEdge, type TestEdge } from "./testEdge.ts";

const question = "GET / HTTP/1.1\r\nhost: a.example\r\n\r\n";

let edge: TestEdge;
beforeEach(async () => {
  edge = await startTestEdge({ limits: { contextsMax: 2 } });
  edge.attach("a.example");
});
afterEach(() => edge.stop());

async function serialNumber(host = "a.example"): Promise<string> {
  const socket = await shakeHands(edge, host);
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

describe("a new certificate", () => {
  test("is shown by the very next handshake", async () => {
    const seen = new Set<string>();
    for (let times = 0; times < 5; times += 1) {
      edge.renew("a.example");
      seen.add(await serialNumber());
    }
    expect(seen.size).toBe(5);
  });

  test("drops no connection and fails no request", async () => {
    const line = await securedLine(edge, "a.example");
    const session = await openHttp2(edge, "a.example");
    const before = (line.socket as TLSSocket).getPeerCertificate().serialNumber;
    for (let times = 0; times < 20; times += 1) {
      const asking = [
        line.ask(question),
        requestHttp2(session, { ":path": "/" }),
        getSecured(edge, "a.example"),
      ];
      edge.renew("a.example");
      const answers = await Promise.all([...asking, getSecured(edge, "a.example")]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    }
    expect(line.socket.destroyed).toBe(false);
    expect(session.destroyed).toBe(false);
    expect(await serialNumber()).not.toBe(before);
    line.socket.destroy();
    session.destroy();
  });
});

test("more hosts than contexts are kept are each shown their own certificate", async () => {
  const hosts = ["a.example", "b.example", "c.example", "d.example"];
  for (const host of hosts) edge.attach(host);
  for (const host of [...hosts, ...hosts.reverse()]) {
    expect((await getSecured(edge, host)).body).toBe(`dep_${host} GET /`);
  }
});

test("a key that was sealed for another host is not used, and is not in the log", async () => {
  edge.attach("b.example");
  const stolen = edge.view.certificates.get("a.example");
  if (stolen !== undefined) edge.view.certificates.set("b.example", stolen);
  await rejectionOf(shakeHands(edge, "b.example"));
  expect(edge.logged.map(({ event }) => event)).toContain("edge.certificate_failed");
  expect(JSON.stringify(edge.logged)).not.toContain(certificateSeal("a.example", "crt_1"));
  expect(JSON.stringify(edge.logged)).not.toContain(stolen?.sealedKey);
  expect((await getSecured(edge, "a.example")).status).toBe(200);
});

test("a renewed certificate takes the place of the one before, and not that of others", async () => {
  const vault = new Vault("what only this test knows", systemClock);
  const authority = createAuthority();
  const view = new FakeView();
  const route = { kind: "redirect", to: "a.example", status: 308 } as const;
  view.attach("b.example", route, authority.issue("b.example", "crt_b", vault));
  const contexts = new CertificateContexts(view, vault, 4);
  const other = await contexts.of("b.example");
  const seen = new Set([other]);
  for (let renewal = 0; renewal < 8; renewal++) {
    view.attach("a.example", route, authority.issue("a.example", `crt_a${renewal}`, vault));
    seen.add(await contexts.of("a.example"));
  }
  expect(seen.size).toBe(9);
  expect(await contexts.of("b.example")).toBe(other);
});

test("a context is made once for a certificate, and only the most recent are kept", async () => {
  const vault = new Vault("what only this test knows", systemClock);
  const authority = createAuthority();
  const view = new FakeView();
  const route = { kind: "redirect", to: "a.example", status: 308 } as const;
  for (const host of ["a.example", "b.example", "c.example"]) {
    view.attach(host, route, authority.issue(host, `crt_${host}`, vault));
  }
  const contexts = new CertificateContexts(view, vault, 2);
  const first = await contexts.of("a.example");
  expect(first).toBeDefined();
  await contexts.of("b.example");
  expect(await contexts.of("a.example")).toBe(first);
  await contexts.of("c.example");
  expect(await contexts.of("a.example")).toBe(first);
  await contexts.of("b.example");
  await contexts.of("c.example");
  expect(await contexts.of("a.example")).not.toBe(first);
  view.remove("a.example");
  expect(await contexts.of("a.example")).toBeUndefined();
});
