import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { renewalNameOf } from "../../src/hosting/acme/certificates.ts";
import { AcmeFixture, identitiesOf, startMs } from "./acmeFixture.ts";
import { issue, strangeSpki } from "./certificates.ts";
import { type Act, problem } from "./fakeAuthority.ts";

let fixture: AcmeFixture;
beforeEach(async () => {
  fixture = await new AcmeFixture().start();
});
afterEach(() => {
  fixture.ca.stop();
  expect(fixture.ca.violations).toEqual([]);
});

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** The example of RFC 9773, section 4.1. */
const authorityKey = Buffer.from("69885b6b87464041e1b37b847ba0ae2cde01c8d4", "hex");
const renewalName = "aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE";

describe("the name of a certificate", () => {
  const spki = strangeSpki();
  const wish = { names: ["docs.example.com"], spki };

  test("is made of its issuer's key and its serial number", () => {
    const serial = Buffer.from("0087654321", "hex");
    expect(renewalNameOf(issue({ ...wish, serial, authorityKey }))).toBe(renewalName);
  });

  test("is that of the first certificate of a chain", () => {
    const serial = Buffer.from("0087654321", "hex");
    const chain = issue({ ...wish, serial, authorityKey }) + issue({ ...wish });
    expect(renewalNameOf(chain)).toBe(renewalName);
  });

  test("is unknown where the certificate does not say whose key signed it", () => {
    expect(renewalNameOf(issue({ ...wish, authorityKey: null }))).toBeUndefined();
  });

  test("is unknown where there is no certificate", () => {
    expect(renewalNameOf("")).toBeUndefined();
    expect(
      renewalNameOf("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"),
    ).toBeUndefined();
  });
});

describe("the renewal window", () => {
  const start = "2027-01-02T04:00:00Z";
  const end = "2027-01-03T04:00:00Z";
  const answer = (body: unknown, headers = {}): Act => ({ status: 200, body, headers });
  const window = (headers = {}) => answer({ suggestedWindow: { start, end } }, headers);
  const ask = (act: Act) => {
    fixture.ca.when("renewalInfo", (_, usual) => {
      usual();
      return act;
    });
    return fixture.client().renewalWindow(renewalName);
  };

  test("is asked for by the certificate's name", async () => {
    expect(await ask(window({ "retry-after": "21600" }))).toEqual({
      kind: "window",
      startMs: Date.UTC(2027, 0, 2, 4),
      endMs: Date.UTC(2027, 0, 3, 4),
      askAgainAtMs: startMs + 6 * hourMs,
    });
    expect(fixture.ca.seen.map(({ payload }) => payload)).toEqual([{ id: renewalName }]);
  });

  for (const [header, expectedMs] of [
    [undefined, 6 * hourMs],
    ["nonsense", 6 * hourMs],
    ["7200", 2 * hourMs],
    [new Date(startMs + 3 * hourMs).toUTCString(), 3 * hourMs],
    ["1", minuteMs],
    ["0", minuteMs],
    ["Sun, 06 Nov 1994 08:49:37 GMT", minuteMs],
    ["99999999", 24 * hourMs],
  ] as const) {
    test(`is asked for again after ${expectedMs / minuteMs} minutes when told "${header}"`, async () => {
      const found = await ask(window(header === undefined ? {} : { "retry-after": header }));
      expect(found).toMatchObject({ kind: "window", askAgainAtMs: startMs + expectedMs });
    });
  }

  test("may have fractions of a second and an offset", async () => {
    const suggestedWindow = { start: "2027-01-02T04:00:00.25+01:00", end };
    expect(
      await ask(answer({ suggestedWindow, explanationURL: "https://ca.example/" })),
    ).toMatchObject({
      startMs: Date.UTC(2027, 0, 2, 3, 0, 0, 250),
    });
  });

  const shapes: Record<string, Act> = {
    "is no JSON": answer("<html>"),
    "is a list": answer([]),
    "has no window": answer({}),
    "has a window that is text": answer({ suggestedWindow: "soon" }),
    "has no end": answer({ suggestedWindow: { start } }),
    "has numbers": answer({ suggestedWindow: { start: 1, end: 2 } }),
    "has dates of another form": answer({ suggestedWindow: { start: "2 Jan 2027", end } }),
    "has days that do not exist": answer({
      suggestedWindow: { start: "2027-13-45T00:00:00Z", end },
    }),
    "ends before it begins": answer({ suggestedWindow: { start: end, end: start } }),
    "ends as it begins": answer({ suggestedWindow: { start, end: start } }),
    "is not known": problem(404, "malformed"),
    "is limited": problem(429, "rateLimited"),
    fails: problem(500, "serverInternal"),
    "hangs up": "hang up",
    "breaks off": "break off",
    "says nothing": "say nothing",
    "is too long": answer("x".repeat(2 * 1024 * 1024)),
    "is elsewhere": { status: 302, headers: { location: "http://127.0.0.1:9/" } },
  };
  for (const [what, act] of Object.entries(shapes)) {
    test(`is unavailable when the answer ${what}`, async () => {
      const found = await ask(act);
      expect(found.kind).toBe("unavailable");
      expect((found as { detail: string }).detail).not.toBe("");
    });
  }

  test("is unavailable when the directory is", async () => {
    fixture.ca.when("directory", () => "hang up");
    expect((await fixture.client().renewalWindow(renewalName)).kind).toBe("unavailable");
  });

  test("is not asked for by something that is no name", async () => {
    const found = await fixture.client().renewalWindow("../newOrder?x=");
    expect(found.kind).toBe("unavailable");
    expect(fixture.ca.seen).toEqual([]);
  });

  for (const renewalInfo of [undefined, 5, "ftp://ca.example/"]) {
    test(`is not offered by an authority whose directory says ${renewalInfo}`, async () => {
      fixture.ca.when("directory", (_, usual) => {
        const reply = usual();
        return { ...reply, body: { ...(reply.body as object), renewalInfo } };
      });
      expect(await fixture.client().renewalWindow(renewalName)).toEqual({ kind: "not_offered" });
    });
  }
});

