/** The settings of custom domains: DNS, certificates and the edge. */
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import {
  anyText,
  httpUrl,
  kind,
  listenHost,
  listOf,
  matching,
  onOrOff,
  port,
  type Setting,
  wholeNumber,
} from "./settings.ts";

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

export interface SitesConfig {
  readonly host: string;
  readonly certificates: /** One for all names, proven by a record that we put into DNS. */
    | { readonly kind: "wildcard"; readonly update: DnsUpdateConfig }
    /** One for all names, which the operator sees to. */
    | { readonly kind: "file"; readonly certificate: string; readonly key: string }
    /** One for each site that shows something, within the limits of the authority. */
    | { readonly kind: "each" };
}

export interface DnsUpdateConfig extends Endpoint {
  readonly key: TsigKey;
}

/** An account outside ACME (RFC 8555, section 7.3.4), or where one is made for the contact address. */
type ExternalAccountConfig =
  | { readonly kid: string; readonly hmacKey: Uint8Array }
  | { readonly madeAt: string; readonly email: string };

export interface AuthorityConfig {
  /** How the names of its settings begin. */
  readonly prefix: "PETSTORE_ACME" | "PETSTORE_ACME_FALLBACK";
  /** Its directory, after what people call it. */
  readonly name: string;
  readonly directory: string;
  /** Undefined for an authority that makes accounts without one. */
  readonly externalAccount: ExternalAccountConfig | undefined;
  /** How CAA records name the authority; undefined where it says so itself. */
  readonly caaIdentities: readonly string[] | undefined;
}

interface TsigKey {
  readonly algorithm: "hmac-sha256" | "hmac-sha384" | "hmac-sha512";
  readonly name: string;
  readonly secret: Uint8Array;
}

export interface DomainsConfig {
  /** Whether the operator agreed to the terms of the authority, without which nothing is served. */
  readonly termsAgreed: boolean;
  /** The name of the service itself, for which the edge answers with all of it; undefined for none. */
  readonly ownName: string | undefined;
  /** The host below which every domain has its target. */
  readonly target: string;
  /** Below which every site has an address; undefined where they have none. */
  readonly sites: SitesConfig | undefined;
  readonly dns: {
    /** Undefined where the machine's own are asked. */
    readonly recursors: readonly Endpoint[] | undefined;
    readonly authorityPort: number;
    readonly privateAddresses: boolean;
  };
  readonly acme: {
    /** The preferred one first. The other issues while that one is down or limits us. */
    readonly authorities: readonly AuthorityConfig[];
    /** Whether there would be a second one if there were a contact address. */
    readonly fallbackNeedsContact: boolean;
    readonly contact: string | undefined;
    /** A file with the root that the authority's own interface is trusted by. */
    readonly trustFile: string | undefined;
    /** Whether we keep limits of our own, below those of a public authority. */
    readonly ownLimits: boolean;
  };
  readonly edge: {
    readonly host: string;
    readonly httpPort: number;
    readonly httpsPort: number;
    /** The port in the addresses that visitors are sent to. */
    readonly publicHttpsPort: number;
    /** Where the other processes reach this edge. */
    readonly address: string;
  };
  readonly leaseSeconds: number;
}

const zeroSsl = "https://acme.zerossl.com/v2/DV90";
const letsEncrypt = "https://acme-v02.api.letsencrypt.org/directory";

/** The public authorities, by the host of their directory. Their staging environments limit little. */
const publicAuthorities: ReadonlyMap<string, string> = new Map([
  ["acme-v02.api.letsencrypt.org", "Let's Encrypt"],
  ["acme.zerossl.com", "ZeroSSL"],
  ["dv.acme-v02.api.pki.goog", "Google Trust Services"],
  ["acme.ssl.com", "SSL.com"],
  ["acme-api.actalis.com", "Actalis"],
]);

/** Where an authority makes an account for an e-mail address alone, by the host of its directory. */
const accountsByEmail: ReadonlyMap<string, string> = new Map([
  ["acme.zerossl.com", "https://api.zerossl.com/acme/eab-credentials-email"],
]);

const isPublic = ({ directory }: AuthorityConfig) =>
  publicAuthorities.has(new URL(directory).hostname);

