import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rejectionOf } from "../store/rejection.ts";
import {
  getPlain,
  getSecured,
  openHttp2,
  plainLine,
  requestHttp2,
  securedLine,
  shakeHands,
} from "./clients.ts";
import { startTestEdge, type TestEdge } from "./testEdge.ts";

let edge: TestEdge;
beforeAll(async () => {
  edge = await startTestEdge();
  edge.attach("a.example");
  edge.attach("b.example");
  edge.attach("other.example", "a.example");
});
afterAll(() => edge.stop());

describe("the certificate", () => {
  test("is that of the host that the client names", async () => {
    for (const host of ["a.example", "b.example"]) {
      const socket = await shakeHands(edge, host);
      expect(socket.getPeerCertificate().subject.CN).toBe(host);
      socket.destroy();
    }
  });

  test("is found in whatever case the name is written", async () => {
    const seen = await getSecured(edge, "A.Example", "/", { serverName: "a.EXAMPLE" });
    expect(seen.body).toBe("dep_a.example GET /");
  });

  for (const [who, serverName] of [
    ["a host that is not attached", "nobody.example"],
    ["a part of an attached name", "example"],
    ["a name below an attached one", "www.a.example"],
    ["no host at all", ""],
  ] as const) {
    test(`is nobody's for ${who}`, async () => {
      let shown: unknown;
      const handshake = shakeHands(edge, serverName, {
        rejectUnauthorized: false,
        checkServerIdentity(_host, certificate) {
          shown = certificate;
          return undefined;
        },
      });
      expect((await rejectionOf(handshake)).message).toContain("ALERT");
      expect(shown).toBeUndefined();
      expect((await getSecured(edge, "a.example")).status).toBe(200);
    });
  }

  test("is never shown below TLS 1.2", async () => {
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1" } as const;
    await rejectionOf(shakeHands(edge, "a.example", old));
    const modern = await shakeHands(edge, "a.example", { maxVersion: "TLSv1.2" });
    expect(modern.getProtocol()).toBe("TLSv1.2");
    modern.destroy();
  });
});

