/** Queries everything in DNS that the verification of a host needs. */

import { isIP } from "node:net";
import { blockListOf } from "../../core/networks.ts";
import { likelyZone } from "./hostName.ts";
import type { DnsAnswer, DnsRecord, NameServer, NameServers, Resolver } from "./resolver.ts";

/** The answers of one name server, or the recursor, for the host. */
export interface View {
  readonly cname: DnsAnswer;
  /** Queried only without a CNAME: a name with one has no other records (RFC 1034, section 3.6.2). */
  readonly a: DnsAnswer | undefined;
  readonly aaaa: DnsAnswer | undefined;
}

export interface ServerView extends View {
  readonly server: NameServer;
}

export interface Observation {
  readonly host: string;
  readonly nameServers: NameServers;
  /** The apex of the zone of the host, from DNS if it has told. */
  readonly zone: string;
  readonly authorities: readonly ServerView[];
  readonly recursor: View;
  /** The chain of CNAMEs; a loop ends with the name that is repeated. */
  readonly chain: readonly string[];
  /** The addresses of the target, queried for an apex only. */
  readonly target: { readonly a: DnsAnswer; readonly aaaa: DnsAnswer } | undefined;
  /** The answers for a random sibling of the host: if they are the same, there is a wildcard. */
  readonly sibling: View | undefined;
  /** The answer of each name server for the proof of ownership, if one is needed. */
  readonly proofs: readonly DnsAnswer[];
}

export interface Question {
  readonly host: string;
  readonly target: string;
  /** The name of the proof of ownership; undefined if it was shown before. */
  readonly proofName: string | undefined;
  /** Whether it is queried for other names than an apex, too. */
  readonly proofAlways?: boolean;
  /** A random label that is not in use. */
  readonly unusedLabel: string;
}

const chainMax = 16;
/** The timeline stores many of these, and zones may contain anything. */
const linesMax = 100;
const lineLengthMax = 300;

export async function observe(question: Question, resolver: Resolver): Promise<Observation> {
  const { host, target, proofName } = question;
  const nameServers = await resolver.nameServers(host);
  const servers = nameServers.kind === "found" ? nameServers.servers : [];
  const authorities = await Promise.all(
    servers.map(async (server) => ({
      server,
      ...(await viewOf(host, (name, type) => resolver.ask(server, name, type))),
    })),
  );
  const zone = zoneOf(host, nameServers, authorities);
  const [recursor, proofs, targetAddresses] = await Promise.all([
    viewOf(host, (name, type) => resolver.lookUp(name, type)),
    proofName === undefined || !(zone === host || question.proofAlways)
      ? []
      : Promise.all(servers.map((server) => resolver.ask(server, proofName, "TXT"))),
    zone === host ? addressesOf(target, resolver) : undefined,
  ]);
  const first = authorities
    .flatMap(({ cname }) => valuesIn(cname, "CNAME", host))
    .find((value) => value !== target);
  return {
    host,
    nameServers,
    zone,
    authorities,
    recursor,
    proofs,
    target: targetAddresses,
    chain: first === undefined ? [] : await follow(host, first, target, resolver),
    sibling: await siblingOf(question, zone, authorities, resolver),
  };
}

/** DNS tells it, unless the domain itself does not exist: then the zone is one above it. */
function zoneOf(
  host: string,
  nameServers: NameServers,
  authorities: readonly ServerView[],
): string {
  const likely = likelyZone(host);
  if (nameServers.kind !== "found") return likely;
  const { zone } = nameServers;
  const below = `.${zone}`.endsWith(`.${likely}`);
  const exists = authorities.some(
    ({ cname }) => cname.kind === "found" || (cname.kind === "absent" && cname.reason === "nodata"),
  );
  return below || exists ? zone : likely;
}

type Ask = (name: string, type: "CNAME" | "A" | "AAAA") => Promise<DnsAnswer>;

async function viewOf(host: string, ask: Ask): Promise<View> {
  const cname = await ask(host, "CNAME");
  if (cname.kind !== "absent") return { cname, a: undefined, aaaa: undefined };
  const [a, aaaa] = await Promise.all([ask(host, "A"), ask(host, "AAAA")]);
  return { cname, a, aaaa };
}

