/** Workers on a domain service fixture, with DNS records from a list and a scripted authority. */
import { generateKeyPairSync } from "node:crypto";
import { Vault } from "../../src/core/vault.ts";
import type {
  AuthorityRefusal,
  CertificateAuthority,
  OrderOutcome,
  Reach,
} from "../../src/hosting/domains/certificateAuthority.ts";
import type { DomainStore } from "../../src/hosting/domains/domains.ts";
import type { Probe } from "../../src/hosting/domains/preparation.ts";
import type { DnsAnswer, RecordType, Resolver } from "../../src/hosting/domains/resolver.ts";
import type { JobContext } from "../../src/hosting/domains/updates.ts";
import { DomainWorker, type WorkerOptions } from "../../src/hosting/domains/worker.ts";
import { certificateText } from "../simulation/certificateText.ts";
import { found, ns1, nxdomain, record, zoneOf } from "./answers.ts";
import { type DomainServiceFixture, target } from "./domainServiceFixture.ts";

/** The values of a record; none where there is no such name. */
export type Records = (name: string, type: RecordType) => readonly string[];

/** `docs.example.com CNAME` and its value. A name that begins with `*.` is a wildcard. */
export function recordsOf(lines: Readonly<Record<string, string>>): Records {
  return (name, type) => {
    const above = name.slice(name.indexOf("."));
    const own = lines[`${name} ${type}`];
    // A wildcard answers for no name that has anything of its own, or below itself (RFC 4592).
    const exists = Object.keys(lines).some((line) => line.split(" ")[0]?.endsWith(name));
    const value = own ?? (exists ? undefined : lines[`*${above} ${type}`]);
    return value === undefined ? [] : [value];
  };
}

const issuing = (type: RecordType) =>
  type === "CAA" ? { caa: { critical: false, tag: "issue" } } : {};

export function resolverOf(records: Records): Resolver {
  const answer = async (name: string, type: RecordType) => {
    const values = records(name, type);
    return values.length === 0
      ? nxdomain(60)
      : found(...values.map((value) => ({ ...record(name, type, value, 60), ...issuing(type) })));
  };
  return {
    lookUp: answer,
    nameServers: async (name) => zoneOf(name.split(".").slice(-2).join("."), [ns1]),
    ask: (_, name, type) => answer(name, type),
  };
}

const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const keyBytes = publicKey.export({ type: "spki", format: "der" });
let serial = 0;

export function issued(host: string, nowMs: number): OrderOutcome {
  const notAfterMs = nowMs + 90 * 24 * 3_600_000;
  const words = { host, issuer: "Test authority", serial: ++serial, publicKey: keyBytes };
  const chainPem = certificateText({ ...words, notBeforeMs: nowMs, notAfterMs });
  return { kind: "issued", chainPem, privateKeyPem: `key ${serial}`, directory };
}

export type Order = CertificateAuthority["order"];

export interface WorkerFixtureOptions extends Partial<WorkerOptions> {
  readonly order?: Order;
  readonly probe?: Probe;
  readonly store?: DomainStore;
  readonly secret?: string;
  readonly log?: JobContext["log"]["info"];
  readonly caaIdentities?: readonly string[];
  /** Why the authority cannot be reached now. */
  readonly unreachable?: () => AuthorityRefusal | undefined;
  readonly now?: () => number;
  readonly ownLimits?: boolean;
  readonly publishTxt?: JobContext["publishTxt"];
  /** The authorities, if there are several. */
  readonly reach?: () => readonly Reach[];
}

export const directory = "https://ca.example/directory";

/** What the newest claim on a name is shown as its target. */
export function targetOf({ domains }: Pick<DomainServiceFixture, "domains">, host: string): string {
  return domains.claimsOn(host)[0]?.domain.target ?? target;
}

/** A CNAME to the host of the sites stands for one to the target of the newest claim on its name. */
function pointingToClaims(resolver: Resolver, fixture: DomainServiceFixture): Resolver {
  const translated = <A extends DnsAnswer>(answer: A): A =>
    answer.kind === "unreachable"
      ? answer
      : {
          ...answer,
          records: answer.records.map((each) =>
            each.type === "CNAME" && each.value === target
              ? { ...each, value: targetOf(fixture, each.name) }
              : each,
          ),
        };
  return {
    nameServers: (name) => resolver.nameServers(name),
    lookUp: async (name, type) => translated(await resolver.lookUp(name, type)),
    ask: async (server, name, type) => translated(await resolver.ask(server, name, type)),
  };
}

/** Gets a certificate for whatever it orders, unless an order says otherwise. */
export function workerWith(
  fixture: DomainServiceFixture,
  resolver: Resolver,
  fixtureOptions: WorkerFixtureOptions = {},
): DomainWorker {
  const { domains, edgeView, clock } = fixture;
  const {
    order,
    probe,
    store,
    secret,
    log,
    caaIdentities,
    unreachable,
    now,
    ownLimits,
    publishTxt,
    reach,
    ...options
  } = fixtureOptions;
  const parts: JobContext = {
    store: store ?? domains,
    edgeView,
    resolver: pointingToClaims(resolver, fixture),
    authority: {
      reach: async () =>
        reach?.() ?? [{ directory, caaIdentities: caaIdentities ?? [], refusal: unreachable?.() }],
      order: order ?? (async ({ host }) => issued(host, clock.now())),
      renewalWindow: async () => ({ kind: "not_offered" }),
    },
    probe: probe ?? (async () => ({ kind: "failed", detail: "Nobody expected to be probed." })),
    now: now ?? (() => clock.now()),
    ownLimits: ownLimits ?? true,
    publishTxt,
    vault: new Vault(secret ?? "secret", clock),
    clock,
    target,
    renewalNameOf: () => undefined,
    log: logTo(log),
  };
  return new DomainWorker(parts, { holder: "one", ...options });
}

/** A log that has every event heard, of whichever level. */
export function logTo(hear: JobContext["log"]["info"] = () => {}): JobContext["log"] {
  return { info: hear, warn: hear, error: hear };
}

/** Takes what is due, and waits until it is done. */
export async function workOff(worker: DomainWorker): Promise<number> {
  const taken = await worker.takeDue();
  await worker.settled();
  return taken;
}
