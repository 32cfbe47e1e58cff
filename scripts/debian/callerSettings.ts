/** What a new machine must know of the network of the one it is made on: registry, proxies, certificates. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

type Variables = Readonly<Record<string, string | undefined>>;

const certificatesFile = "/etc/ssl/certs/ca-certificates.crt";
const proxy = /^(?:https?|no|all)_proxy$/i;
/** Nothing else of an npmrc is needed to reach the registry, and the rest could cause warnings of its own. */
const connection =
  /^(?:registry|proxy|https-proxy|noproxy|strict-ssl|@[^:]+:registry|\/\/.+:(?:_auth|_authToken|username|_password))$/;

/** As `npm_config_` variables, so that no token is written to a disk. */
export function connectionSettings(npmrcs: readonly string[], variables: Variables) {
  const settings: Record<string, string> = {};
  for (const line of npmrcs.flatMap((npmrc) => npmrc.split("\n"))) {
    const [, key = "", quoted = ""] = /^\s*([^#;=\s]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (!connection.test(key)) continue;
    const value = quoted.replace(/^"(.*)"$/, "$1");
    settings[`npm_config_${key}`] = value.replace(
      /\$\{(\w+)\}/g,
      (whole, name: string) => variables[name] ?? whole,
    );
  }
  for (const [name, value] of Object.entries(variables)) {
    const key = name.replace(/^npm_config_/i, "");
    const isSetting = key !== name && connection.test(key.replace(/(?<=^[a-z]+)_/g, "-"));
    if (value && (proxy.test(name) || isSetting)) settings[name] = value;
  }
  return settings;
}

/** Files of certificates that the caller trusts beside those of the system. */
export function trustedFiles(npmrcs: readonly string[], variables: Variables): readonly string[] {
  const { NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, npm_config_cafile } = variables;
  const inNpmrcs = npmrcs.map((npmrc) => /^\s*cafile\s*=\s*"?(.*?)"?\s*$/m.exec(npmrc)?.[1]);
  const files = [NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, npm_config_cafile, ...inNpmrcs];
  return [...new Set(files.filter((file) => file !== undefined && file !== ""))] as string[];
}

export interface CallerSettings {
  readonly variables: Readonly<Record<string, string>>;
  /** Replaces what the new machine trusts; none where the caller trusts what every Debian does. */
  readonly certificates?: { readonly file: string; readonly text: string };
}

export function callerSettings(variables: Variables): CallerSettings {
  const { npm_config_globalconfig, npm_config_userconfig } = variables;
  // The last one wins, as in npm.
  const npmrcs = [npm_config_globalconfig, npm_config_userconfig]
    .filter((file) => file !== undefined && existsSync(file))
    .map((file) => readFileSync(file as string, "utf8"));
  const settings = connectionSettings(npmrcs, variables);
  const trusted = trustedFiles(npmrcs, variables).filter(existsSync);
  if (trusted.length === 0) return { variables: settings };
  const files = [...new Set([certificatesFile, ...trusted])].filter(existsSync);
  return {
    variables: {
      ...settings,
      NODE_EXTRA_CA_CERTS: certificatesFile,
      SSL_CERT_FILE: certificatesFile,
      npm_config_cafile: certificatesFile,
    },
    certificates: {
      file: certificatesFile,
      text: files.map((file) => readFileSync(file, "utf8")).join("\n"),
    },
  };
}

/** The archive that this machine installs from, if it is a Debian; debootstrap has a default otherwise. */
export function debianMirror(sources: readonly string[]): string | undefined {
  for (const source of sources) {
    const inStanza = /^URIs:\s*(\S+\/debian\/?)\s*$/m.exec(source)?.[1];
    const inLine = /^deb\s+(?:\[[^\]]*\]\s+)?(\S+\/debian\/?)\s/m.exec(source)?.[1];
    const found = inStanza ?? inLine;
    if (found !== undefined) return found;
  }
  return undefined;
}

export function aptSources(): readonly string[] {
  if (!existsSync("/etc/debian_version")) return [];
  const folder = "/etc/apt/sources.list.d";
  const files = existsSync(folder) ? readdirSync(folder).map((file) => join(folder, file)) : [];
  return [...files.filter((file) => /\.(?:list|sources)$/.test(file)), "/etc/apt/sources.list"]
    .filter(existsSync)
    .map((file) => readFileSync(file, "utf8"));
}
