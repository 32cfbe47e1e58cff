import { isIP } from "node:net";
import type { Clock } from "../../core/clock.ts";
import { canonicalAddress, isPublicAddress } from "../../core/networks.ts";
import { Semaphore, SemaphoreFull } from "../../core/semaphore.ts";
import {
  type Absent,
  type DnsAnswer,
  type DnsRecord,
  type NameServer,
  type RecordType,
  type Resolver,
  type Unreachable,
  unreachable,
} from "../domains/resolver.ts";
import { interpret, type LookUpResult } from "./answer.ts";
import {
  folded,
  isAskable,
  isWithin,
  type Message,
  parentOf,
  type Question,
  rcodes,
} from "./message.ts";
import { createTransport, type DnsResponse, type Server, type Transport } from "./transport.ts";

export interface Recursor {
  /** An IP address: a name would have to be resolved first. */
  readonly address: string;
  readonly port: number;
}

export interface ResolverOptions {
  readonly clock: Clock;
  /** Queried in this order, the next one if one fails. */
  readonly recursors: readonly Recursor[];
  readonly authorityPort?: number;
  /** For tests and private networks: name servers may then have any address. */
  readonly allowPrivateAddresses?: boolean;
  /** The timeout of one packet or connection. */
  readonly attemptMs?: number;
  /** How often a server that does not respond is queried. */
  readonly attempts?: number;
}

const dnsPort = 53;
const attemptMsDefault = 2000;
const attemptsDefault = 2;
const atOnceMax = 256;
const waitingMax = 4096;
/** Finding a zone takes few, quick steps. After the time of this many queries, it is given up. */
const zoneQuestions = 3;

/**
 * A query ends within attemptMs × (attempts × servers + 1), including the time in the queue: 6 s for
 * `ask` and, with two recursors, 10 s for `lookUp`. `nameServers` takes at most six times as long as
 * `lookUp`.
 */
export function createResolver(options: ResolverOptions): Resolver & { close(): void } {
  const { clock, authorityPort = dnsPort, allowPrivateAddresses = false } = options;
  const { attemptMs = attemptMsDefault, attempts = attemptsDefault } = options;
  const recursors = options.recursors.map(titled);
  const questionMsMax = (servers: number) => attemptMs * (attempts * servers + 1);
  const transport = createTransport(clock);
  const questions = new Semaphore(atOnceMax, waitingMax);
  let closed = false;

  async function query(servers: readonly Server[], question: Question): Promise<LookUpResult> {
    if (!isAskable(question.name)) {
      return nothing(unreachable("malformed", `${question.name} cannot be asked for.`));
    }
    const limitMs = questionMsMax(servers.length);
    const endMs = clock.elapsed() + limitMs;
    const leftMs = () => (closed ? 0 : Math.min(attemptMs, endMs - clock.elapsed()));
    const ask = () =>
      queryInTurn(servers, attempts, (server) => attempt(transport, server, question, leftMs));
    return questions.run(ask, { clock, afterMs: limitMs }).catch((cause: unknown) => {
      if (!(cause instanceof SemaphoreFull)) throw cause;
      return nothing(unreachable("timeout", "Too many queries are in flight."));
    });
  }

  const look = (name: string, type: Question["type"]) =>
    query(recursors, { name: folded(name), type, recursive: true });

  return {
    lookUp: async (name, type) => (await look(name, type)).answer,

    async nameServers(name) {
      const endMs = clock.elapsed() + zoneQuestions * questionMsMax(recursors.length);
      const zone = await findZone(folded(name), look, () => closed || clock.elapsed() > endMs);
      if (zone.kind !== "zone") return zone;
      const servers = await findServers(zone, look, allowPrivateAddresses);
      if ("kind" in servers) return servers;
      return { kind: "found", zone: zone.name, servers };
    },

    async ask(server, name, type): Promise<DnsAnswer> {
      const address = canonicalAddress(server.address);
      if (address === undefined || !(allowPrivateAddresses || isPublicAddress(address))) {
        const detail = `${server.name} is at ${server.address}, which is no public address.`;
        return unreachable("forbidden_address", detail);
      }
      const title = `${server.name} (${address})`;
      const question = { name: folded(name), type, recursive: false };
      return (await query([{ address, port: authorityPort, title }], question)).answer;
    },

    close() {
      closed = true;
      transport.close();
    },
  };
}

