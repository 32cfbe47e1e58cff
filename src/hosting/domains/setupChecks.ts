/** Evaluates from observations whether a machine can be reached by its names. */
import type { CaaVerdict } from "./caa.ts";
import { withoutAddress } from "./finding.ts";
import type { DnsAnswer } from "./resolver.ts";

export interface SetupCheck {
  readonly check:
    | "dns"
    | "caa"
    | "port"
    | "authority"
    | "clock"
    | "database"
    | "disk"
    | "files"
    | "mail";
  /** The name or the port that it is about, if there are several. */
  readonly subject?: string;
  readonly verdict: "ok" | "warning" | "problem";
  /** What was observed, in one sentence or two. */
  readonly seen: string;
  /** What to do about it. */
  readonly next?: string;
}

export interface SetupObservation {
  /** Undefined if no name is set. */
  readonly domains: DomainsObservation | undefined;
  /** Undefined if the service is running on it. */
  readonly database: DatabaseObservation | undefined;
  readonly disk: DiskObservation;
  /** How many connections the limit on open files allows. */
  readonly connectionsPossible: number;
}

export interface DomainsObservation {
  readonly names: readonly NameObservation[];
  /** Every address of this machine. */
  readonly ownAddresses: readonly string[];
  readonly ports: readonly PortObservation[];
  /** The preferred one first. */
  readonly authorities: readonly AuthorityObservation[];
  /** Whether there would be a second one if there were a contact address. */
  readonly fallbackNeedsContact: boolean;
}

export interface NameObservation {
  readonly host: string;
  /** As a recursor resolves it. */
  readonly a: DnsAnswer;
  readonly aaaa: DnsAnswer;
  /** Undefined if no certificate is ordered, or the authority's name in CAA records is unknown. */
  readonly caa: CaaVerdict | undefined;
  /** Empty if this machine does not listen, or another one accepts its connections. */
  readonly reached: readonly Reached[];
}

export interface Reached {
  readonly address: string;
  readonly port: number;
  /** This service, another server, a refused connection, or a timeout. */
  readonly by: "us" | "another" | "refused" | "silence";
}

export interface PortObservation {
  readonly port: number;
  /** The name of its setting. */
  readonly setting: string;
  readonly host: string;
  readonly state: "free" | "ours" | "taken" | "forbidden" | "no_address";
}

export type AuthorityObservation = {
  /** How the names of its settings begin. */
  readonly prefix: string;
  /** Its directory, after what people call it. */
  readonly name: string;
} & (
  | {
      readonly kind: "answered";
      readonly tookMs: number;
      /** How far its clock is ahead of ours; undefined if it sends no date. */
      readonly aheadMs: number | undefined;
      /** It makes accounts only for those that have one elsewhere, and none is set. */
      readonly externalAccountMissing: boolean;
      /** It makes an account for the contact address with the first order. */
      readonly accountByEmail: boolean;
    }
  | { readonly kind: "failed"; readonly detail: string }
);

export type DatabaseObservation =
  | { readonly kind: "found"; readonly path: string; readonly pendingMigrations: number }
  | { readonly kind: "none"; readonly path: string }
  | { readonly kind: "failed"; readonly path: string; readonly reason: string };

export interface DiskObservation {
  readonly folder: string;
  /** Undefined if the system does not report it. */
  readonly freeBytes: number | undefined;
  /** The error code of a failed write or sync. */
  readonly refused: string | undefined;
  /** How long a small write and its sync took; undefined if none was tried. */
  readonly syncMs: number | undefined;
}

const mib = 1024 ** 2;
/** Below this, the next deployment or backup may fill the disk; a database needs room to write at all. */
const freeBytesWarning = 1024 * mib;
const freeBytesMin = 64 * mib;
/** Each write waits for the disk. A healthy one takes well under a tenth of this. */
const syncMsWarning = 200;
/** Authorities and browsers tolerate little more: certificates are valid from the minute of issue. */
const aheadMsWarning = 30_000;
const aheadMsMax = 300_000;
const tookMsWarning = 5_000;
const connectionsWarning = 1_000;
const connectionsMin = 64;

