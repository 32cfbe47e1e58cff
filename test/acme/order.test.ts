import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import type { PlacedOrder } from "../../src/hosting/domains/certificateAuthority.ts";
import { AcmeFixture, host, issuedIn, orderMsMax, refusalIn } from "./acmeFixture.ts";
import { issue, strangeSpki } from "./certificates.ts";
import { problem, type Step } from "./fakeAuthority.ts";

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

describe("an order is resumed", () => {
  /** Placed by a process that crashed when the authority came to this step. */
  async function leftAt(step: Step): Promise<PlacedOrder> {
    let left: PlacedOrder | undefined;
    const crash = new AbortController();
    fixture.ca.when(step, (nth, usual) => {
      if (nth > 1) return undefined;
      const reply = usual();
      crash.abort(new Error("It was killed."));
      return reply;
    });
    const placed = async (order: PlacedOrder) => {
      left = order;
    };
    const refusal = await fixture.refusal({ placed, signal: crash.signal });
    expect(refusal.reason).toBe("abandoned");
    if (left === undefined) throw new Error("No order was placed.");
    return left;
  }
  const newOrders = () => fixture.ca.steps().filter((step) => step === "newOrder").length;

  for (const step of ["authorization", "challenge", "order", "finalize", "certificate"] as const) {
    test(`when the process before was killed at the step ${step}`, async () => {
      const resume = await leftAt(step);
      const placed = () => Promise.reject(new Error("nothing new was wanted"));
      const { privateKeyPem } = issuedIn(await fixture.order({ resume, placed }));
      expect(privateKeyPem).toBe(resume.privateKeyPem);
      const finalized = fixture.ca.steps().filter((each) => each === "finalize");
      expect([newOrders(), finalized.length]).toEqual([1, 1]);
    });
  }

  for (const [what, reply] of [
    ["that the authority does not find", problem(404, "malformed")],
    ["that belongs to another account", problem(403, "unauthorized")],
    ["that has expired", { status: 200, body: { status: "invalid" } }],
    ["that cannot be read", { status: 200, body: { status: "pending" } }],
  ] as const) {
    test(`not if it is one ${what}: another is placed, and told`, async () => {
      const resume = await leftAt("challenge");
      const before = newOrders();
      fixture.ca.when("order", (nth) => (nth === 1 ? reply : undefined));
      const told: PlacedOrder[] = [];
      issuedIn(await fixture.order({ resume, placed: async (order) => void told.push(order) }));
      expect(newOrders()).toBe(before + 1);
      expect(told).toHaveLength(1);
      expect(told[0]?.url).not.toBe(resume.url);
    });
  }

  test("not at another authority", async () => {
    const resume = { ...(await leftAt("challenge")), directory: "https://other.example/directory" };
    issuedIn(await fixture.order({ resume }));
    expect(newOrders()).toBe(2);
  });

  test("and refused if the check of the name has failed meanwhile", async () => {
    const resume = await leftAt("challenge");
    fixture.ca.when("order", (_, usual) => {
      const reply = usual();
      const { body: error } = problem(403, "unauthorized");
      return { ...reply, body: { ...(reply.body as object), status: "invalid", error } };
    });
    expect((await fixture.refusal({ resume })).reason).toBe("authorization_failed");
    expect(newOrders()).toBe(1);
  });

  test("later if the authority is out of service", async () => {
    const resume = await leftAt("challenge");
    fixture.ca.when("order", () => problem(503, "serverInternal"));
    const refusal = await fixture.refusal({ resume });
    expect([refusal.reason, refusal.orderLost]).toEqual(["unavailable", undefined]);
    expect(newOrders()).toBe(1);
  });

  test("only if it was stored: else nothing is asked of the authority", async () => {
    const placed = () => Promise.reject(new Error("The disk is full."));
    const refusal = await fixture.refusal({ placed });
    expect([refusal.reason, refusal.detail]).toEqual(["abandoned", "The disk is full."]);
    expect(fixture.ca.steps()).toEqual(["newAccount", "newOrder"]);
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
