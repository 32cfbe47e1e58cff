/** A network and an authority that fail in every way. Whatever they do, an order ends. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { AcmeFixture, host, issuedIn, pollMs } from "./acmeFixture.ts";
import { type Act, problem, type Step } from "./fakeAuthority.ts";

let fixture: AcmeFixture;
beforeEach(async () => {
  fixture = await new AcmeFixture().start();
});
afterEach(() => {
  fixture.ca.stop();
  expect(fixture.ca.violations).toEqual([]);
});

const every: readonly Step[] = [
  "directory",
  "newNonce",
  "newAccount",
  "newOrder",
  "authorization",
  "challenge",
  "order",
  "finalize",
  "certificate",
];
const reads: readonly Step[] = ["authorization", "order", "certificate"];
const empty: Act = { status: 200, body: {}, headers: { location: "not an address" } };

const faults: Record<string, Act> = {
  "hangs up": "hang up",
  "breaks off": "break off",
  "says nothing": "say nothing",
  fails: problem(500, "serverInternal"),
  "is overloaded": { status: 503, headers: { "retry-after": "5" }, body: "busy" },
  "sends a redirect": { status: 302, headers: { location: "http://127.0.0.1:9/" } },
  "sends no JSON": { status: 200, body: "<html>", headers: { "replay-nonce": "!" } },
  "sends broken JSON": { status: 200, body: '{"status":', headers: { "replay-nonce": "!" } },
  "sends a list": { status: 200, body: [], headers: { "replay-nonce": "!" } },
  "sends null": { status: 200, body: "null", headers: { "replay-nonce": "!" } },
  "sends an empty object": { ...empty, headers: { "replay-nonce": "!" } },
  "sends 2 MiB": {
    status: 200,
    body: " ".repeat(2 * 1024 * 1024),
    headers: { "replay-nonce": "!" },
  },
  "sends 30,000 brackets": {
    status: 200,
    body: "[".repeat(30_000),
    headers: { "replay-nonce": "!" },
  },
};

describe("an authority that", () => {
  for (const [fault, act] of Object.entries(faults)) {
    for (const step of every) {
      // What is answered to the challenge is not read.
      const harmless = step === "challenge" && typeof act !== "string" && act.status === 200;
      const tooLong = fault === "sends 2 MiB" && step !== "newNonce";
      // A HEAD has no body that could break off.
      const whole = step === "newNonce" && fault === "breaks off";
      if ((harmless && !tooLong) || whole) continue;
      test(`${fault} at ${step} is unavailable`, async () => {
        fixture.ca.when(step, () => act);
        const refusal = await fixture.refusal();
        expect(refusal.reason).toBe("unavailable");
        expect(refusal.detail).not.toBe("");
      });
    }
  }

  for (const fault of ["hangs up", "breaks off", "says nothing", "fails", "is overloaded"]) {
    for (const step of reads) {
      test(`${fault} once or twice at ${step} is asked again`, async () => {
        fixture.ca.when(step, (nth) => (nth <= 2 ? faults[fault] : undefined));
        issuedIn(await fixture.order());
      });
    }
  }

  test("is overloaded is left alone for as long as it says", async () => {
    fixture.ca.when("certificate", (nth) => (nth === 1 ? faults["is overloaded"] : undefined));
    issuedIn(await fixture.order());
    expect(fixture.clock.pauses).toEqual([5_000]);
  });

  test("made the certificate but could not say so is asked for it", async () => {
    fixture.ca.when("finalize", (_, usual) => {
      usual();
      return "hang up";
    });
    issuedIn(await fixture.order());
    expect(fixture.ca.steps().filter((step) => step === "finalize")).toHaveLength(1);
  });

  test("could not make the certificate is not waited for", async () => {
    fixture.ca.when("finalize", () => problem(500, "serverInternal"));
    expect((await fixture.refusal()).detail).toBe("this is serverInternal");
    expect(fixture.clock.pauses).toEqual([]);
  });

  test("goes on and on is not listened to past 1 MiB", async () => {
    fixture.ca.when("newOrder", (_, usual) => {
      const reply = usual();
      const padding = " ".repeat(1024 * 1024);
      return { ...reply, body: JSON.stringify({ ...(reply.body as object), padding }) };
    });
    expect((await fixture.refusal()).detail).toBe("The authority's response is longer than 1 MiB.");
  });

  test("recovers is used again by the same client", async () => {
    const client = fixture.client();
    for (const step of every) {
      fixture.ca.when(step, (nth) => (nth <= 3 ? "hang up" : undefined));
    }
    let outcome = await client.order(fixture.request());
    for (let tries = 0; outcome.kind === "refused" && tries < 40; tries += 1) {
      expect(outcome.refusal.reason).toBe("unavailable");
      fixture.clock.advance(60_000);
      outcome = await client.order(fixture.request());
    }
    issuedIn(outcome);
  });

  test("is not there at all is unavailable", async () => {
    fixture.ca.stop();
    const refusal = await fixture.refusal();
    expect(refusal.reason).toBe("unavailable");
    expect(refusal.detail).not.toContain("127.0.0.1");
  });
});

describe("nonsense in an otherwise good answer", () => {
  const nonsense: readonly [string, Step, Record<string, unknown>][] = [
    ["no authorisations", "newOrder", { authorizations: [] }],
    ["authorisations that are numbers", "newOrder", { authorizations: [1] }],
    ["an address in capitals", "newOrder", { authorizations: ["HTTPS://127.0.0.1:9/"] }],
    ["nowhere to finalise", "newOrder", { finalize: null }],
    ["a status that is a list", "newOrder", { status: ["pending"] }],
    ["another host", "authorization", { identifier: { type: "dns", value: "evil.example" } }],
    ["no host", "authorization", { identifier: null }],
    ["a token with a path", "authorization", { challenges: [challenge("../../secret")] }],
    ["an empty token", "authorization", { challenges: [challenge("")] }],
    ["a token without end", "authorization", { challenges: [challenge("a".repeat(300))] }],
    ["a token that is a number", "authorization", { challenges: [challenge(5)] }],
    ["a certificate without address", "finalize", { status: "valid", certificate: 5 }],
    [
      "a certificate at a strange address",
      "finalize",
      { status: "valid", certificate: "ftp://x/" },
    ],
    ["a status nobody knows", "order", { status: "asleep" }],
  ];
  for (const [what, step, changes] of nonsense) {
    test(`such as ${what} is the authority's failure`, async () => {
      fixture.ca.when(step, (_, usual) => {
        const reply = usual();
        return { ...reply, body: { ...(reply.body as object), ...changes } };
      });
      const publish = () => Promise.reject(new Error("nothing may be published"));
      const early = step === "newOrder" || step === "authorization";
      const refusal = await fixture.refusal(early ? { publish } : {});
      expect(refusal.reason).toBe("unavailable");
    });
  }

  for (const location of ["", "/order/1", "javascript:alert(1)"]) {
    test(`such as the order's address "${location}" is the authority's failure`, async () => {
      fixture.ca.when("newOrder", (_, usual) => ({ ...usual(), headers: { location } }));
      expect((await fixture.refusal()).reason).toBe("unavailable");
    });
  }

  function challenge(token: unknown) {
    return { type: "http-01", status: "pending", url: "http://127.0.0.1:9/", token };
  }
});

describe("an address that the authority gives", () => {
  const orderWith = (authorizations: string[]) =>
    fixture.ca.when("newOrder", (_, usual) => {
      const reply = usual();
      return { ...reply, body: { ...(reply.body as object), authorizations } };
    });

  for (const address of ["http://a:b@127.0.0.1:9/", "file:///etc/passwd", "/order/1"]) {
    test(`is not called when it is ${address}`, async () => {
      orderWith([address]);
      expect((await fixture.refusal()).detail).toBe(
        "The authority gave an address we do not call.",
      );
    });
  }

  test("is not called when it is one of a hundred", async () => {
    orderWith(Array(100).fill(`${fixture.ca.origin}/authorization/authz-${host}`));
    const refusal = await fixture.refusal();
    expect(refusal.detail).toBe("The authority sent an order in which something is missing.");
    expect(fixture.ca.steps()).not.toContain("authorization");
  });
});

describe("nonces", () => {
  test("that are refused are replaced by the fresh one, at every step", async () => {
    for (const step of every.slice(2)) {
      fixture.ca.when(step, (nth) => (nth % 3 !== 0 ? problem(400, "badNonce") : undefined));
    }
    issuedIn(await fixture.order());
  });

  test("are asked for when a refusal brings none along", async () => {
    fixture.ca.when("newOrder", (nth) =>
      nth <= 3
        ? problem(400, "badNonce", { headers: { "replay-nonce": "not a nonce!" } })
        : undefined,
    );
    issuedIn(await fixture.order());
  });

  for (const step of every.slice(2)) {
    test(`refused for ever at ${step} end the order`, async () => {
      fixture.ca.when(step, () => problem(400, "badNonce"));
      expect((await fixture.refusal()).reason).toBe("unavailable");
    });
  }

  test("are spent one at a time by orders that run together", async () => {
    const client = fixture.client();
    const orders = Array.from({ length: 20 }, (_, index) =>
      client.order(fixture.request({ host: `h${index}.example.com` })),
    );
    for (const outcome of await Promise.all(orders)) issuedIn(outcome);
  });
});

describe("an order whose right was lost", () => {
  test("before it began sends nothing", async () => {
    const signal = AbortSignal.abort(new Error("the lease is gone"));
    expect(await fixture.refusal({ signal })).toEqual({
      reason: "abandoned",
      detail: "the lease is gone",
      retryAtMs: undefined,
    });
    expect(fixture.ca.seen).toEqual([]);
  });

  for (const step of every) {
    test(`while ${step} is under way is abandoned`, async () => {
      const control = new AbortController();
      fixture.ca.when(step, () => {
        queueMicrotask(() => control.abort("the lease is gone"));
        return "say nothing";
      });
      fixture.ca.onSilence = () => {};
      const refusal = await fixture.refusal({ signal: control.signal });
      expect(refusal).toEqual({
        reason: "abandoned",
        detail: "the lease is gone",
        retryAtMs: undefined,
      });
    });
  }

  test("while it waits is abandoned at once", async () => {
    const control = new AbortController();
    fixture.ca.when("order", (_, usual) => {
      setImmediate(() => control.abort("the lease is gone"));
      return { ...usual(), body: { status: "pending" } };
    });
    expect((await fixture.refusal({ signal: control.signal })).reason).toBe("abandoned");
  });

  test("while the challenge is published never reaches the authority", async () => {
    const control = new AbortController();
    const publish = () => {
      control.abort("the lease is gone");
      return new Promise<void>(() => {});
    };
    expect((await fixture.refusal({ publish, signal: control.signal })).reason).toBe("abandoned");
    expect(fixture.ca.steps()).not.toContain("challenge");
  });

  test("just as publishing succeeded never reaches the authority", async () => {
    const control = new AbortController();
    const publish = async () => control.abort("the lease is gone");
    expect((await fixture.refusal({ publish, signal: control.signal })).reason).toBe("abandoned");
    expect(fixture.ca.steps()).not.toContain("challenge");
  });

  test("does not take the account from another order that waits for it", async () => {
    const client = fixture.client();
    const control = new AbortController();
    fixture.ca.when("newAccount", () => {
      control.abort("the lease is gone");
      return undefined;
    });
    const [first, second] = await Promise.all([
      client.order(fixture.request({ signal: control.signal })),
      client.order(fixture.request({ host: "other.example.com" })),
    ]);
    expect(first).toMatchObject({ kind: "refused", refusal: { reason: "abandoned" } });
    issuedIn(second);
  });
});

describe("a challenge that cannot be published", () => {
  const never = () => new Promise<void>(() => {});
  const ways: Record<string, () => Promise<void>> = {
    rejects: () => Promise.reject(new Error("edge 2 does not answer")),
    throws: () => {
      throw new Error("edge 2 does not answer");
    },
  };
  for (const [way, publish] of Object.entries(ways)) {
    test(`because it ${way} leaves the order untried`, async () => {
      expect(await fixture.refusal({ publish })).toEqual({
        reason: "abandoned",
        detail: "edge 2 does not answer",
        retryAtMs: undefined,
      });
      expect(fixture.ca.steps()).not.toContain("challenge");
    });
  }

  test("because it takes for ever leaves the order untried when its time is up", async () => {
    const publish = () => {
      setImmediate(() => fixture.clock.advance(300_000));
      return never();
    };
    expect((await fixture.refusal({ publish })).reason).toBe("abandoned");
    expect(fixture.ca.steps()).not.toContain("challenge");
  });
});

describe("a client that is done", () => {
  test("leaves no timer behind", async () => {
    let open = 0;
    let onPause = () => {};
    const { clock } = fixture;
    const counting = {
      ...clock,
      after(delayMs: number, action: () => void) {
        open += 1;
        let done = false;
        const close = () => {
          if (!done) open -= 1;
          done = true;
        };
        if (delayMs === pollMs) queueMicrotask(onPause);
        const stop = clock.after(delayMs, () => {
          close();
          action();
        });
        return () => {
          close();
          stop();
        };
      },
    };
    const client = fixture.client({ clock: counting });
    issuedIn(await client.order(fixture.request()));
    fixture.ca.when("order", () => "hang up");
    await client.order(fixture.request({ host: `other.${host}` }));
    const control = new AbortController();
    onPause = () => control.abort("the lease is gone");
    fixture.ca.when("order", (_, usual) => ({ ...usual(), body: { status: "pending" } }));
    const third = fixture.request({ signal: control.signal, host: `third.${host}` });
    expect(await client.order(third)).toMatchObject({ refusal: { reason: "abandoned" } });
    expect(open).toBe(0);
  });
});