/** Undefined while neither a name nor a target is set: then there is no edge. */
export function readDomainsConfig(
  setting: Setting,
  complaints: string[],
  { listensOn, environment }: { readonly listensOn: string; readonly environment: string },
): DomainsConfig | undefined {
  const ownName = setting("PETSTORE_DOMAIN", undefined, hostName);
  const sitesHost = setting("PETSTORE_SITES_HOST", undefined, hostName);
  const target = sitesHost ?? ownName;
  const edgeHost = setting("PETSTORE_EDGE_HOST", ownName ? everyAddress() : listensOn, listenHost);
  const httpsPort = setting("PETSTORE_EDGE_HTTPS_PORT", 443, port);
  const agreed = setting("PETSTORE_ACME_TERMS", undefined, terms);
  const certificates = readSitesCertificates(setting, complaints);
  const contact = setting("PETSTORE_ACME_CONTACT", undefined, email);
  const authorities = readAuthorities(setting, complaints, { contact, environment });
  const config: Omit<DomainsConfig, "target"> = {
    termsAgreed: agreed !== undefined,
    ownName,
    sites: sitesHost === undefined ? undefined : { host: sitesHost, certificates },
    dns: {
      recursors: setting("PETSTORE_DNS_RECURSORS", undefined, endpoints),
      authorityPort: setting("PETSTORE_DNS_PORT", 53, wholeNumber(1, 65535, "a port number")),
      privateAddresses: setting("PETSTORE_DNS_PRIVATE", false, onOrOff),
    },
    acme: {
      ...authorities,
      contact,
      trustFile: setting("PETSTORE_ACME_TRUST", undefined, anyText("a file")),
      ownLimits: setting("PETSTORE_ACME_LIMITS", authorities.authorities.some(isPublic), onOrOff),
    },
    edge: {
      host: edgeHost,
      httpPort: setting("PETSTORE_EDGE_HTTP_PORT", 80, port),
      httpsPort,
      publicHttpsPort: setting("PETSTORE_EDGE_PUBLIC_HTTPS_PORT", httpsPort, port),
      address: setting("PETSTORE_EDGE_ADDRESS", reachable(edgeHost), ownAddress),
    },
    leaseSeconds: setting("PETSTORE_LEASE_SECONDS", 30, leaseSeconds),
  };
  if (target === undefined) return undefined;
  return { target, ...config };
}

/**
 * In production, a public authority has another one as its fallback. That is ZeroSSL, which needs an
 * account for the contact address, or Let's Encrypt where ZeroSSL is the first.
 */
function readAuthorities(
  setting: Setting,
  complaints: string[],
  { contact, environment }: { readonly contact: string | undefined; readonly environment: string },
): Pick<DomainsConfig["acme"], "authorities" | "fallbackNeedsContact"> {
  const read = (prefix: AuthorityConfig["prefix"]) => ({
    account: setting(`${prefix}_EAB`, undefined, externalAccount),
    caaIdentities: setting(`${prefix}_CAA`, undefined, hostNames),
    at(directory: string): AuthorityConfig {
      const { hostname } = new URL(directory);
      const known = publicAuthorities.get(hostname);
      const name = known === undefined ? directory : `${known} (${directory})`;
      const madeAt = accountsByEmail.get(hostname);
      const made = madeAt && contact ? { madeAt, email: contact } : undefined;
      const { account: set, caaIdentities } = this;
      return { prefix, name, directory, externalAccount: set ?? made, caaIdentities };
    },
  });
  const first = read("PETSTORE_ACME").at(
    setting("PETSTORE_ACME_DIRECTORY", letsEncrypt, webAddress),
  );
  const fallback = read("PETSTORE_ACME_FALLBACK");
  const off = setting("PETSTORE_ACME_FALLBACK", undefined, fallbackOff) !== undefined;
  const byDefault = environment === "production" && isPublic(first) && !off;
  const other = first.directory === zeroSsl ? letsEncrypt : zeroSsl;
  const fallbackNeedsContact = byDefault && other === zeroSsl && contact === undefined;
  const usual = fallback.account ? zeroSsl : byDefault && !fallbackNeedsContact ? other : undefined;
  const directory = setting("PETSTORE_ACME_FALLBACK_DIRECTORY", usual, webAddress);
  if (directory === undefined || off) return { authorities: [first], fallbackNeedsContact };
  if (directory === first.directory) {
    complaints.push(
      "PETSTORE_ACME_FALLBACK_DIRECTORY must be another authority than PETSTORE_ACME_DIRECTORY.",
    );
  }
  return { authorities: [first, fallback.at(directory)], fallbackNeedsContact: false };
}