export function judgeSetup(seen: SetupObservation): readonly SetupCheck[] {
  const { domains } = seen;
  return [
    ...(domains === undefined ? [] : judgeDomains(domains)),
    ...(seen.database === undefined ? [] : [judgeDatabase(seen.database)]),
    judgeDisk(seen.disk),
    judgeFiles(seen.connectionsPossible),
  ];
}

function judgeDomains(domains: DomainsObservation): SetupCheck[] {
  return [
    ...domains.names.flatMap((name) => [
      judgeName(name, domains),
      ...(name.caa === undefined ? [] : [judgeCaa(name.host, name.caa)]),
    ]),
    ...domains.ports.map(judgePort),
    ...domains.authorities.map(judgeAuthority),
    ...(domains.fallbackNeedsContact ? [fallbackMissing] : []),
    ...judgeClock(domains.authorities),
  ];
}

function judgeName(name: NameObservation, domains: DomainsObservation): SetupCheck {
  const about = { check: "dns", subject: name.host } as const;
  const addresses = [...addressesIn(name.a, "A"), ...addressesIn(name.aaaa, "AAAA")];
  if (addresses.length === 0) {
    const unclear = [name.a, name.aaaa].find((answer) => answer.kind === "unreachable");
    if (unclear !== undefined) {
      const seen = `The addresses of ${name.host} could not be looked up: ${unclear.detail}`;
      const next =
        "Check the connection of this machine to its name servers, or set PETSTORE_DNS_RECURSORS.";
      return { ...about, verdict: "problem", seen, next };
    }
    const { message, next = "" } = withoutAddress(name.host);
    const why = name.host.startsWith("*.")
      ? " Every attached domain points to a name below it."
      : "";
    return { ...about, verdict: "problem", seen: `${message}${why}`, next };
  }
  const judged = addresses.map((address) => judgeAddress(address, name, domains));
  const worst =
    judged.find(({ verdict }) => verdict === "problem") ??
    judged.find(({ verdict }) => verdict === "warning");
  if (worst !== undefined) return { ...about, ...worst };
  const seen = `${name.host} leads to this machine (${addresses.join(", ")}).`;
  return { ...about, verdict: "ok", seen };
}

type Judged = Omit<SetupCheck, "check" | "subject">;

function judgeAddress(
  address: string,
  { host, reached }: NameObservation,
  { ownAddresses, ports }: DomainsObservation,
): Judged {
  const tried = reached.filter((each) => each.address === address);
  const leads = `${host} leads to ${address}`;
  const foreign = tried.find(({ by }) => by === "another");
  if (foreign !== undefined) {
    return {
      verdict: "problem",
      seen: `${leads}, where another server answers on port ${foreign.port}.`,
      next: `Change the record to an address of this machine (${listed(ownAddresses)}), or forward the port to it.`,
    };
  }
  const own = address.startsWith("127.") || ownAddresses.includes(address);
  const failed = tried.find(({ by }) => by !== "us");
  if (failed === undefined && (own || tried.length > 0)) return { verdict: "ok", seen: leads };
  const how = failed?.by === "refused" ? "refuses connections" : "does not answer";
  const unreached = failed === undefined ? "" : ` It ${how} on port ${failed.port} from here.`;
  if (own && ports.some(({ port }) => port === failed?.port)) {
    return {
      verdict: "problem",
      seen: `${leads}, an address of this machine.${unreached}`,
      next: "Open the port in the firewall, and set PETSTORE_EDGE_HOST so that this address is listened on; or delete the record.",
    };
  }
  const whose = own
    ? "an address of this machine"
    : `which is no address of this machine (${listed(ownAddresses)})`;
  return {
    verdict: "warning",
    seen: `${leads}, ${whose}.${unreached}`,
    next: "That is right if a router, a load balancer or a firewall forwards ports 80 and 443 to this service: try it from another network. Otherwise change the record.",
  };
}

