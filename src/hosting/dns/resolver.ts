import { isIP } from "node:net";
import type { Clock } from "../../core/clock.ts";
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
import { canonicalAddress, isPublicAddress } from "./addresses.ts";
import { type Learnt, learn } from "./answer.ts";
import {
  folded,
  isAskable,
  isWithin,
  type Message,
  parentOf,
  type Question,
  rcodes,
} from "./message.ts";
import { createTransport, type Heard, type Server, type Transport } from "./transport.ts";

export interface Recursor {
  /** An IP address: a name would have to be looked up first. */
  readonly address: string;
  readonly port: number;
}

export interface ResolverOptions {
  readonly clock: Clock;
  /** Asked in this order, the next when one fails. */
  readonly recursors: readonly Recursor[];
  readonly authorityPort?: number;
  /** For tests and closed networks: zones may then send us anywhere. */
  readonly allowPrivateAddresses?: boolean;
  /** For how long one packet or connection is waited for. */
  readonly attemptMs?: number;
  /** How often a server that stays silent is asked. */
  readonly attempts?: number;
}

const dnsPort = 53;
const attemptMsDefault = 2000;
const attemptsDefault = 2;
const atOnceMax = 256;
const waitingMax = 4096;
/** Steps towards a zone are few and quick. Past this many questions' time, no new one is taken. */
const zoneQuestions = 3;

/**
 * A question ends within attemptMs × (attempts × servers + 1), the time in line included: 6 s for
 * `ask` and, with two recursors, 10 s for `lookUp`. `nameServers` ends within six times as long as
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

  async function inquire(servers: readonly Server[], question: Question): Promise<Learnt> {
    if (!isAskable(question.name)) {
      return nothing(unreachable("malformed", `${question.name} cannot be asked for.`));
    }
    const limitMs = questionMsMax(servers.length);
    const endMs = clock.elapsed() + limitMs;
    const leftMs = () => (closed ? 0 : Math.min(attemptMs, endMs - clock.elapsed()));
    const ask = () =>
      askInTurn(servers, attempts, (server) => converse(transport, server, question, leftMs));
    return questions.run(ask, { clock, afterMs: limitMs }).catch((cause: unknown) => {
      if (!(cause instanceof SemaphoreFull)) throw cause;
      return nothing(unreachable("timeout", "Too many questions are under way."));
    });
  }

  const look = (name: string, type: Question["type"]) =>
    inquire(recursors, { name: folded(name), type, recursive: true });

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
      return (await inquire([{ address, port: authorityPort, title }], question)).answer;
    },

    close() {
      closed = true;
      transport.close();
    },
  };
}

/** Owners may read details, so a recursor goes by its place in the list, not by its address. */
function titled({ address, port }: Recursor, place: number): Server {
  if (isIP(address) === 0) throw new Error(`A recursor needs an IP address, and has ${address}.`);
  return { address, port, title: `Recursor ${place + 1}` };
}

const nothing = (answer: Unreachable): Learnt => ({ answer, zone: undefined });

/** Round by round, until one server knows. One that has failed outright is not asked again. */
async function askInTurn(
  servers: readonly Server[],
  rounds: number,
  ask: (server: Server) => Promise<Learnt>,
): Promise<Learnt> {
  let last = nothing(unreachable("servfail", "There is no recursor to ask."));
  const failed = new Set<Server>();
  for (let round = 0; round < rounds; round++) {
    for (const server of servers) {
      if (failed.has(server)) continue;
      last = await ask(server);
      if (last.answer.kind !== "unreachable") return last;
      const { reason } = last.answer;
      if (reason === "servfail" || reason === "lame") failed.add(server);
    }
  }
  return last;
}

/** One attempt: over UDP, without EDNS if need be, and over TCP where the answer did not fit. */
async function converse(
  transport: Transport,
  server: Server,
  question: Question,
  leftMs: () => number,
): Promise<Learnt> {
  const send = async (extended: boolean): Promise<Heard> => {
    const heard = await transport.overUdp({ server, question, extended, limitMs: leftMs() });
    if (heard.kind !== "heard" || !heard.message.truncated) return heard;
    return transport.overTcp({ server, question, extended, limitMs: leftMs() });
  };
  let heard = await send(true);
  if (heard.kind === "heard" && refusesExtension(heard.message)) heard = await send(false);
  return heard.kind === "heard" ? learn(heard.message, question, server.title) : nothing(heard);
}

/** How servers from before EDNS, or of another version of it, say so (RFC 6891, section 7). */
function refusesExtension({ rcode }: Message): boolean {
  return rcode === rcodes.FORMERR || rcode === rcodes.NOTIMP || rcode === rcodes.BADVERS;
}

export type Look = (name: string, type: RecordType) => Promise<Learnt>;

const stepsMax = 16;
const serverNamesMax = 8;
const serversMax = 16;

export interface Zone {
  readonly kind: "zone";
  readonly name: string;
  readonly serverNames: readonly string[];
}

/** The zone that holds the name. `isLate` is asked before each step. */
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
 * A recursor follows a CNAME here, and fails where its target goes round in a circle or has broken
 * servers. That is no reason to lose the zone that holds the CNAME, so it is asked for that alone.
 */
async function lookForServers(name: string, look: Look): Promise<Learnt> {
  const servers = await look(name, "NS");
  if (servers.answer.kind !== "unreachable") return servers;
  const alias = await look(name, "CNAME");
  return alias.answer.kind === "found" ? alias : servers;
}

function serverNamesOf(zone: string, records: readonly DnsRecord[]): string[] {
  // Those of a CNAME's target speak for the target.
  const own = records.filter(({ name, type }) => type === "NS" && name === zone);
  // Recursors shuffle them; whoever reads two answers should see the same servers.
  return [...new Set(own.map(({ value }) => value))].sort().slice(0, serverNamesMax);
}

/** Where to ask next: straight at the zone that said no, or one label higher. */
function above(name: string, zone: string | undefined): string | undefined {
  if (zone === ".") return undefined;
  return zone !== undefined && zone !== name && isWithin(name, zone) ? zone : parentOf(name);
}

/** Where the zone's servers are, in both families. */
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