/** Owners may read details, so a recursor is identified by its position, not by its address. */
function titled({ address, port }: Recursor, place: number): Server {
  if (isIP(address) === 0) throw new Error(`A recursor needs an IP address, and has ${address}.`);
  return { address, port, title: `Recursor ${place + 1}` };
}

const nothing = (answer: Unreachable): LookUpResult => ({ answer, zone: undefined });

const definite: ReadonlySet<Unreachable["reason"]> = new Set(["servfail", "bogus", "lame"]);

/** In rounds, until one server answers. One that fails definitely is not queried again. */
async function queryInTurn(
  servers: readonly Server[],
  rounds: number,
  ask: (server: Server) => Promise<LookUpResult>,
): Promise<LookUpResult> {
  let last = nothing(unreachable("servfail", "There is no recursor to ask."));
  const failed = new Set<Server>();
  // Says more than the silence of another.
  let bogus = false;
  for (let round = 0; round < rounds; round++) {
    for (const server of servers) {
      if (failed.has(server)) continue;
      const { answer, zone } = await ask(server);
      if (answer.kind !== "unreachable") return { answer, zone };
      if (!bogus) last = nothing(answer);
      bogus ||= answer.reason === "bogus";
      if (definite.has(answer.reason)) failed.add(server);
    }
  }
  return last;
}

/** One attempt: over UDP, without EDNS if necessary, and over TCP if the response was truncated. */
async function attempt(
  transport: Transport,
  server: Server,
  question: Question,
  leftMs: () => number,
): Promise<LookUpResult> {
  const send = async (extended: boolean): Promise<DnsResponse> => {
    const response = await transport.overUdp({ server, question, extended, limitMs: leftMs() });
    if (response.kind !== "received" || !response.message.truncated) return response;
    return transport.overTcp({ server, question, extended, limitMs: leftMs() });
  };
  let response = await send(true);
  if (response.kind === "received" && refusesExtension(response.message))
    response = await send(false);
  if (response.kind !== "received") return nothing(response);
  const { message } = response;
  if (question.recursive && !question.unchecked && message.rcode === rcodes.SERVFAIL) {
    // A failed validation is all the same SERVFAIL. Without it, there is an answer (RFC 4035,
    // section 4.7).
    const unchecked = () => attempt(transport, server, { ...question, unchecked: true }, leftMs);
    const told = message.extendedErrors.some((code) => code in dnssecErrors);
    if (told || (await unchecked()).answer.kind !== "unreachable") {
      return nothing(unreachable("bogus", bogusText(message, server.title)));
    }
  }
  return interpret(message, question, server.title);
}

/** Those of RFC 8914 that say what is wrong with the signatures. */
const dnssecErrors: Readonly<Record<number, string>> = {
  6: "they are bogus",
  7: "they have expired",
  8: "they are not valid yet",
  9: "no key of the zone matches its DS record",
  10: "there are none",
  11: "no key of the zone may sign it",
  12: "the proof that a name is absent is missing",
};

function bogusText({ extendedErrors }: Message, server: string): string {
  const reasons = extendedErrors.flatMap((code) => dnssecErrors[code] ?? []);
  const why = reasons.length > 0 ? `: ${reasons.join(", and ")}` : "";
  return `${server} cannot verify the signatures${why}.`;
}

/** The responses of servers without EDNS, or with another version of it (RFC 6891, section 7). */
function refusesExtension({ rcode }: Message): boolean {
  return rcode === rcodes.FORMERR || rcode === rcodes.NOTIMP || rcode === rcodes.BADVERS;
}

export type Look = (name: string, type: RecordType) => Promise<LookUpResult>;

