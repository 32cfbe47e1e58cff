/** Looks at this machine, its names and its certificate authority, for the checks of the setup. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeSync,
} from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { dirname, join, resolve } from "node:path";
import type { Config } from "../config/config.ts";
import {
  type AuthorityConfig,
  type DomainsConfig,
  interfaceAddresses,
} from "../config/domainsConfig.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { canonicalAddress } from "../core/networks.ts";
import { AcmeError } from "../hosting/acme/acmeError.ts";
import { AcmeClient } from "../hosting/acme/client.ts";
import { recursorsOfSystem } from "../hosting/dns/addresses.ts";
import { createResolver } from "../hosting/dns/resolver.ts";
import { checkCaa } from "../hosting/domains/caa.ts";
import type { DnsAnswer, Resolver } from "../hosting/domains/resolver.ts";
import {
  type AuthorityObservation,
  type DatabaseObservation,
  type DiskObservation,
  type DomainsObservation,
  judgeSetup,
  type NameObservation,
  type PortObservation,
  type Reached,
  type SetupObservation,
} from "../hosting/domains/setupChecks.ts";
import { challengePrefix, noChallenge } from "../hosting/edge/requestHandler.ts";
import { newTarget } from "../hosting/sites/siteAddress.ts";
import type { Stores, StoreVersion } from "../storage/stores.ts";
import { connectionsPossible } from "../wire/limits.ts";
import { localProxyHeader } from "../wire/proxyProtocol.ts";

export interface SetupParts {
  readonly config: Config;
  readonly clock: Clock;
  /** Undefined for a service that runs: it has opened its store already. */
  readonly store?: StoreToLookAt;
  /** Whether the edge of this very process listens. Others may have its ports where it does not. */
  readonly edgeListens?: boolean;
  /** Ends it early, with whatever was seen. */
  readonly signal?: AbortSignal;
}

interface StoreToLookAt {
  readonly path: string;
  version(): Promise<StoreVersion>;
  /** Says to people why it cannot be read. */
  explain(cause: unknown): string;
}

const requestMsMax = 10_000;
const reachMsMax = 3_000;
const receivedBytesMax = 4_096;
/** That are connected to, of one name. */
const addressesMax = 8;

/** Nothing that it finds is thrown, and nothing that it tries is left behind. */
export async function observeSetup(parts: SetupParts): Promise<SetupObservation> {
  const { config, clock } = parts;
  const [domains, database] = await Promise.all([
    config.domains && observeDomains(parts, config.domains),
    parts.store && observeDatabase(parts.store),
  ]);
  const disk = observeDisk(resolve(join(config.dataFolder, config.environment)), clock);
  return { domains, database, disk, connectionsPossible: connectionsPossible() };
}

interface ReportParts extends Pick<SetupParts, "config" | "clock" | "edgeListens"> {
  readonly log: Log;
  readonly stores: Stores;
  readonly signal: AbortSignal;
}

/** For a service that listens: as long as its own name has no certificate, each problem is logged. */
export async function reportProblems({ log, stores, ...parts }: ReportParts): Promise<void> {
  const host = parts.config.domains?.ownName;
  if (host === undefined || (await stores.edgeView.certificate(host)) !== undefined) return;
  const checks = judgeSetup(await observeSetup(parts));
  if (parts.signal.aborted) return;
  const problems = checks.filter(({ verdict }) => verdict === "problem");
  for (const { check, subject, seen, next } of problems) {
    log.warn("setup.problem_detected", { check, subject, seen, next });
  }
  log.info("setup.checked", { host, problems: problems.length });
}

async function observeDomains(
  parts: SetupParts,
  domains: DomainsConfig,
): Promise<DomainsObservation> {
  const { config, clock } = parts;
  const { dns, acme } = domains;
  const asking = acme.authorities.map((each) => askAuthority(each, acme.trustFile, parts));
  const asked = await Promise.all(asking);
  const known = asked.flatMap(({ caaIdentities }) => caaIdentities ?? []);
  // If one of them does not say, it may be permitted.
  const identities = asked.every(({ caaIdentities }) => caaIdentities) ? known : undefined;
  const authorities = asked.map(({ authority }) => authority);
  const resolver = createResolver({
    clock,
    recursors: dns.recursors ?? recursorsOfSystem(),
    authorityPort: dns.authorityPort,
    allowPrivateAddresses: dns.privateAddresses,
  });
  if (parts.signal?.aborted) resolver.close();
  parts.signal?.addEventListener("abort", () => resolver.close());
  const looked = await Promise.all(
    namesIn(domains, clock).map((name) => lookUp(name, identities, resolver)),
  ).finally(() => resolver.close());
  // Last of all: meanwhile nobody else can listen there.
  const ports = config.roles.includes("edge") ? await tryPorts(parts, domains) : [];
  // Where a load balancer speaks the PROXY protocol, the addresses are its own.
  const dialled = config.proxyProtocol.includes("edge") ? [] : ports;
  const names = await Promise.all(
    looked.map(async ({ asked, ...name }) => ({
      ...name,
      reached: await reachEach({ ...name, asked }, dialled, parts),
    })),
  );
  for (const { server } of ports) server?.close();
  const ownAddresses = interfaceAddresses().flatMap((each) => canonicalAddress(each) ?? []);
  return {
    names,
    ownAddresses,
    ports: ports.map(({ seen }) => seen),
    authorities,
    fallbackNeedsContact: acme.fallbackNeedsContact,
  };
}

