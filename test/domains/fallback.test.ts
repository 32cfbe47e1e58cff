/** Which of two authorities may take an order: by CAA, and by which of them can be reached. */
import { expect, test } from "bun:test";
import type { AuthorityRefusal, Reach } from "../../src/hosting/domains/certificateAuthority.ts";
import { added, type NewDomain } from "../../src/hosting/domains/lifecycle.ts";
import { prepare } from "../../src/hosting/domains/preparation.ts";
import type { Resolver } from "../../src/hosting/domains/resolver.ts";
import { found, record } from "./answers.ts";
import { ann, domainServiceFixture, target } from "./domainServiceFixture.ts";
import { issued, logTo, recordsOf, resolverOf, workerWith, workOff } from "./workerFixture.ts";

const host = "docs.example.com";
const pointing = resolverOf(recordsOf({ [`${host} CNAME`]: target }));
const down: AuthorityRefusal = { reason: "unavailable", detail: "503.", retryAtMs: undefined };
const first: Reach = { directory: "first", caaIdentities: ["one.example"], refusal: undefined };
const second: Reach = { directory: "second", caaIdentities: ["two.example"], refusal: undefined };

/** Where the order was allowed to go, or the findings where it went nowhere. */
async function orderedAt(permitted: string | undefined, ...reached: readonly Reach[]) {
  const fixture = await domainServiceFixture();
  const resolver: Resolver = {
    ...pointing,
    ask: async (server, name, type) =>
      type === "CAA" && name === "example.com" && permitted !== undefined
        ? found({ ...record(name, "CAA", permitted), caa: { critical: false, tag: "issue" } })
        : pointing.ask(server, name, type),
  };
  let ordered: readonly string[] | undefined;
  const worker = workerWith(fixture, resolver, {
    reach: () => reached,
    order: async (request, directories) => {
      ordered = directories;
      return issued(request.host, fixture.clock.now());
    },
  });
  await fixture.service.add(ann, "shop", host);
  fixture.clock.advance(15_000);
  await workOff(worker);
  const { findings } = await fixture.service.show(ann, "shop", host);
  return ordered ?? findings.map(({ code }) => code);
}

const outage = { ...first, refusal: down };
const unnamed = { ...second, caaIdentities: [] };

for (const [what, permitted, reached, where] of [
  ["both without CAA records", undefined, [first, second], ["first", "second"]],
  ["both while the first is down", undefined, [outage, second], ["first", "second"]],
  ["the first alone if CAA permits only that", "one.example", [first, second], ["first"]],
  ["the second at once if CAA permits only that", "two.example", [first, second], ["second"]],
  ["one that does not say its name in CAA", "one.example", [first, unnamed], ["first", "second"]],
  ["neither if CAA permits neither", "other.example", [first, second], ["CAA_BLOCKS"]],
  ["neither if the permitted one is down", "one.example", [outage, second], ["CA_UNAVAILABLE"]],
  [
    "neither if both are down",
    undefined,
    [outage, { ...second, refusal: down }],
    ["CA_UNAVAILABLE"],
  ],
] as const) {
  test(`an order may go to ${what}`, async () => {
    expect(await orderedAt(permitted, ...reached)).toEqual([...where]);
  });
}

test("an order that waits for a record of the owner stays with its authority", async () => {
  const { domains, edgeView, clock } = await domainServiceFixture();
  const [directoryOfFirst, directoryOfSecond] = [first.directory, second.directory];
  const ready = async (directory: string, ...reached: readonly Reach[]) => {
    const unexpected = () => Promise.reject(new Error("Nobody expected this."));
    const authority = { reach: async () => reached, order: unexpected, renewalWindow: unexpected };
    const parts = { store: domains, edgeView, resolver: pointing, authority, probe: unexpected };
    const context = { ...parts, ownLimits: true, clock, now: clock.now, log: logTo() };
    const domain = added({ id: "d", host, project: "shop", ownerId: "ann" } as NewDomain, 0);
    const resume = { directory, url: "https://ca.example/order/1", privateKeyPem: "" };
    return prepare(domain, context, { resume, validation: "dns-01" });
  };
  expect(await ready(directoryOfSecond, first, second)).toEqual({
    kind: "ready",
    directories: [directoryOfSecond],
  });
  expect(await ready(directoryOfFirst, outage, second)).toMatchObject({ reason: "unavailable" });
  // Its authority is in the settings no more.
  expect(await ready("third", outage, second)).toEqual({
    kind: "ready",
    directories: [directoryOfFirst, directoryOfSecond],
  });
});
