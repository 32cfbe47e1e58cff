/** Pebble: a certificate authority that speaks ACME and really validates, over our DNS. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePorts } from "../freePorts.ts";
import { type ApiCertificate, makeApiCertificate } from "./certificate.ts";
import { startChild } from "./processes.ts";

export interface PebbleOptions {
  /** For its files; must exist. */
  readonly folder: string;
  /** `127.53.1.53:5300`: the recursor it resolves names with. */
  readonly dnsServer: string;
  /** Where it looks for HTTP-01 answers, on whatever address the name has; AAAA before A. */
  readonly httpPort: number;
  /** Where it looks for TLS-ALPN-01 answers. */
  readonly tlsPort: number;
  readonly certificateValiditySeconds?: number;
  /** Of a hundred good nonces, how many it refuses. */
  readonly nonceRejectPercent?: number;
  /** The keys of accounts that were made elsewhere, by their id: without one, it makes none. */
  readonly externalAccounts?: Readonly<Record<string, string>>;
}

export interface Pebble {
  /** `https://127.0.0.1:14000` */
  readonly base: string;
  readonly directory: string;
  readonly certificate: ApiCertificate;
  /** The root that all its certificates lead to, as PEM. It is another one after every start. */
  root(): Promise<string>;
  output(): string;
  stop(): Promise<void>;
}

const ninetyDaysSeconds = 90 * 86_400;

export async function startPebble(options: PebbleOptions): Promise<Pebble> {
  const { folder, dnsServer, nonceRejectPercent = 0 } = options;
  const [certificate, [port, managementPort]] = await Promise.all([
    makeApiCertificate(folder),
    freePorts(2),
  ]);
  const base = `https://127.0.0.1:${port}`;
  const directory = `${base}/dir`;
  const configuration = join(folder, "pebble.json");
  writeFileSync(
    configuration,
    JSON.stringify({
      pebble: {
        listenAddress: `127.0.0.1:${port}`,
        managementListenAddress: `127.0.0.1:${managementPort}`,
        certificate: certificate.file,
        privateKey: certificate.keyFile,
        httpPort: options.httpPort,
        tlsPort: options.tlsPort,
        ocspResponderURL: "",
        externalAccountBindingRequired: options.externalAccounts !== undefined,
        externalAccountMACKeys: options.externalAccounts ?? {},
        certificateValidityPeriod: options.certificateValiditySeconds ?? ninetyDaysSeconds,
      },
    }),
  );
  const get = (url: string) => fetch(url, { tls: { ca: certificate.pem } });
  const child = await startChild({
    tool: "pebble",
    args: ["-config", configuration, "-dnsserver", dnsServer],
    variables: {
      PEBBLE_VA_NOSLEEP: "1",
      PEBBLE_AUTHZREUSE: "0",
      PEBBLE_WFE_NONCEREJECT: `${nonceRejectPercent}`,
    },
    ready: async () => (await get(directory)).ok,
  });
  return {
    base,
    directory,
    certificate,
    async root() {
      const response = await get(`https://127.0.0.1:${managementPort}/roots/0`);
      if (!response.ok) throw new Error(`Pebble's root: ${response.status}`);
      return response.text();
    },
    output: child.output,
    stop: child.stop,
  };
}