interface NameToLookUp {
  readonly host: string;
  /** For a wildcard, a name that only it can answer for. */
  readonly asked: string;
  /** What the authority is asked to certify; undefined for nothing. */
  readonly certified: string | undefined;
}

/** Domains point to random names below the target, and sites are shown below it. */
function namesIn({ ownName, target, sites }: DomainsConfig, clock: Clock): readonly NameToLookUp[] {
  const own = ownName === undefined ? [] : [{ host: ownName, asked: ownName, certified: ownName }];
  const [host, asked] = [`*.${target}`, newTarget(target, clock)];
  const certified = { wildcard: host, each: asked, file: undefined };
  return [...own, { host, asked, certified: sites && certified[sites.certificates.kind] }];
}

interface LookedUp extends Omit<NameObservation, "reached"> {
  readonly asked: string;
}

async function lookUp(
  { host, asked, certified }: NameToLookUp,
  identities: readonly string[] | undefined,
  resolver: Resolver,
): Promise<LookedUp> {
  const [a, aaaa, caa] = await Promise.all([
    resolver.lookUp(asked, "A"),
    resolver.lookUp(asked, "AAAA"),
    identities && certified ? checkCaa(certified, identities, resolver) : undefined,
  ]);
  return { host, asked, a, aaaa, caa };
}

function reachEach({ asked, a, aaaa }: LookedUp, ports: readonly TriedPort[], parts: SetupParts) {
  const open = ports.filter(({ seen }) => seen.state === "free" || seen.state === "ours");
  return Promise.all(
    [a, aaaa]
      .flatMap(addressesIn)
      .slice(0, addressesMax)
      .flatMap((address) =>
        open.map(async ({ publicPort: port, ...tried }): Promise<Reached> => {
          const by = await reach({ ...tried, address, port, host: asked }, parts);
          return { address, port, by };
        }),
      ),
  );
}

function addressesIn(answer: DnsAnswer): string[] {
  if (answer.kind !== "found") return [];
  return answer.records.filter(({ type }) => type !== "CNAME").map(({ value }) => value);
}

/** A port of the edge, and what answers on it for as long as the observation takes. */
interface TriedPort {
  readonly seen: PortObservation;
  /** Where it is reached from outside. */
  readonly publicPort: number;
  readonly secured: boolean;
  /** What is heard there where it is this machine. */
  readonly sign: string;
  readonly server: Server | undefined;
}

async function tryPorts(parts: SetupParts, { edge }: DomainsConfig): Promise<TriedPort[]> {
  const usual = edge.publicHttpsPort === 443;
  const http = await tryPort(parts, edge, {
    port: edge.httpPort,
    setting: "PETSTORE_EDGE_HTTP_PORT",
    publicPort: usual ? 80 : edge.httpPort,
    secured: false,
  });
  const https = await tryPort(parts, edge, {
    port: edge.httpsPort,
    setting: "PETSTORE_EDGE_HTTPS_PORT",
    publicPort: edge.publicHttpsPort,
    secured: true,
  });
  // One process has both.
  const ours = http.seen.state === "ours" && https.seen.state === "taken";
  return [http, ours ? { ...https, seen: { ...https.seen, state: "ours" } } : https];
}

