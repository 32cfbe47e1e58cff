/**
 * All real parts at once: name servers, a recursor and a certificate authority, on loopback
 * addresses and ports of their own, so that several test beds stand beside each other.
 */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Answer } from "dns-packet";
import { freePort, freePorts } from "../freePorts.ts";
import { type CaProxy, startCaProxy } from "./caProxy.ts";
import { startKnot } from "./knot.ts";
import type { NameServer } from "./nameServer.ts";
import { type Pebble, type PebbleOptions, startPebble } from "./pebble.ts";
import { startPowerDns } from "./powerdns.ts";
import { type Mode, type SilentServer, startSilentServer } from "./silentServer.ts";
import { startUnbound, type Unbound } from "./unbound.ts";
import { bareName, type ZoneContent } from "./zoneText.ts";

export interface TestBedOptions {
  readonly certificateValiditySeconds?: number;
  readonly nonceRejectPercent?: number;
  /** Gives the platform's target an AAAA record of ::1 as well. */
  readonly ipv6?: boolean;
  readonly cacheMaxTtl?: number;
}

export interface ZoneOptions extends Omit<ZoneContent, "nameServers"> {
  /** Who serves it; knot A if it is not said. */
  readonly servers?: readonly NameServer[];
  /** Further name servers that its NS records name: some that misbehave, or that are not there. */
  readonly furtherServers?: readonly { readonly address: string }[];
  /** Whom the recursor asks; all of the above if it is not said. */
  readonly recursorAsks?: readonly { readonly address: string }[];
}

export interface TestBedZone {
  readonly name: string;
  /** Replaces the records on every server of the zone. What the recursor remembers stays. */
  set(records: string): Promise<void>;
  /** Replaces them on one server only, so that the servers disagree. */
  setOn(server: NameServer, records: string): Promise<void>;
  /** The zone is gone, as if its name had never been bought. */
  remove(): Promise<void>;
}

export interface TestBed {
  /** The port that every name server listens on. */
  readonly dnsPort: number;
  /** `127.53.7.53:15300` */
  readonly recursor: string;
  readonly acmeDirectory: string;
  /** A PEM file: whom to trust when talking to the directory. */
  readonly acmeTrustFile: string;
  /** What certificates lead to: a PEM for those who visit a domain. */
  caRoots(): Promise<string>;
  /** Where the CA expects the edge to answer HTTP-01, on the address of the target. */
  readonly httpPort: number;
  /** Where it expects TLS-ALPN-01, and visitors expect the site. */
  readonly httpsPort: number;
  /** The host of the sites. In the records of a zone, it stands for the target that a domain will have. */
  readonly target: string;
  readonly platform: TestBedZone;
  readonly knotA: NameServer;
  readonly knotB: NameServer;
  readonly powerDns: NameServer;
  readonly unbound: Unbound;
  readonly pebble: Pebble;
  readonly ca: CaProxy;
  /** Puts the target of a domain where its records name the host of the sites, and has it looked up anew. */
  point(host: string, to: string): Promise<void>;
  /** Makes a zone and tells the recursor of it. */
  zone(name: string, options?: ZoneOptions): Promise<TestBedZone>;
  /** The recursor forgets the name and all below it, or everything. */
  flush(name?: string): Promise<void>;
  /** A name server on an address of its own that misbehaves. */
  silentServer(mode: Mode, records?: readonly Answer[]): Promise<SilentServer>;
  /** An address of the test bed on which nothing listens. */
  unusedAddress(): string;
  stop(): Promise<void>;
}

const target = "sites.platform.test";

// Enough of a root that a look-up of a parent finds a name without records, and not no name.
const topLevels = ["test", "example", "com", "net", "org"];
const root: ZoneContent = {
  records: topLevels.map((name) => `${name}. TXT "a top-level domain"`).join("\n"),
};

/** Sees to it that whatever has started is stopped with the test bed. */
type Keep = <Part extends { stop(): Promise<void> }>(starting: Promise<Part>) => Promise<Part>;

