import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { AcmeFixture, host, issuedIn, orderMsMax, refusalIn } from "./acmeFixture.ts";
import { issue, strangeSpki } from "./certificates.ts";
import { problem } from "./fakeAuthority.ts";

let fixture: AcmeFixture;
beforeEach(async () => {
  fixture = await new AcmeFixture().start();
});
afterEach(() => {
  fixture.ca.stop();
  expect(fixture.ca.violations).toEqual([]);
});

const renewalName = "aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE";

describe("an order", () => {
  test("ends with a certificate for the host, the issuer's behind it, and its own private key", async () => {
    const { chainPem, privateKeyPem } = issuedIn(await fixture.order());
    const [leaf = "", issuer = ""] = chainPem.split(/(?<=-----END CERTIFICATE-----\n)/);
    expect(new X509Certificate(leaf).subjectAltName).toBe(`DNS:${host}`);
    expect(new X509Certificate(issuer).subjectAltName).toBe("DNS:issuer.example");
    const spki = { type: "spki", format: "pem" } as const;
    expect(new X509Certificate(leaf).publicKey.export(spki)).toBe(
      createPublicKey(createPrivateKey(privateKeyPem)).export(spki),
    );
  });

  test("has a new private key each time", async () => {
    const client = fixture.client();
    const first = issuedIn(await client.order(fixture.request()));
    const second = issuedIn(await client.order(fixture.request()));
    expect(second.privateKeyPem).not.toBe(first.privateKeyPem);
  });

  test("tells the authority to look only after the challenge is published", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const outcome = fixture.order({
      publish: async ({ token, keyAuthorization }) => {
        ask();
        await promise;
        fixture.ca.published.set(token, keyAuthorization);
      },
    });
    await asked;
    expect(fixture.ca.steps()).not.toContain("challenge");
    resolve();
    issuedIn(await outcome);
    expect(fixture.ca.steps()).toContain("challenge");
  });

  test("publishes nothing where the authority still trusts an earlier check", async () => {
    fixture.ca.authorize(host);
    const publish = () => Promise.reject(new Error("this was not needed"));
    issuedIn(await fixture.order({ publish }));
    expect(fixture.ca.steps()).not.toContain("challenge");
  });

  test("publishes nothing either where the order is still called pending", async () => {
    fixture.ca.authorize(host);
    fixture.ca.when("newOrder", (_, usual) => {
      const reply = usual();
      return { ...reply, body: pending(reply.body) };
    });
    const publish = () => Promise.reject(new Error("this was not needed"));
    issuedIn(await fixture.order({ publish }));
  });

  test("does not tell the authority twice when someone told it before", async () => {
    fixture.ca.when("authorization", (nth, usual) => {
      const reply = usual();
      if (nth > 1) return undefined;
      const text = JSON.stringify(reply.body).replaceAll(
        '"status":"pending","url"',
        '"status":"processing","url"',
      );
      fixture.ca.authorize(host);
      return { ...reply, body: text };
    });
    issuedIn(await fixture.order());
    expect(fixture.ca.steps()).not.toContain("challenge");
  });

  test("asks for the chain in PEM", async () => {
    issuedIn(await fixture.order());
    const { accept } = fixture.ca.seen.find(({ step }) => step === "certificate") ?? {};
    expect(accept).toBe("application/pem-certificate-chain");
  });

  test("may run beside others for other hosts, with one account", async () => {
    const client = fixture.client();
    const hosts = Array.from({ length: 12 }, (_, index) => `n${index}.example.com`);
    const outcomes = await Promise.all(
      hosts.map((name) => client.order(fixture.request({ host: name }))),
    );
    const names = outcomes.map(
      (outcome) => new X509Certificate(issuedIn(outcome).chainPem).subjectAltName,
    );
    expect(names).toEqual(hosts.map((name) => `DNS:${name}`));
    expect(fixture.ca.accounts.size).toBe(1);
    expect(fixture.ca.steps().filter((step) => step === "newAccount")).toHaveLength(1);
  });
});

describe("an order that replaces a certificate", () => {
  const replaced = () =>
    fixture.ca.seen
      .filter(({ step }) => step === "newOrder")
      .map(({ payload }) => payload?.["replaces"]);

  test("says so", async () => {
    issuedIn(await fixture.order({ replaces: renewalName }));
    expect(replaced()).toEqual([renewalName]);
  });

  test("does not say so to an authority without renewal information", async () => {
    fixture.ca.when("directory", (_, usual) => {
      const reply = usual();
      return { ...reply, body: { ...(reply.body as object), renewalInfo: undefined } };
    });
    issuedIn(await fixture.order({ replaces: renewalName }));
    expect(replaced()).toEqual([undefined]);
  });

  for (const [status, type] of [
    [409, "alreadyReplaced"],
    [409, "conflict"],
    [400, "malformed"],
    [403, "unauthorized"],
    [404, "malformed"],
  ] as const) {
    test(`is placed without a predecessor when the answer is ${status} ${type}`, async () => {
      fixture.ca.when("newOrder", (nth, usual) => {
        if (nth > 1) return undefined;
        usual();
        return problem(status, type);
      });
      issuedIn(await fixture.order({ replaces: renewalName }));
      expect(replaced()).toEqual([renewalName, undefined]);
    });
  }

  test("is refused when the authority refuses it without a predecessor as well", async () => {
    fixture.ca.when("newOrder", () => problem(409, "alreadyReplaced"));
    const refusal = await fixture.refusal({ replaces: renewalName });
    expect(refusal.reason).toBe("policy");
  });

  test("is not tried without a predecessor when a limit is the cause", async () => {
    fixture.ca.when("newOrder", () => problem(429, "rateLimited"));
    expect((await fixture.refusal({ replaces: renewalName })).reason).toBe("rate_limited");
    expect(replaced()).toEqual([]);
  });
});