async function addressesOf(target: string, resolver: Resolver) {
  const [a, aaaa] = await Promise.all([
    resolver.lookUp(target, "A"),
    resolver.lookUp(target, "AAAA"),
  ]);
  return { a, aaaa };
}

async function follow(
  host: string,
  first: string,
  target: string,
  resolver: Resolver,
): Promise<string[]> {
  const passed = [host, first];
  while (passed.length < chainMax) {
    const at = passed.at(-1) ?? "";
    if (at === target || passed.indexOf(at) < passed.length - 1) break;
    const answer = await resolver.lookUp(at, "CNAME");
    const [next] = valuesIn(answer, "CNAME", at);
    if (next === undefined) break;
    passed.push(next);
  }
  return passed;
}

/** Queried if something else than the record was found, which may be from a wildcard. */
async function siblingOf(
  { host, target, unusedLabel }: Question,
  zone: string,
  authorities: readonly ServerView[],
  resolver: Resolver,
): Promise<View | undefined> {
  const found = authorities.find((view) =>
    recordsAt(view, host).some((record) => record !== `CNAME ${target}`),
  );
  if (found === undefined || zone === host) return undefined;
  const sibling = `${unusedLabel}.${host.slice(host.indexOf(".") + 1)}`;
  return viewOf(sibling, (name, type) => resolver.ask(found.server, name, type));
}

/** The values of the records of a type, at one name if given. */
export function valuesIn(
  answer: DnsAnswer | undefined,
  type: DnsRecord["type"],
  name?: string,
): string[] {
  if (answer?.kind !== "found") return [];
  return answer.records
    .filter((record) => record.type === type && record.name === (name ?? record.name))
    .map(({ value }) => value);
}

/** Everything that a view found at the name, without TTLs. */
export function recordsAt({ cname, a, aaaa }: View, name: string): string[] {
  const answers = [["CNAME", cname] as const, ["A", a] as const, ["AAAA", aaaa] as const];
  return answers.flatMap(([type, answer]) =>
    valuesIn(answer, type, name).map((value) => `${type} ${value}`),
  );
}

/** The raw answers, one per line, for the timeline. */
export function answersOf(observation: Observation): string[] {
  const { nameServers, authorities, recursor } = observation;
  const failure = nameServers.kind === "found" ? [] : [`name servers: ${describe(nameServers)}`];
  const lines = authorities.flatMap(({ server, ...view }) =>
    linesOf(`${server.name} (${server.address})`, view),
  );
  return [...failure, ...lines, ...linesOf("recursor", recursor)]
    .slice(0, linesMax)
    .map((line) => (line.length > lineLengthMax ? `${line.slice(0, lineLengthMax)}…` : line));
}

function linesOf(who: string, { cname, a, aaaa }: View): string[] {
  return [
    `${who} CNAME: ${describe(cname)}`,
    ...(a === undefined ? [] : [`${who} A: ${describe(a)}`]),
    ...(aaaa === undefined ? [] : [`${who} AAAA: ${describe(aaaa)}`]),
  ];
}

export function describe(answer: DnsAnswer): string {
  if (answer.kind === "unreachable") return `${answer.reason} (${answer.detail})`;
  const records = answer.records.map((r) => `${r.name} ${r.ttlSeconds} ${r.type} ${r.value}`);
  if (answer.kind === "found") return records.join(", ");
  const remembered =
    answer.rememberedSeconds === undefined ? "" : `, remembered ${answer.rememberedSeconds} s`;
  return [...records, answer.reason + remembered].join(", ");
}

/** The published addresses of Cloudflare's proxy, which owners often leave enabled and which hides the records. */
const proxies = blockListOf([
  "103.21.244.0/22",
  "103.22.200.0/22",
  "103.31.4.0/22",
  "104.16.0.0/13",
  "104.24.0.0/14",
  "108.162.192.0/18",
  "131.0.72.0/22",
  "141.101.64.0/18",
  "162.158.0.0/15",
  "172.64.0.0/13",
  "173.245.48.0/20",
  "188.114.96.0/20",
  "190.93.240.0/20",
  "197.234.240.0/22",
  "198.41.128.0/17",
  "2400:cb00::/32",
  "2405:8100::/32",
  "2405:b500::/32",
  "2606:4700::/32",
  "2803:f800::/32",
  "2a06:98c0::/29",
  "2c0f:f248::/32",
]);

export function isBehindProxy(address: string): boolean {
  return proxies.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}