export async function startTestBed(options: TestBedOptions = {}): Promise<TestBed> {
  const folder = mkdtempSync(join(tmpdir(), "bed-"));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", removeFolder);
  const parts: Promise<{ stop(): Promise<void> }>[] = [];

  async function stop(): Promise<void> {
    await Promise.allSettled(parts.splice(0).map(async (part) => (await part).stop()));
    removeFolder();
    process.off("exit", removeFolder);
  }

  const keep: Keep = (starting) => {
    parts.push(starting);
    return starting;
  };

  try {
    return { ...(await putTogether(options, folder, keep)), stop };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

async function putTogether(
  options: TestBedOptions,
  folder: string,
  keep: Keep,
): Promise<Omit<TestBed, "stop">> {
  const block = loopbackBlock();
  const [a, b, alias, recursing] = [`${block}.1`, `${block}.2`, `${block}.3`, `${block}.53`];
  const dnsPort = await freePort([a, b, alias, recursing]);
  const edges = options.ipv6 ? ["127.0.0.1", "::1"] : ["127.0.0.1"];
  const [httpPort = 0, httpsPort = 0] = await freePorts(2, edges);
  const recursor = `${recursing}:${dnsPort}`;
  const place = (name: string, address: string) => {
    mkdirSync(join(folder, name));
    return { folder: join(folder, name), address, port: dnsPort };
  };

  const [knotA, knotB, powerDns, unbound, { pebble, ca }] = await Promise.all([
    keep(startKnot({ ...place("a", a), zones: { ".": root } })),
    keep(startKnot(place("b", b))),
    keep(startPowerDns({ ...place("p", alias), resolver: recursor })),
    keep(startUnbound({ ...place("u", recursing), root: `${a}@${dnsPort}`, ...cacheOf(options) })),
    keep(
      startCa(options, { ...place("ca", ""), dnsServer: recursor, httpPort, tlsPort: httpsPort }),
    ),
  ]);

  const make = zoneMaker(knotA, unbound);
  const zones: PointedZone[] = [];
  const zone: TestBed["zone"] = async (...made) => {
    zones.push(await make(...made));
    return zones.at(-1) as PointedZone;
  };
  let addresses = 100;
  const unusedAddress = () => `${block}.${addresses++}`;

  return {
    dnsPort,
    recursor,
    acmeDirectory: ca.directory,
    acmeTrustFile: pebble.certificate.file,
    caRoots: pebble.root,
    httpPort,
    httpsPort,
    target,
    platform: await zone("platform.test", { records: platformRecords(options) }),
    knotA,
    knotB,
    powerDns,
    unbound,
    pebble,
    ca,
    zone,
    async point(host, to) {
      await zones.findLast(({ name }) => `.${host}`.endsWith(`.${name}`))?.point(host, to);
      await unbound.flush(host);
    },
    flush: unbound.flush,
    silentServer: (mode, records = []) =>
      keep(startSilentServer({ address: unusedAddress(), port: dnsPort, mode, records })),
    unusedAddress,
  };
}

interface PointedZone extends TestBedZone {
  point(host: string, to: string): Promise<void>;
}

type MakeZone = (...made: Parameters<TestBed["zone"]>) => Promise<PointedZone>;

function zoneMaker(usual: NameServer, unbound: Unbound): MakeZone {
  return async (name, options = {}) => {
    const { servers = [usual], furtherServers = [], recursorAsks, ...content } = options;
    const named = [...servers, ...furtherServers];
    const nameServers = Object.fromEntries(
      named.map(({ address }, index) => [`ns${index + 1}`, address]),
    );
    const asked = (recursorAsks ?? named).map(({ address }) => `${address}@${unbound.port}`);
    const onEach = async (work: (server: NameServer) => Promise<void>) =>
      void (await Promise.all(servers.map(work)));
    await onEach((server) => server.setZone(name, { ...content, nameServers }));
    await unbound.setStub(name, asked);
    const zone = bareName(name);
    const targets = new Map<string, string>();
    let written = content.records ?? "";
    let writing = Promise.resolve();
    // One after the other, so that the last one stays.
    const set = (records: string) => {
      written = records;
      writing = writing.then(() =>
        onEach((server) => server.setRecords(name, withTargets(written, targets))),
      );
      return writing;
    };
    return {
      name: zone,
      set,
      setOn: (server, records) => server.setRecords(name, withTargets(records, targets)),
      point(host, to) {
        targets.set(host === zone ? "@" : host.slice(0, -zone.length - 1), to);
        return set(written);
      },
      async remove() {
        await onEach((server) => server.removeZone(name));
        await unbound.removeStub(name);
      },
    };
  };
}

/** A wildcard gets the target of the last domain, and an apex the record that proves whose it is. */
function withTargets(records: string, targets: ReadonlyMap<string, string>): string {
  const targetIn = (line: string) => {
    const [label = ""] = line.trim().split(" ");
    return targets.get(label) ?? (label === "*" ? [...targets.values()].at(-1) : undefined);
  };
  const apex = targets.get("@");
  const proof = apex === undefined ? [] : [`_petstore-proof TXT "petstore-proof=${apex}"`];
  const lines = records
    .split("\n")
    .map((line) =>
      line.replace(/ sites\.platform\.test(?=\.?$)/, (all) => ` ${targetIn(line) ?? all.trim()}`),
    );
  return [...lines, ...proof].join("\n");
}

interface Authority {
  readonly pebble: Pebble;
  readonly ca: CaProxy;
  stop(): Promise<void>;
}

async function startCa(
  options: TestBedOptions,
  where: Pick<PebbleOptions, "folder" | "dnsServer" | "httpPort" | "tlsPort">,
): Promise<Authority> {
  const { certificateValiditySeconds, nonceRejectPercent } = options;
  const pebble = await startPebble({
    ...where,
    ...(certificateValiditySeconds === undefined ? {} : { certificateValiditySeconds }),
    ...(nonceRejectPercent === undefined ? {} : { nonceRejectPercent }),
  });
  try {
    const ca = await startCaProxy({ upstream: pebble.base, certificate: pebble.certificate });
    return { pebble, ca, stop: async () => void (await Promise.all([ca.stop(), pebble.stop()])) };
  } catch (cause) {
    await pebble.stop();
    throw cause;
  }
}

const cacheOf = ({ cacheMaxTtl }: TestBedOptions) =>
  cacheMaxTtl === undefined ? {} : { cacheMaxTtl };

const platformRecords = ({ ipv6 = false }: TestBedOptions) =>
  ["sites", "*.sites"]
    .flatMap((name) => [`${name} A 127.0.0.1`, ...(ipv6 ? [`${name} AAAA ::1`] : [])])
    .join("\n");

// Every test bed listens on addresses of its own, so that two of them never meet even if both choose the
// same port at the same instant: the name servers share ports and would not complain.
function loopbackBlock(): string {
  return `127.53.${1 + Math.floor(Math.random() * 254)}`;
}