function readSitesCertificates(
  setting: Setting,
  complaints: string[],
): SitesConfig["certificates"] {
  const update = setting("PETSTORE_DNS_UPDATE", undefined, endpoint);
  const tsigKey = setting("PETSTORE_DNS_UPDATE_KEY", undefined, tsig);
  const certificate = setting("PETSTORE_SITES_CERTIFICATE", undefined, anyText("a file"));
  const key = setting("PETSTORE_SITES_CERTIFICATE_KEY", undefined, anyText("a file"));
  const together = (names: readonly [string, string], values: readonly [unknown, unknown]) => {
    if ((values[0] === undefined) === (values[1] === undefined)) return;
    const said = complaints.some((complaint) => names.some((name) => complaint.startsWith(name)));
    if (!said) complaints.push(`${names[0]} and ${names[1]} need each other: set both or neither.`);
  };
  together(["PETSTORE_DNS_UPDATE", "PETSTORE_DNS_UPDATE_KEY"], [update, tsigKey]);
  together(["PETSTORE_SITES_CERTIFICATE", "PETSTORE_SITES_CERTIFICATE_KEY"], [certificate, key]);
  if (certificate !== undefined && key !== undefined) return { kind: "file", certificate, key };
  if (update === undefined || tsigKey === undefined) return { kind: "each" };
  return { kind: "wildcard", update: { ...update, key: tsigKey } };
}

const tsigText = "a key such as hmac-sha256:name:c2VjcmV0, with its secret in base64";
const tsig = kind(tsigText, (text): TsigKey | undefined => {
  const [, algorithm, name = "", secret = ""] =
    /^(hmac-sha256|hmac-sha384|hmac-sha512):([A-Za-z0-9._-]{1,253}):([A-Za-z0-9+/]+={0,2})$/.exec(
      text,
    ) ?? [];
  return algorithm === undefined
    ? undefined
    : { algorithm: algorithm as TsigKey["algorithm"], name, secret: Buffer.from(secret, "base64") };
});

const externalAccountText = "a key id and its HMAC key in base64, such as kid:c2VjcmV0";
const externalAccount = kind(externalAccountText, (text) => {
  const [, kid, hmac = ""] = /^([!-~]{1,512}):([A-Za-z0-9+/_-]{8,1024}={0,2})$/.exec(text) ?? [];
  return kid === undefined ? undefined : { kid, hmacKey: Buffer.from(hmac, "base64url") };
});

const fallbackOff = matching("off, or not set", /^off$/);
const terms = matching("the word agreed", /^agreed$/);
const email = matching("an e-mail address", /^[^\s@,]+@[^\s@,]+\.[^\s@,]+$/);
const leaseSeconds = wholeNumber(2, 600, "a whole number of seconds");
const webAddress = kind("an http or https address", (text) => httpUrl(text)?.href);
const ownAddress = kind("an address of this machine", (text) =>
  isIP(text) === 0 ? undefined : text,
);

const hostName = kind("a host name such as sites.example.com", (text) => {
  const name = text.toLowerCase().replace(/\.$/, "");
  const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
  return new RegExp(`^${label}(?:\\.${label})+$`).test(name) && isIP(name) === 0 ? name : undefined;
});
const hostNamesText = "host names such as ca.example.com, with commas between them";
const hostNames = listOf(hostNamesText, hostName.parse);

const readEndpoint = (text: string): Endpoint | undefined => {
  const [, bracketed, plain, written] =
    /^(?:\[([^\]]+)\]|([0-9.]+))(?::([0-9]{1,5}))?$/.exec(text) ?? [];
  const address = bracketed ?? plain ?? text;
  const number = written === undefined ? 53 : port.parse(written);
  return isIP(address) === 0 || number === undefined ? undefined : { address, port: number };
};
const endpoint = kind("an address such as 192.0.2.1 or 192.0.2.1:5353", readEndpoint);
const endpointsText = "addresses such as 192.0.2.1 or 192.0.2.1:5353, with commas between them";
const endpoints = listOf(endpointsText, readEndpoint);

/** Of this machine, by IPv6 too where it has any. */
function everyAddress(): string {
  return interfaceAddresses().some((address) => isIP(address) === 6) ? "::" : "0.0.0.0";
}

/** None where the system does not say, such as in a sandbox without AF_NETLINK. */
export function interfaceAddresses(): readonly string[] {
  try {
    return Object.values(networkInterfaces()).flatMap(
      (all) => all?.map(({ address }) => address) ?? [],
    );
  } catch {
    return [];
  }
}

function reachable(listensOn: string): string {
  if (listensOn === "::") return "::1";
  return listensOn === "0.0.0.0" || isIP(listensOn) === 0 ? "127.0.0.1" : listensOn;
}
