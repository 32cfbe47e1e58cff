/** An external account that is made for the operator's e-mail address when it is first needed. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Vault } from "../../src/core/vault.ts";
import type { AcmeOptions } from "../../src/hosting/acme/authority.ts";
import { AcmeFixture, issuedIn, refusalIn, requestMsMax } from "./acmeFixture.ts";
import { problem } from "./fakeAuthority.ts";

const email = "operator@example.com";
const credentials = { success: true, eab_kid: "kid-1", eab_hmac_key: "c2VjcmV0IG9mIGEgdGVzdA" };
type Respond = (response: ServerResponse, request: IncomingMessage) => void;

let fixture: AcmeFixture;
let server: Server;
let asked: string[];
let respond: Respond;
let externalAccount: { madeAt: string; email: string };

const json =
  (body: unknown, status = 200, headers = {}): Respond =>
  (response) =>
    response.writeHead(status, headers).end(JSON.stringify(body));

beforeEach(async () => {
  fixture = await new AcmeFixture().start();
  fixture.ca.meta = { externalAccountRequired: true };
  asked = [];
  respond = json(credentials);
  server = createServer((request, response) => {
    let body = `${request.method} ${request.headers["content-type"]} `;
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      asked.push(body);
      respond(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  externalAccount = { madeAt: `http://127.0.0.1:${port}/acme/eab-credentials-email`, email };
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  fixture.ca.stop();
});

const client = (options: Partial<AcmeOptions> = {}) =>
  fixture.client({ externalAccount, contact: email, ...options });
const order = (options: Partial<AcmeOptions> = {}) => client(options).order(fixture.request());
const refusal = async () => refusalIn(await order());
const kidsUsed = () =>
  fixture.ca.seen
    .filter(({ step }) => step === "newAccount")
    .map(({ payload }) => {
      const { externalAccountBinding: bound } = payload as {
        externalAccountBinding: { protected: string };
      };
      return JSON.parse(Buffer.from(bound.protected, "base64url").toString()).kid;
    });

describe("an external account for the e-mail address", () => {
  test("is asked for by a form, and our account is bound to it", async () => {
    issuedIn(await order());
    expect(asked).toEqual(["POST application/x-www-form-urlencoded email=operator%40example.com"]);
    expect(kidsUsed()).toEqual(["kid-1"]);
  });

  test("is not asked for where the authority requires none, or before the first order", async () => {
    await client().reach();
    expect(asked).toEqual([]);
    fixture.ca.meta = {};
    issuedIn(await order());
    expect(asked).toEqual([]);
  });

  test("is not asked for while the terms are not agreed to", async () => {
    fixture.ca.meta = { ...fixture.ca.meta, termsOfService: "https://ca.example/terms" };
    expect(refusalIn(await order({ termsAgreed: false })).reason).toBe("policy");
    expect(asked).toEqual([]);
  });

  test("is stored sealed, and used again after a restart", async () => {
    fixture.ca.when("newAccount", (nth) =>
      nth === 1 ? problem(503, "serverInternal") : undefined,
    );
    expect((await refusal()).reason).toBe("unavailable");
    const [stored] = [...fixture.accounts.kept.values()];
    expect(stored).toMatchObject({
      directory: `${externalAccount.madeAt}?email=operator%40example.com`,
      url: "kid-1",
    });
    expect(JSON.stringify(stored)).not.toContain(credentials.eab_hmac_key);
    issuedIn(await order());
    expect(asked).toHaveLength(1);
    expect(kidsUsed()).toEqual(["kid-1"]);
  });

  test("is made anew once if the secret that sealed it is lost", async () => {
    issuedIn(await order());
    const vault = new Vault("another secret of this test", fixture.clock);
    issuedIn(await order({ vault }));
    issuedIn(await order({ vault }));
    expect(asked).toHaveLength(2);
  });

  test("is the one that was stored first, if two processes ask at once", async () => {
    let made = 0;
    respond = (response) => {
      made += 1;
      json({ ...credentials, eab_kid: `kid-${made}` })(response, {} as IncomingMessage);
    };
    for (const outcome of await Promise.all([order(), order()])) issuedIn(outcome);
    expect(asked).toHaveLength(2);
    expect(fixture.accounts.kept.size).toBe(2);
    expect(new Set(kidsUsed()).size).toBe(1);
  });

  test("is used to register again an account that the authority has forgotten", async () => {
    const same = client();
    issuedIn(await same.order(fixture.request()));
    fixture.ca.forgetAccounts();
    issuedIn(await same.order(fixture.request({ host: "second.example.com" })));
    expect(asked).toHaveLength(1);
    expect(kidsUsed()).toEqual(["kid-1", "kid-1"]);
  });
});

describe("where it cannot be obtained", () => {
  const invalid = { success: false, error: { code: 2901, type: "invalid_email", info: null } };
  const { eab_kid: _, ...withoutKid } = credentials;
  const failures: Record<string, readonly [Respond, string]> = {
    "is refused": [json(invalid), "invalid_email (2901)."],
    "is refused with a status": [json(invalid, 422), "invalid_email (2901)."],
    fails: [(response) => response.writeHead(503).end("<h1>Down</h1>"), "it answered 503."],
    "hangs up": [
      (_response, request) => request.socket.destroy(),
      "The authority cannot be reached",
    ],
    redirects: [json({}, 302, { location: "http://127.0.0.1:1/" }), "it answered 302."],
    "says success without a key id": [json(withoutKid), "it answered 200."],
    "gives a key that is none": [json({ ...credentials, eab_hmac_key: "\n" }), "it answered 200."],
    "sends control characters": [json({ error: { type: "a\u001b[31mb\u202e" } }), "a [31mb ."],
  };
  for (const [what, [answer, detail]] of Object.entries(failures)) {
    test(`because the request ${what}, that is the reason, and nothing is stored`, async () => {
      respond = answer;
      const { host } = new URL(externalAccount.madeAt);
      const said = await refusal();
      expect(said.reason).toBe("unavailable");
      expect(said.detail).toStartWith(`No account could be obtained from ${host}: ${detail}`);
      expect(said.detail).not.toContain(email);
      expect(fixture.accounts.kept.size).toBe(0);
      expect(fixture.ca.steps()).not.toContain("newAccount");
    });
  }

  test("because it never answers, it is given up in time", async () => {
    respond = () => fixture.clock.advance(requestMsMax);
    expect((await refusal()).detail).toContain("did not respond in time");
  });

  test("because it never ends, it is cut off", async () => {
    const gib = 1024 ** 3;
    let sent = 0;
    respond = (response) => {
      const more = () => {
        for (let written = true; written && sent < gib; sent += 65_536) {
          written = response.write("x".repeat(65_536));
        }
        response.once("drain", more);
      };
      more();
    };
    expect((await refusal()).detail).toContain("longer than 1 MiB");
    expect(sent).toBeLessThan(gib / 8);
  });

  test("it is asked for again after a minute, or when it is allowed, and not before", async () => {
    const same = client();
    const attempt = async () => same.order(fixture.request());
    respond = json(invalid);
    for (const seconds of [20, 20, 21]) {
      refusalIn(await attempt());
      fixture.clock.advance(seconds * 1000);
    }
    expect(asked).toHaveLength(1);
    respond = json({}, 429, { "retry-after": "3600" });
    refusalIn(await attempt());
    fixture.clock.advance(3_599_000);
    refusalIn(await attempt());
    expect(asked).toHaveLength(2);
    respond = json(credentials);
    fixture.clock.advance(11_000);
    issuedIn(await attempt());
    expect(asked).toHaveLength(3);
  });
});