async function tryPort(
  parts: SetupParts,
  edge: DomainsConfig["edge"],
  {
    port,
    setting,
    publicPort,
    secured,
  }: Pick<PortObservation, "port" | "setting"> & Pick<TriedPort, "publicPort" | "secured">,
): Promise<TriedPort> {
  const { clock, config, edgeListens } = parts;
  const { host } = edge;
  const tried = (state: PortObservation["state"], sign = noChallenge, server?: Server) => ({
    seen: { port, setting, host, state },
    publicPort,
    secured,
    sign,
    server,
  });
  if (edgeListens) return tried("ours");
  const sign = Buffer.from(clock.random(16)).toString("hex");
  // Said before anything is asked, so that it is heard where TLS is expected, too.
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${sign.length}\r\n\r\n${sign}`);
  });
  const code = await new Promise<string | undefined>((done) => {
    server.once("error", (cause: NodeJS.ErrnoException) => done(cause.code ?? cause.message));
    server.listen(port, host, () => done(undefined));
  });
  if (code === undefined) return tried("free", sign, server);
  if (code === "EACCES" || code === "EPERM") return tried("forbidden");
  if (code !== "EADDRINUSE") return tried("no_address");
  const preface = config.proxyProtocol.includes("edge") ? localProxyHeader : new Uint8Array();
  const request = { ...tried("taken"), address: edge.address, port, host: "localhost", preface };
  return tried(!secured && (await reach(request, parts)) === "us" ? "ours" : "taken");
}

interface Dialled extends Pick<TriedPort, "secured" | "sign" | "server"> {
  readonly address: string;
  readonly port: number;
  readonly host: string;
  readonly preface?: Uint8Array;
}

/** Connects as the authority and visitors would. */
function reach(dialled: Dialled, { clock, signal }: SetupParts): Promise<Reached["by"]> {
  const { address, port, host, secured, sign, server, preface = new Uint8Array() } = dialled;
  return new Promise((resolve) => {
    const socket = connect(port, address);
    const settle = (by: Reached["by"]) => {
      cancel();
      socket.destroy();
      resolve(by);
    };
    const giveUp = () => settle("silence");
    const cancel = clock.after(reachMsMax, giveUp);
    signal?.addEventListener("abort", giveUp);
    let received = "";
    socket.on("connect", () => {
      // An edge that runs says nothing before a handshake, which shows no more than that it is there.
      if (secured && server === undefined) return settle("us");
      const path = `${challengePrefix}petstore-doctor`;
      if (!secured) {
        socket.write(preface);
        socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
      }
    });
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      if (received.includes(sign)) settle("us");
      else if (received.length > receivedBytesMax) settle("another");
    });
    socket.on("error", ({ code }: NodeJS.ErrnoException) =>
      settle(code === "ECONNREFUSED" ? "refused" : received === "" ? "silence" : "another"),
    );
    socket.on("close", () => settle("another"));
  });
}

async function observeDatabase({
  path,
  version: versionOf,
  explain,
}: StoreToLookAt): Promise<DatabaseObservation> {
  try {
    const { version, latest } = await versionOf();
    if (version === undefined) return { kind: "none", path };
    return { kind: "found", path, pendingMigrations: latest - version };
  } catch (cause) {
    return { kind: "failed", path, reason: explain(cause) };
  }
}

async function askAuthority(
  { prefix, name, directory, externalAccount, caaIdentities }: AuthorityConfig,
  trustFile: string | undefined,
  { clock, signal }: SetupParts,
) {
  try {
    const trustPem = trustFile === undefined ? undefined : readFileSync(trustFile, "utf8");
    const client = new AcmeClient(directory, { clock, requestMsMax, trustPem });
    const startedMs = clock.elapsed();
    const response = await client.get(directory, signal);
    const tookMs = clock.elapsed() - startedMs;
    const saidMs = Date.parse(response.header("date") ?? "");
    // It says whole seconds, and said them on the way.
    const aheadMs = saidMs + 500 - (clock.now() - tookMs / 2);
    const { externalAccountRequired, caaIdentities: said } = await client.directory();
    const authority: AuthorityObservation = {
      kind: "answered",
      prefix,
      name,
      tookMs,
      aheadMs: Number.isNaN(aheadMs) ? undefined : aheadMs,
      externalAccountMissing: externalAccountRequired && externalAccount === undefined,
      accountByEmail: externalAccount !== undefined && "madeAt" in externalAccount,
    };
    return { authority, caaIdentities: caaIdentities ?? said };
  } catch (cause) {
    const detail = cause instanceof AcmeError ? cause.refusal.detail : (cause as Error).message;
    return { authority: { kind: "failed", prefix, name, detail } as const, caaIdentities };
  }
}

/** In the folder, or the nearest above it that is there. */
function observeDisk(wanted: string, clock: Clock): DiskObservation {
  let folder = wanted;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  const [refused, syncMs] = folder === wanted ? trySync(folder, clock) : tryAccess(folder);
  return { folder: wanted, freeBytes: freeBytesIn(folder), refused, syncMs };
}

type Tried = readonly [refused: string | undefined, syncMs: number | undefined];

function trySync(folder: string, clock: Clock): Tried {
  const file = join(folder, `doctor-${Buffer.from(clock.random(8)).toString("hex")}`);
  const startedMs = clock.elapsed();
  try {
    const descriptor = openSync(file, "wx", 0o600);
    try {
      writeSync(descriptor, "petstore doctor\n");
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
      rmSync(file);
    }
    return [undefined, clock.elapsed() - startedMs];
  } catch (cause) {
    return [(cause as NodeJS.ErrnoException).code ?? String(cause), undefined];
  }
}

function tryAccess(folder: string): Tried {
  try {
    accessSync(folder, constants.W_OK);
    return [undefined, undefined];
  } catch (cause) {
    return [(cause as NodeJS.ErrnoException).code ?? String(cause), undefined];
  }
}

function freeBytesIn(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
