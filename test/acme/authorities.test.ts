/** Several authorities: the next one issues what the first cannot. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Authorities } from "../../src/hosting/acme/authorities.ts";
import type { OrderRequest, PlacedOrder } from "../../src/hosting/domains/certificateAuthority.ts";
import { outageIn } from "../../src/hosting/domains/preparation.ts";
import { AcmeFixture, issuedIn, refusalIn, startMs } from "./acmeFixture.ts";
import { problem, type Script } from "./fakeAuthority.ts";

let first: AcmeFixture;
let second: AcmeFixture;
let authorities: Authorities;
beforeEach(async () => {
  first = await new AcmeFixture().start();
  second = await new AcmeFixture().start();
  authorities = new Authorities([first.client(), second.client()]);
});
afterEach(() => {
  for (const { ca } of [first, second]) ca.stop();
});

const directoryOf = ({ ca }: AcmeFixture) => `${ca.origin}/directory`;
const both = () => [directoryOf(first), directoryOf(second)];
/** Whichever looks finds the challenge. */
const publish: OrderRequest["publish"] = async ({ token, keyAuthorization }) => {
  for (const { ca } of [first, second]) ca.published.set(token, keyAuthorization);
};
const order = (directories = both()) => authorities.order(first.request({ publish }), directories);
const limitedFor =
  (seconds: number): Script =>
  () => ({
    ...problem(429, "rateLimited"),
    headers: { "retry-after": `${seconds}` },
  });

describe("an order", () => {
  test("is the first one's while that takes it", async () => {
    expect(issuedIn(await order()).directory).toBe(directoryOf(first));
    expect(second.ca.seen).toEqual([]);
  });

  for (const [what, script] of [
    ["is down", () => "hang up"],
    ["limits it", limitedFor(3600)],
  ] as readonly [string, Script][]) {
    test(`is the second one's while the first ${what}`, async () => {
      first.ca.when("newOrder", script);
      expect(issuedIn(await order()).directory).toBe(directoryOf(second));
      const reached = await authorities.reach();
      expect(reached.map(({ directory }) => directory)).toEqual(both());
    });
  }

  test("is placed only where it is allowed", async () => {
    expect(issuedIn(await order([directoryOf(second)])).directory).toBe(directoryOf(second));
    expect(first.ca.steps()).not.toContain("newOrder");
    first.ca.when("newOrder", () => "hang up");
    expect(refusalIn(await order([directoryOf(first)])).reason).toBe("unavailable");
    expect(refusalIn(await order([])).reason).toBe("unavailable");
  });

  test("that the first refuses is not taken to the second", async () => {
    first.ca.when("newOrder", () => problem(403, "rejectedIdentifier"));
    expect(refusalIn(await order()).reason).toBe("policy");
    expect(second.ca.steps()).not.toContain("newOrder");
  });

  test("waits as long as any of them asks", async () => {
    first.ca.when("newOrder", limitedFor(60));
    second.ca.when("newOrder", limitedFor(3600));
    expect(refusalIn(await order()).retryAtMs).toBe(startMs + 3_600_000);
    first.ca.when("newOrder", limitedFor(7200));
    expect(refusalIn(await order()).retryAtMs).toBe(startMs + 7_200_000);
    second.ca.when("newOrder", () => "hang up");
    const { reason, retryAtMs } = refusalIn(await order());
    expect([reason, retryAtMs]).toEqual(["rate_limited", startMs + 7_200_000]);
  });

  test("that neither takes says why, of both", async () => {
    first.ca.when("newOrder", () => problem(503, "serverInternal", { detail: "On fire." }));
    second.ca.when("newOrder", () => problem(503, "serverInternal", { detail: "Under water." }));
    const detail = "On fire. The second authority: Under water.";
    expect(refusalIn(await order()).detail).toBe(detail);
    expect(outageIn(await authorities.reach())).toMatchObject({ reason: "unavailable", detail });
  });

  test("does not prolong the ten seconds in which an outage is not looked into", async () => {
    let asked = 0;
    first.ca.when("directory", () => {
      asked += 1;
      return "hang up";
    });
    for (let attempt = 0; attempt < 4; attempt += 1) {
      issuedIn(await order());
      first.clock.advance(4_000);
    }
    expect(asked).toBe(2);
  });

  test("waits for the first where the second does not serve us at all", async () => {
    first.ca.when("newOrder", () => "hang up");
    second.ca.meta = { externalAccountRequired: true };
    expect(refusalIn(await order()).reason).toBe("unavailable");
  });

  test("is resumed where it was placed, whichever that is", async () => {
    let resume: PlacedOrder | undefined;
    const placed = async (placedOrder: PlacedOrder) => {
      resume = placedOrder;
    };
    first.ca.when("newOrder", () => "hang up");
    second.ca.when("finalize", (nth) => (nth === 1 ? problem(503, "serverInternal") : undefined));
    const request = second.request({ placed });
    refusalIn(await authorities.order(request, both()));
    first.ca.when("newOrder", () => undefined);
    const resumed = issuedIn(await authorities.order({ ...request, resume }, both()));
    expect(resumed.directory).toBe(directoryOf(second));
    expect(second.ca.steps().filter((step) => step === "newOrder")).toHaveLength(1);
  });
});

test("a second one that does not respond holds up no order of the first", async () => {
  await authorities.reach();
  second.clock.advance(3_600_000);
  second.ca.when("directory", () => "say nothing");
  second.ca.onSilence = () => {};
  const [one, other] = await authorities.reach();
  expect(one?.refusal).toBeUndefined();
  expect(other?.refusal?.detail).toBe("The authority did not respond in time.");
  expect(second.clock.pauses).toEqual([2_000, 2_000]);
});

test("the renewal window is that of the authority that issued the certificate", async () => {
  const asked: string[] = [];
  for (const fixture of [first, second]) {
    fixture.ca.when("directory", () => {
      asked.push(directoryOf(fixture));
      return undefined;
    });
  }
  await authorities.renewalWindow("a.b", directoryOf(second));
  expect(asked).toEqual([directoryOf(second)]);
  await authorities.renewalWindow("a.b", "https://elsewhere.example/directory");
  expect(asked).toEqual([directoryOf(second), directoryOf(first)]);
});