function addressesIn(answer: DnsAnswer, type: "A" | "AAAA"): string[] {
  if (answer.kind !== "found") return [];
  return answer.records.filter((record) => record.type === type).map(({ value }) => value);
}

/** Without loopback and link-local addresses, which are useless in DNS. */
function listed(addresses: readonly string[]): string {
  const useful = addresses.filter((each) => !/^(?:127\.|::1$|fe80:)/i.test(each));
  return useful.length === 0 ? "it has none but loopback" : useful.join(", ");
}

function judgeCaa(host: string, caa: CaaVerdict): SetupCheck {
  const about = { check: "caa", subject: host } as const;
  if (caa.kind === "permitted") {
    const seen = "No CAA record keeps the certificate authority from issuing.";
    return { ...about, verdict: "ok", seen };
  }
  const { message, next = "" } = caa.finding;
  const verdict = caa.kind === "blocked" ? "problem" : "warning";
  return { ...about, verdict, seen: message, next };
}

function judgePort({ port, setting, host, state }: PortObservation): SetupCheck {
  const about = { check: "port", subject: String(port) } as const;
  const problem = (seen: string, next: string): SetupCheck => ({
    ...about,
    verdict: "problem",
    seen,
    next,
  });
  switch (state) {
    case "free":
      return { ...about, verdict: "ok", seen: "It is free, and this user may listen on it." };
    case "ours":
      return { ...about, verdict: "ok", seen: "Pet Store listens on it." };
    case "taken":
      return problem(
        "Another program listens on it.",
        `Find it with \`ss -ltnp\` and stop it. Or set ${setting} to a free port, and forward port ${usualPort(setting)} to that.`,
      );
    case "forbidden":
      return problem(
        "This user may not listen on it.",
        `Give the program the right (CAP_NET_BIND_SERVICE). Or set ${setting} to a port from 1024 up, and forward port ${usualPort(setting)} to that.`,
      );
    case "no_address":
      return problem(
        `PETSTORE_EDGE_HOST is ${host}, which is no address of this machine.`,
        "Set it to one that is, or to 0.0.0.0 for all.",
      );
  }
}

const usualPort = (setting: string) => (setting.includes("HTTPS") ? 443 : 80);

const fallbackMissing: SetupCheck = {
  check: "authority",
  subject: "fallback",
  verdict: "warning",
  seen: "There is none: while the first one is down or limits you, nothing is issued or renewed.",
  next: "Set PETSTORE_ACME_CONTACT to your e-mail address: ZeroSSL makes an account for it when it is first needed. Or set PETSTORE_ACME_FALLBACK=off.",
};

function judgeAuthority(
  authority: AuthorityObservation,
  index: number,
  { length }: readonly AuthorityObservation[],
): SetupCheck {
  const { prefix, name } = authority;
  const subject = index === 0 ? "first" : "fallback";
  const about = { check: "authority", ...(length > 1 && { subject }) } as const;
  if (authority.kind === "failed") {
    const untimely = /CERT_(?:NOT_YET_VALID|HAS_EXPIRED)/.test(authority.detail);
    return {
      ...about,
      // The first one issues without its fallback.
      verdict: index === 0 ? "problem" : "warning",
      seen: `${name}: ${authority.detail}`,
      next: untimely
        ? "Check the clock of this machine: certificates are judged by it."
        : `Allow outgoing HTTPS, and check ${prefix}_DIRECTORY and PETSTORE_ACME_TRUST.`,
    };
  }
  if (authority.externalAccountMissing) {
    return {
      ...about,
      verdict: "problem",
      seen: `${name} requires an account that was made elsewhere (external account binding).`,
      next: `Make one there, and set ${prefix}_EAB to its key id and HMAC key.`,
    };
  }
  const account = authority.accountByEmail
    ? " It makes an account for PETSTORE_ACME_CONTACT when it is first needed."
    : "";
  const seen = `${name} answered in ${Math.round(authority.tookMs)} ms.${account}`;
  if (authority.tookMs <= tookMsWarning) return { ...about, verdict: "ok", seen };
  const next = "Check the network: an order is a dozen requests.";
  return { ...about, verdict: "warning", seen, next };
}