describe("polling", () => {
  test("waits as long as the authority says, in seconds or until a date", async () => {
    fixture.ca.when("authorization", (nth, usual) => {
      const reply = usual();
      if (nth === 2)
        return { ...reply, body: pending(reply.body), headers: { "retry-after": "7" } };
      if (nth === 3) {
        const date = new Date(fixture.clock.now() + 11_000).toUTCString();
        return { ...reply, body: pending(reply.body), headers: { "retry-after": date } };
      }
      return reply;
    });
    issuedIn(await fixture.order());
    expect(fixture.clock.pauses).toEqual([7_000, 11_000]);
  });

  test("never waits longer than a minute at a time", async () => {
    fixture.ca.when("order", (nth, usual) =>
      nth > 1
        ? undefined
        : { ...usual(), body: { status: "pending" }, headers: { "retry-after": "7200" } },
    );
    issuedIn(await fixture.order());
    expect(fixture.clock.pauses).toEqual([60_000]);
  });

  test("slows down when the authority says nothing", async () => {
    fixture.ca.when("order", (nth, usual) =>
      nth > 6 ? undefined : { ...usual(), body: { status: "pending" } },
    );
    issuedIn(await fixture.order());
    expect(fixture.clock.pauses).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  test("goes on from what the answer to finalising says", async () => {
    fixture.ca.when("finalize", (_, usual) => {
      usual();
      return { status: 200, body: { status: "processing" }, headers: { "retry-after": "3" } };
    });
    issuedIn(await fixture.order());
    expect(fixture.clock.pauses).toEqual([3_000]);
  });

  test("of an order that never becomes ready ends when its time is up", async () => {
    fixture.ca.when("order", (_, usual) => ({ ...usual(), body: { status: "pending" } }));
    expect((await fixture.refusal()).reason).toBe("unavailable");
    expect(fixture.clock.elapsed()).toBeGreaterThanOrEqual(orderMsMax);
  });

  test("stops at an order that someone else has finalised", async () => {
    fixture.ca.when("order", (_, usual) => ({ ...usual(), body: { status: "processing" } }));
    expect((await fixture.refusal()).detail).toBe(
      "The authority sent an order that was finalised before.",
    );
  });

  test("of an order that stays in processing after finalising ends when its time is up", async () => {
    fixture.ca.when("order", (nth, usual) =>
      nth === 1 ? undefined : { ...usual(), body: { status: "processing" } },
    );
    fixture.ca.when("finalize", (_, usual) => ({ ...usual(), body: { status: "processing" } }));
    const refusal = await fixture.refusal();
    expect(refusal).toEqual({
      reason: "unavailable",
      detail: "The order was not finished within 300 seconds.",
      retryAtMs: undefined,
    });
  });
});

describe("a certificate is not taken", () => {
  const spkiOf = (chainPem: string) =>
    new X509Certificate(chainPem).publicKey.export({ type: "spki", format: "der" });
  const replies: Record<string, (chainPem: string) => string> = {
    "that is for another host": (chain) => issue({ names: ["evil.example"], spki: spkiOf(chain) }),
    "that is for one more host": (chain) =>
      issue({ names: [host, "evil.example"], spki: spkiOf(chain) }),
    "that is for every host below": (chain) =>
      issue({ names: ["*.example.com"], spki: spkiOf(chain) }),
    "that names no host": (chain) => issue({ names: [], spki: spkiOf(chain) }),
    "that is for another key": () => issue({ names: [host], spki: strangeSpki() }),
    "that is none": () => "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    "when the chain holds one that is none": (chain) =>
      `${chain}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
    "when there is none": () => "",
    "when the chain is endless": (chain) => chain.repeat(20),
  };
  for (const [what, change] of Object.entries(replies)) {
    test(what, async () => {
      fixture.ca.when("certificate", (_, usual) => {
        const reply = usual();
        return { ...reply, body: change(String(reply.body)) };
      });
      const outcome = await fixture.order();
      expect(refusalIn(outcome).reason).toBe("unavailable");
      expect(refusalIn(outcome).detail).toMatch(/certificate|chain/);
    });
  }

  test("but what stands between the blocks is of no matter, and is not kept", async () => {
    fixture.ca.when("certificate", (_, usual) => {
      const reply = usual();
      return {
        ...reply,
        body: `subject=anything\r\n${String(reply.body).replaceAll("\n", "\r\n")}`,
      };
    });
    const { chainPem } = issuedIn(await fixture.order());
    expect(chainPem).toStartWith("-----BEGIN CERTIFICATE-----\n");
    expect(chainPem.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    expect(chainPem).not.toContain("\r");
  });
});

function pending(body: unknown): unknown {
  return { ...(body as object), status: "pending" };
}
