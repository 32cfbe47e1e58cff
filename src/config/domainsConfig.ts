/** The settings of custom domains: DNS, certificates and the edge. */
import { isIP } from "node:net";
import { host, onOrOff, port, portText, type Setting, wholeNumber } from "./settings.ts";

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

export interface DomainsConfig {
  /** The name that owners point theirs to. */
  readonly target: string;
  readonly dns: {
    /** Undefined where the machine's own are asked. */
    readonly recursors: readonly Endpoint[] | undefined;
    readonly authorityPort: number;
    readonly privateAddresses: boolean;
  };
  readonly acme: {
    readonly directory: string;
    readonly contact: string | undefined;
    /** How CAA records name the authority; undefined where it says so itself. */
    readonly caaIdentities: readonly string[] | undefined;
    /** A file with the root that the authority's own interface is trusted by. */
    readonly trustFile: string | undefined;
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

const letsEncrypt = "https://acme-v02.api.letsencrypt.org/directory";

/** Undefined while no target is set: then there are no custom domains. */
export function readDomainsConfig(
  setting: Setting,
  complaints: string[],
  listensOn: string,
): DomainsConfig | undefined {
  const target = setting(
    "PETSTORE_SITES_HOST",
    undefined,
    "a host name such as sites.example.com",
    hostName,
  );
  const edgeHost = setting(
    "PETSTORE_EDGE_HOST",
    listensOn,
    "a host name or address to listen on",
    host,
  );
  const httpsPort = setting("PETSTORE_EDGE_HTTPS_PORT", 443, portText, port);
  const agreed = setting("PETSTORE_ACME_TERMS", undefined, "the word agreed", (text) =>
    text === "agreed" ? true : undefined,
  );
  const config: Omit<DomainsConfig, "target"> = {
    dns: {
      recursors: setting(
        "PETSTORE_DNS_RECURSORS",
        undefined,
        "addresses such as 192.0.2.1 or 192.0.2.1:5353, with commas between them",
        endpoints,
      ),
      authorityPort: setting(
        "PETSTORE_DNS_PORT",
        53,
        "a port number from 1 to 65535",
        wholeNumber(1, 65535),
      ),
      privateAddresses: setting("PETSTORE_DNS_PRIVATE", false, "on or off", onOrOff),
    },
    acme: {
      directory: setting(
        "PETSTORE_ACME_DIRECTORY",
        letsEncrypt,
        "an http or https address",
        address,
      ),
      contact: setting("PETSTORE_ACME_CONTACT", undefined, "an e-mail address", email),
      caaIdentities: setting(
        "PETSTORE_ACME_CAA",
        undefined,
        "host names such as ca.example.com, with commas between them",
        hostNames,
      ),
      trustFile: setting("PETSTORE_ACME_TRUST", undefined, "a file", (text) => text),
    },
    edge: {
      host: edgeHost,
      httpPort: setting("PETSTORE_EDGE_HTTP_PORT", 80, portText, port),
      httpsPort,
      publicHttpsPort: setting("PETSTORE_EDGE_PUBLIC_HTTPS_PORT", httpsPort, portText, port),
      address: setting(
        "PETSTORE_EDGE_ADDRESS",
        reachable(edgeHost),
        "an address of this machine",
        (text) => (isIP(text) === 0 ? undefined : text),
      ),
    },
    leaseSeconds: setting(
      "PETSTORE_LEASE_SECONDS",
      30,
      "a whole number of seconds from 2 to 600",
      wholeNumber(2, 600),
    ),
  };
  if (target === undefined) return undefined;
  const said = complaints.some((complaint) => complaint.startsWith("PETSTORE_ACME_TERMS"));
  if (agreed === undefined && !said) {
    complaints.push(
      "PETSTORE_ACME_TERMS must be the word agreed where PETSTORE_SITES_HOST is set: certificates are ordered in your name, under the terms of the authority at PETSTORE_ACME_DIRECTORY.",
    );
  }
  return { target, ...config };
}

function hostName(text: string): string | undefined {
  const name = text.toLowerCase().replace(/\.$/, "");
  const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
  return new RegExp(`^${label}(?:\\.${label})+$`).test(name) && isIP(name) === 0 ? name : undefined;
}

function hostNames(text: string): string[] | undefined {
  const read = text.split(",").map((each) => hostName(each.trim()));
  return read.every((each) => each !== undefined) ? read : undefined;
}

function endpoints(text: string): Endpoint[] | undefined {
  const read = text.split(",").map((each) => endpoint(each.trim()));
  return read.every((each) => each !== undefined) ? read : undefined;
}

function endpoint(text: string): Endpoint | undefined {
  const [, bracketed, plain, written] =
    /^(?:\[([^\]]+)\]|([0-9.]+))(?::([0-9]{1,5}))?$/.exec(text) ?? [];
  const address = bracketed ?? plain ?? text;
  const number = written === undefined ? 53 : port(written);
  return isIP(address) === 0 || number === undefined ? undefined : { address, port: number };
}

function address(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && ["http:", "https:"].includes(url.protocol) ? url.href : undefined;
}

function email(text: string): string | undefined {
  return /^[^\s@,]+@[^\s@,]+\.[^\s@,]+$/.test(text) ? text : undefined;
}

function reachable(listensOn: string): string {
  if (listensOn === "::") return "::1";
  return listensOn === "0.0.0.0" || isIP(listensOn) === 0 ? "127.0.0.1" : listensOn;
}