const stepsMax = 16;
const serverNamesMax = 8;
const serversMax = 16;

export interface Zone {
  readonly kind: "zone";
  readonly name: string;
  readonly serverNames: readonly string[];
}

/** The zone of the name. `isLate` is called before each step. */
export async function findZone(
  name: string,
  look: Look,
  isLate: () => boolean,
): Promise<Zone | Absent | Unreachable> {
  let at = name;
  for (let step = 0; step < stepsMax && !isLate(); step++) {
    const { answer, zone } = await lookForServers(at, look);
    if (answer.kind === "unreachable") return answer;
    const serverNames = answer.kind === "found" ? serverNamesOf(at, answer.records) : [];
    if (serverNames.length > 0) return { kind: "zone", name: at, serverNames };
    const next = above(at, zone);
    if (next === undefined) {
      if (answer.kind === "absent") return answer;
      return unreachable("lame", `No zone was found for ${name}.`);
    }
    at = next;
  }
  return unreachable("timeout", `The zone of ${name} was not found in time.`);
}

/**
 * For NS, a recursor follows a CNAME, and fails if its target is a loop or has broken servers. The
 * zone of the CNAME itself can still be found, so the CNAME alone is queried then.
 */
async function lookForServers(name: string, look: Look): Promise<LookUpResult> {
  const servers = await look(name, "NS");
  if (servers.answer.kind !== "unreachable") return servers;
  const alias = await look(name, "CNAME");
  return alias.answer.kind === "found" ? alias : servers;
}

function serverNamesOf(zone: string, records: readonly DnsRecord[]): string[] {
  // Not those of a CNAME's target.
  const own = records.filter(({ name, type }) => type === "NS" && name === zone);
  // Sorted, because recursors shuffle them, and repeated look-ups should list the same servers.
  return [...new Set(own.map(({ value }) => value))].sort().slice(0, serverNamesMax);
}

/** The name to try next: the zone of the negative answer, or one label higher. */
function above(name: string, zone: string | undefined): string | undefined {
  if (zone === ".") return undefined;
  return zone !== undefined && zone !== name && isWithin(name, zone) ? zone : parentOf(name);
}

/** The IPv4 and IPv6 addresses of the zone's servers. */
export async function findServers(
  zone: Zone,
  look: Look,
  allowPrivateAddresses: boolean,
): Promise<readonly NameServer[] | Unreachable> {
  const looked = await Promise.all(
    zone.serverNames.map(async (name) => {
      const both = await Promise.all([look(name, "A"), look(name, "AAAA")]);
      return { name, answers: both.map(({ answer }) => answer) };
    }),
  );
  const addressesByName = looked.map(({ name, answers }) => ({
    name,
    addresses: answers
      .flatMap((answer) => (answer.kind === "found" ? answer.records : []))
      .filter(({ type }) => type === "A" || type === "AAAA")
      .map(({ value }) => value),
  }));
  const all = inTurns(addressesByName);
  const allowed = all.filter(({ address }) => allowPrivateAddresses || isPublicAddress(address));
  if (allowed.length > 0) return allowed.slice(0, serversMax);
  const failed = looked
    .flatMap(({ answers }) => answers)
    .find((answer) => answer.kind === "unreachable");
  if (all.length > 0) {
    return unreachable("forbidden_address", `${zone.name} has only private name servers.`);
  }
  const detail = `No name server of ${zone.name} has an address.`;
  return failed ?? unreachable("lame", detail);
}

/** The first address of each name, then the second, so that one name cannot crowd out the others. */
function inTurns(
  byName: readonly { readonly name: string; readonly addresses: readonly string[] }[],
): NameServer[] {
  const rounds = Math.max(0, ...byName.map(({ addresses }) => addresses.length));
  const servers = new Map<string, NameServer>();
  for (let round = 0; round < rounds; round++) {
    for (const { name, addresses } of byName) {
      const address = addresses[round];
      if (address !== undefined && !servers.has(address)) servers.set(address, { name, address });
    }
  }
  return [...servers.values()];
}