describe("a request over HTTPS", () => {
  test("is answered from the deployment of its host", async () => {
    const seen = await getSecured(edge, "b.example:8443", "/guide/?a=b", {
      serverName: "b.example",
    });
    expect(seen).toMatchObject({ status: 200, body: "dep_b.example GET /guide/?a=b" });
  });

  test("is answered over HTTP/2, too", async () => {
    const session = await openHttp2(edge, "a.example");
    const seen = await requestHttp2(session, {
      ":authority": "a.example:443",
      ":path": "/x?y",
      "user-agent": "a test",
    });
    expect(seen).toMatchObject({ status: 200, body: "dep_a.example GET /x?y" });
    expect(seen.headers).toMatchObject({
      "x-agent": "a test",
      "strict-transport-security": "max-age=86400",
    });
    session.destroy();
  });

  test("is answered where the client speaks of no protocol", async () => {
    const line = await securedLine(edge, "a.example", { ALPNProtocols: [] });
    expect((await line.ask("GET / HTTP/1.1\r\nhost: a.example\r\n\r\n")).status).toBe(200);
    line.socket.destroy();
  });

  test("gets the headers of an answer and its length for HEAD, and no content", async () => {
    const line = await securedLine(edge, "a.example");
    line.send("HEAD / HTTP/1.1\r\nhost: a.example\r\n\r\n");
    const { status, headers } = await line.answer({ bodyless: true });
    expect(status).toBe(200);
    expect(headers["content-length"]).toBe(String("dep_a.example HEAD /".length));
    // Had there been content, it would stand before the next answer.
    expect((await line.ask("GET /2 HTTP/1.1\r\nhost: a.example\r\n\r\n")).body).toEndWith("/2");
    line.socket.destroy();
    const session = await openHttp2(edge, "a.example");
    const seen = await requestHttp2(session, { ":path": "/", ":method": "HEAD" });
    expect(seen).toMatchObject({ status: 200, body: "" });
    session.destroy();
  });

  test("for another host than the connection's is misdirected", async () => {
    const seen = await getSecured(edge, "b.example", "/", { serverName: "a.example" });
    expect(seen.status).toBe(421);
    expect(seen.body).not.toContain("b.example");
    const session = await openHttp2(edge, "a.example");
    expect((await requestHttp2(session, { ":authority": "b.example" })).status).toBe(421);
    // The connection is still good for its own host.
    expect((await requestHttp2(session, { ":authority": "a.example" })).status).toBe(200);
    session.destroy();
  });

  test("is not led elsewhere by X-Forwarded-Host", async () => {
    const extra = "x-forwarded-host: b.example\r\nforwarded: host=b.example\r\n";
    expect((await getSecured(edge, "a.example", "/", { extra })).body).toBe("dep_a.example GET /");
  });

  test("tells search engines of the primary domain, where it is another", async () => {
    const elsewhere = await getSecured(edge, "other.example", "/x<y>?q");
    expect(elsewhere.headers["link"]).toBe('<https://a.example/x%3Cy%3E>; rel="canonical"');
    edge.attach("primary.example", "primary.example");
    expect((await getSecured(edge, "primary.example")).headers["link"]).toBeUndefined();
    expect((await getSecured(edge, "a.example")).headers["link"]).toBeUndefined();
  });

  test("promises HTTPS for a day, and for this host alone", async () => {
    const { headers } = await getSecured(edge, "a.example");
    expect(headers["strict-transport-security"]).toBe("max-age=86400");
    expect(
      (await getPlain(edge, "a.example")).headers["strict-transport-security"],
    ).toBeUndefined();
  });

  test("promises what its owner chose, on redirects too", async () => {
    edge.attach("chosen.example");
    const certificate = edge.view.certificates.get("chosen.example");
    if (certificate === undefined) throw new Error("It has a certificate.");
    const site = { kind: "site", project: "p", deployment: "d", primary: undefined } as const;
    const redirect = { kind: "redirect", to: "b.example", status: 301 } as const;
    for (const [hsts, header] of [
      ["off", "max-age=0"],
      ["day", "max-age=86400"],
      ["year", "max-age=31536000"],
      ["subdomains", "max-age=31536000; includeSubDomains"],
    ] as const) {
      for (const route of [site, redirect]) {
        edge.view.attach("chosen.example", { ...route, hsts }, certificate);
        const { headers } = await getSecured(edge, "chosen.example");
        expect(headers["strict-transport-security"]).toBe(header);
      }
      const plain = await getPlain(edge, "chosen.example");
      expect(plain.headers["strict-transport-security"]).toBeUndefined();
    }
  });

  test("promises it while it is suspended, and to methods that are not served", async () => {
    edge.attach("suspended.example");
    const certificate = edge.view.certificates.get("suspended.example");
    if (certificate === undefined) throw new Error("It has a certificate.");
    for (const [hsts, header] of [
      [undefined, "max-age=86400"],
      ["year", "max-age=31536000"],
    ] as const) {
      edge.view.certificates.set("suspended.example", { ...certificate, hsts });
      for (const method of ["GET", "POST"]) {
        edge.view.routes.delete("suspended.example");
        const line = await securedLine(edge, "suspended.example");
        const extra = "content-length: 0\r\n\r\n";
        const seen = await line.ask(`${method} / HTTP/1.1\r\nhost: suspended.example\r\n${extra}`);
        expect(seen.status).toBe(method === "GET" ? 503 : 405);
        expect(seen.headers["strict-transport-security"]).toBe(header);
        line.socket.destroy();
      }
    }
  });

  for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
    test(`by ${method} is refused with what is allowed`, async () => {
      const extra = "content-length: 2\r\n\r\nhi";
      const line = await securedLine(edge, "a.example");
      const seen = await line.ask(`${method} / HTTP/1.1\r\nhost: a.example\r\n${extra}`);
      expect(seen).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
      // What was sent with it is not taken for the next request.
      expect((await line.ask("GET /2 HTTP/1.1\r\nhost: a.example\r\n\r\n")).body).toEndWith("/2");
      line.socket.destroy();
      const session = await openHttp2(edge, "a.example");
      expect((await requestHttp2(session, { ":method": method })).status).toBe(405);
      session.destroy();
    });
  }
});

describe("a request that names its host badly", () => {
  const header = (lines: string) => `GET / HTTP/1.1\r\n${lines}\r\n`;
  for (const [how, text] of [
    ["not at all", header("")],
    ["twice", header("host: a.example\r\nhost: b.example\r\n")],
    ["twice the same", header("host: a.example\r\nhost: a.example\r\n")],
    ["as a list", header("host: a.example, b.example\r\n")],
    ["as nothing", header("host:\r\n")],
    ["as garbage", header("host: a.example/../b\r\n")],
    ["in HTTP/1.0 not at all", "GET / HTTP/1.0\r\n\r\n"],
    ["differently in the target", "GET http://b.example/ HTTP/1.1\r\nhost: a.example\r\n\r\n"],
  ] as const) {
    test(`(${how}) is 400 on either port`, async () => {
      for (const line of [await plainLine(edge), await securedLine(edge, "a.example")]) {
        expect((await line.ask(text)).status).toBe(400);
        await line.closed;
      }
    });
  }

  test("(as the target does) is answered", async () => {
    const line = await securedLine(edge, "a.example");
    const text = "GET https://a.example/x?y HTTP/1.1\r\nhost: a.example\r\n\r\n";
    expect((await line.ask(text)).body).toBe("dep_a.example GET /x?y");
    line.socket.destroy();
  });

  test("(with another Host beside :authority) is 400", async () => {
    const session = await openHttp2(edge, "a.example");
    const two = { ":authority": "a.example", host: "b.example" };
    const outcome = await requestHttp2(session, two).then(
      ({ status }) => status,
      () => "reset",
    );
    expect([400, "reset"]).toContain(outcome);
    session.destroy();
  });
});