/** By the authority's clock, which determines the validity of certificates. */
function judgeClock(authorities: readonly AuthorityObservation[]): SetupCheck[] {
  const [aheadMs] = authorities.flatMap((each) =>
    each.kind === "failed" ? [] : (each.aheadMs ?? []),
  );
  if (aheadMs === undefined) return [];
  const offMs = Math.abs(aheadMs);
  const seconds = Math.round(offMs / 1000);
  const direction = aheadMs > 0 ? "behind" : "ahead of";
  if (offMs <= aheadMsWarning) {
    return [{ check: "clock", verdict: "ok", seen: "It agrees with that of the authority." }];
  }
  return [
    {
      check: "clock",
      verdict: offMs > aheadMsMax ? "problem" : "warning",
      seen: `It is ${seconds} seconds ${direction} that of the authority.`,
      next: "Synchronize the clock of this machine, for example with `timedatectl set-ntp true`.",
    },
  ];
}

function judgeDatabase(database: DatabaseObservation): SetupCheck {
  const about = { check: "database" } as const;
  if (database.kind === "failed") {
    const { path, reason } = database;
    return {
      ...about,
      verdict: "problem",
      seen: reason.includes(path) ? reason : `${path}: ${reason}`,
      next: "Check DATABASE_URL, or PETSTORE_DATA where it is not set.",
    };
  }
  if (database.kind === "none") {
    const seen = `There is none at ${database.path} yet. The first start makes it.`;
    return { ...about, verdict: "ok", seen };
  }
  const { pendingMigrations } = database;
  const migrated = pendingMigrations > 0 ? ", and the next start brings it up to date" : "";
  return { ...about, verdict: "ok", seen: `${database.path} can be read${migrated}.` };
}

function judgeDisk({ folder, freeBytes, refused, syncMs }: DiskObservation): SetupCheck {
  const about = { check: "disk" } as const;
  if (refused !== undefined) {
    return {
      ...about,
      verdict: "problem",
      seen: `Nothing can be written to ${folder} (${refused}).`,
      next: "Make the folder writable for this user, or set PETSTORE_DATA to another.",
    };
  }
  const free = freeBytes === undefined ? "" : `${Math.floor(freeBytes / mib)} MiB are free`;
  if (freeBytes !== undefined && freeBytes < freeBytesWarning) {
    return {
      ...about,
      verdict: freeBytes < freeBytesMin ? "problem" : "warning",
      seen: `${free} in ${folder}.`,
      next: "Make room: writes are refused on a full disk.",
    };
  }
  const slow = syncMs !== undefined && syncMs > syncMsWarning;
  if (slow) {
    return {
      ...about,
      verdict: "warning",
      seen: `A write to ${folder} took ${Math.round(syncMs)} ms to be on the disk.`,
      next: "Every change waits for that: use a faster disk, or see what else keeps this one busy.",
    };
  }
  return {
    ...about,
    verdict: "ok",
    seen: `${folder} can be written to${free && `, and ${free}`}.`,
  };
}

function judgeFiles(connectionsPossible: number): SetupCheck {
  const about = { check: "files" } as const;
  if (connectionsPossible >= connectionsWarning) {
    return { ...about, verdict: "ok", seen: "The limit on open files is high enough." };
  }
  return {
    ...about,
    verdict: connectionsPossible < connectionsMin ? "problem" : "warning",
    seen: `The limit on open files leaves room for ${connectionsPossible} connections.`,
    next: "Raise it: `ulimit -n 65536` in this shell, or LimitNOFILE=65536 in the unit of systemd.",
  };
}
