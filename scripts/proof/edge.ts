/** The service with its edge: its own name and a site, with a certificate of an authority of ours. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  alternativeNames,
  authorityExtensions,
  authorityKeyId,
  certify,
  keyIdOf,
  newKeyPair,
  serverExtensions,
  spkiOf,
  subjectKeyId,
} from "../../testkit/certificates.ts";
import { freePorts } from "../../testkit/freePorts.ts";
import { Missing, run, scratch } from "./run.ts";
import { type Live, onService, startService } from "./service.ts";
import type { Outcome } from "./suite.ts";

const sitesHost = "sites.example.com";
const project = "guide";
/** The name of the site, and the service's own, where its API is. */
export const siteName = `${project}.${sitesHost}`;
export const ownName = `api.${sitesHost}`;
const dayMs = 86_400_000;

export interface LiveEdge extends Live {
  readonly httpPort: number;
  readonly httpsPort: number;
  /** The certificate of the authority, in PEM. */
  readonly caFile: string;
}

export async function onEdge(suite: (live: LiveEdge) => Promise<Outcome>): Promise<Outcome> {
  const [httpPort = 0, httpsPort = 0] = await freePorts(2);
  const folder = mkdtempSync(join(scratch, "edge-"));
  const { caPem, certificatePem, keyPem } = issue();
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const starting = startService(
    {
      PETSTORE_DOMAIN: ownName,
      PETSTORE_SITES_HOST: sitesHost,
      PETSTORE_SITES_CERTIFICATE: write("certificate.pem", certificatePem),
      PETSTORE_SITES_CERTIFICATE_KEY: write("key.pem", keyPem),
      PETSTORE_ACME_TERMS: "agreed",
      // Without a worker, which would ask a public authority for certificates.
      PETSTORE_ROLES: "edge",
      PETSTORE_EDGE_HOST: "127.0.0.1",
      PETSTORE_EDGE_HTTP_PORT: String(httpPort),
      PETSTORE_EDGE_HTTPS_PORT: String(httpsPort),
    },
    async (command) => {
      await command("owners", "add", project, "--plan", "paid");
      await command("sites", "create", project, "--owner", project);
      await command("sites", "deploy", project, writeSite(folder));
    },
  );
  const caFile = write("ca.pem", caPem);
  return onService((live) => suite({ ...live, httpPort, httpsPort, caFile }), starting);
}

/** Runs a tool that finds both names on loopback, in a mount namespace with a hosts file of its own. */
export async function runNamed(
  command: string,
  args: readonly string[],
  cwd = scratch,
): Promise<{ code: number | null; text: string }> {
  if (Bun.which("unshare") === null) throw new Missing("unshare: apt-get install util-linux");
  const hosts = join(scratch, "hosts");
  writeFileSync(hosts, `127.0.0.1 localhost ${siteName} ${ownName}\n`);
  const namespace = process.getuid?.() === 0 ? ["--mount"] : ["--mount", "--map-root-user"];
  const script = `mount --bind '${hosts}' /etc/hosts && exec "$@"`;
  return run("unshare", [...namespace, "sh", "-c", script, "sh", command, ...args], cwd);
}

/** A site of a page, a script, a style sheet, a picture and a page for what is not there. */
function writeSite(folder: string): string {
  const site = join(folder, "site");
  mkdirSync(site);
  const paragraphs = Array.from({ length: 40 }, (_, at) => `<p>Step ${at + 1} of the guide.</p>`);
  const page = (body: string) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>A guide</title><link rel="stylesheet" href="/guide.css"></head>
<body>${body}<script src="/guide.js"></script></body>
</html>
`;
  const files = {
    "index.html": page(`<h1>A guide</h1>${paragraphs.join("\n")}`),
    "404.html": page("<h1>Not found</h1>"),
    "guide.css": "body { margin: 2rem }\n".repeat(80),
    "guide.js": "document.title += '';\n".repeat(80),
    "dots.svg": `<svg xmlns="http://www.w3.org/2000/svg">${"<path d='M0 0h1v1z'/>".repeat(80)}</svg>`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(site, name), text);
  return site;
}

/** An authority, and a certificate of it for both names. */
function issue() {
  const issuer = { name: "Authority of the proof", ...newKeyPair() };
  const issuerSpki = spkiOf(issuer.publicKey);
  const issuerId = keyIdOf(issuerSpki);
  const { publicKey, privateKey } = newKeyPair();
  const spki = spkiOf(publicKey);
  const nowMs = Date.now();
  const certified = (subject: string, key: Buffer, serial: number, extensions: readonly Buffer[]) =>
    certify(issuer, {
      ...{ subject, spki: key, extensions },
      serial: Buffer.from([serial, ...crypto.getRandomValues(new Uint8Array(15))]),
      notBeforeMs: nowMs - dayMs,
      notAfterMs: nowMs + 90 * dayMs,
    });
  return {
    caPem: certified(issuer.name, issuerSpki, 1, [...authorityExtensions, subjectKeyId(issuerId)]),
    certificatePem: certified(sitesHost, spki, 2, [
      ...serverExtensions,
      alternativeNames([`*.${sitesHost}`]),
      subjectKeyId(keyIdOf(spki)),
      authorityKeyId(issuerId),
    ]),
    keyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}