describe("the names for CAA records", () => {
  for (const [said, expected] of [
    [
      ["ca.example", "CA2.example"],
      ["ca.example", "ca2.example"],
    ],
    [["ca.example", 5, null, "", "no name"], ["ca.example"]],
    [[], []],
    ["ca.example", []],
    [undefined, []],
  ] as const) {
    test(`are ${JSON.stringify(expected)} when the directory says ${JSON.stringify(said)}`, async () => {
      fixture.ca.meta = { caaIdentities: said };
      expect(await identitiesOf(fixture.client())).toEqual(expected as unknown as string[]);
    });
  }

  test("are unknown while the directory cannot be read, and known afterwards", async () => {
    fixture.ca.meta = { caaIdentities: ["ca.example"] };
    fixture.ca.when("directory", (nth) => (nth === 1 ? "hang up" : undefined));
    const client = fixture.client();
    const { refusal, caaIdentities } = await client.reach();
    expect(refusal).toMatchObject({ reason: "unavailable", retryAtMs: undefined });
    expect(caaIdentities).toEqual([]);
    fixture.clock.advance(10_000);
    expect(await identitiesOf(client)).toEqual(["ca.example"]);
  });
});

describe("the directory", () => {
  test("is read once by all who ask at the same time, and again after an hour", async () => {
    let reads = 0;
    fixture.ca.when("directory", (nth) => {
      reads = nth;
      return undefined;
    });
    const client = fixture.client();
    await Promise.all([identitiesOf(client), identitiesOf(client), identitiesOf(client)]);
    fixture.clock.advance(hourMs - 1);
    await identitiesOf(client);
    expect(reads).toBe(1);
    fixture.clock.advance(1);
    await identitiesOf(client);
    expect(reads).toBe(2);
  });

  test("that cannot be read is asked for once in ten seconds, by however many orders", async () => {
    let reads = 0;
    fixture.ca.when("directory", (nth) => {
      reads = nth;
      return nth === 3 ? undefined : "hang up";
    });
    const client = fixture.client();
    for (let order = 0; order < 10; order++) {
      await Promise.all([client.reach(), client.order(fixture.request({})), client.reach()]);
    }
    expect(reads).toBe(1);
    fixture.clock.advance(9_999);
    await client.reach();
    expect(reads).toBe(1);
    fixture.clock.advance(1);
    await client.reach();
    expect(reads).toBe(2);
    fixture.clock.advance(10_000);
    expect(await identitiesOf(client)).toEqual([]);
    expect(reads).toBe(3);
  });

  test("is read again after an order that the authority failed", async () => {
    fixture.ca.meta = { caaIdentities: ["ca.example"] };
    let reads = 0;
    fixture.ca.when("directory", (nth) => {
      reads = nth;
      return undefined;
    });
    fixture.ca.when("finalize", () => "hang up");
    const client = fixture.client();
    await client.order(fixture.request({}));
    expect(reads).toBe(1);
    expect((await client.reach()).refusal).toBeUndefined();
    expect(reads).toBe(2);
    // If no order at all is accepted, that is an outage for ten seconds.
    fixture.ca.when("newOrder", () => "hang up");
    await client.order(fixture.request({}));
    const during = await client.reach();
    expect(during.refusal?.reason).toBe("unavailable");
    expect(during.caaIdentities).toEqual(["ca.example"]);
    fixture.clock.advance(10_000);
    expect((await client.reach()).refusal).toBeUndefined();
    expect(reads).toBe(3);
  });

  test("may hold no addresses of another kind", async () => {
    const { origin } = fixture.ca;
    for (const entry of ["newNonce", "newAccount", "newOrder"]) {
      fixture.ca.when("directory", (_, usual) => {
        const reply = usual();
        return {
          ...reply,
          body: { ...(reply.body as object), [entry]: `ftp${origin.slice(4)}/x` },
        };
      });
      expect((await fixture.refusal()).reason).toBe("unavailable");
    }
  });
});
