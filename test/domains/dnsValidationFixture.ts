/** A name that gets its certificate by DNS, a scripted authority, and a zone that can be changed. */
import type { Challenge } from "../../src/hosting/domains/certificateAuthority.ts";
import type { HowToAttach } from "../../src/hosting/domains/dnsValidation.ts";
import { ann, type DomainServiceFixture, domainServiceFixture } from "./domainServiceFixture.ts";
import {
  issued,
  type Order,
  type Records,
  recordsOf,
  resolverOf,
  type WorkerFixtureOptions,
  workerWith,
  workOff,
} from "./workerFixture.ts";

export const host = "docs.example.com";
export const challengeName = `_acme-challenge.${host}`;
export const minuteMs = 60_000;
export const elsewhere = { [`${host} A`]: "203.0.113.9" };

/** An authority that has one order at a time, and issues once it was told to look. */
function authorityOf({ clock }: DomainServiceFixture, token = "token") {
  const seen = {
    orders: 0,
    validated: [] as string[],
    trusts: false,
    reaches: true,
    /** Whoever orders gets the order that there is. */
    shares: false,
    /** An order is gone when it is to be resumed. */
    forgets: false,
  };
  const order: Order = async (request) => {
    const { validation = "http-01" } = request;
    if (request.resume === undefined || seen.forgets) {
      if (!seen.shares) seen.orders += 1;
      const url = `order ${seen.orders}`;
      await request.placed({ directory: "https://ca.example", url, privateKeyPem: "key" });
    }
    const challenge: Challenge = {
      host: request.host,
      token: `${token}-${seen.orders}`,
      keyAuthorization: `${token}-${seen.orders}.account`,
    };
    try {
      await (seen.trusts ? request.trusted?.() : request.publish(challenge));
    } catch (cause) {
      const detail = (cause as Error).message;
      return { kind: "refused", refusal: { reason: "abandoned", detail, retryAtMs: undefined } };
    }
    seen.validated.push(validation);
    if (validation === "http-01" && !seen.reaches) {
      const refusal = { reason: "authorization_failed", detail: "", retryAtMs: undefined } as const;
      return { kind: "refused", refusal };
    }
    return issued(request.host, clock.now());
  };
  return { order, seen };
}

export async function prepared(
  lines: Record<string, string> = elsewhere,
  options: WorkerFixtureOptions & { dnsUpdates?: boolean; how?: HowToAttach } = {},
) {
  const { dnsUpdates = false, how = "prepared", ...workerOptions } = options;
  const fixture = await domainServiceFixture({ dnsUpdates });
  const authority = authorityOf(fixture);
  const dns = { lines };
  const records: Records = (name, type) => recordsOf(dns.lines)(name, type);
  const edge = { id: "edge", address: "192.0.2.77", httpPort: 80, revision: 0 };
  const worker = workerWith(fixture, resolverOf(records), {
    order: authority.order,
    probe: async (_, __, token) => ({ kind: "answered", body: `${token}.account` }),
    ...workerOptions,
  });
  const { service, clock, edgeView } = fixture;
  await service.add(ann, "shop", host, how);
  const pass = async (minutes: number) => {
    clock.advance(minutes * minuteMs);
    await edgeView.reportEdge({ ...edge, seenAtMs: clock.now() });
    await workOff(worker);
  };
  const show = () => service.show(ann, "shop", host);
  return { fixture, authority, dns, pass, show, worker };
}
