/** The page that every server of the comparison serves, with the certificate for it. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { promisify } from "node:util";

export const host = "docs.example.com";
export const path = "/guide.html";

export interface EdgeSite {
  readonly page: Buffer;
  readonly certificateFile: string;
  readonly certificatePem: string;
  readonly keyFile: string;
  readonly keyPem: string;
  /** Makes wrk and h2load use the same version and cipher of TLS with every server. */
  readonly opensslConfig: string;
}

const certificateDays = 30;

export async function createEdgeSite(folder: string): Promise<EdgeSite> {
  const certificateFile = join(folder, "certificate.pem");
  const keyFile = join(folder, "key.pem");
  await promisify(execFile)("openssl", [
    ...["req", "-x509", "-nodes", "-days", String(certificateDays)],
    ...["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
    ...["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`],
    ...["-keyout", keyFile, "-out", certificateFile],
  ]);
  const opensslConfig = join(folder, "openssl.cnf");
  writeFileSync(opensslConfig, clientConfiguration);
  return {
    page: Buffer.from(pageText()),
    certificateFile,
    certificatePem: readFileSync(certificateFile, "utf8"),
    keyFile,
    keyPem: readFileSync(keyFile, "utf8"),
    opensslConfig,
  };
}

const clientConfiguration = `openssl_conf = init
[init]
ssl_conf = ssl
[ssl]
system_default = tls
[tls]
MinProtocol = TLSv1.3
Ciphersuites = TLS_AES_128_GCM_SHA256
`;

/** About 5 kB, as long as a short page of documentation. */
function pageText(): string {
  const paragraphs = Array.from(
    { length: 24 },
    (_, at) =>
      `<h2 id="step-${at}">Step ${at}</h2>
<p>Create the record at your DNS provider, wait until every name server of the domain answers with it, and
ask for verification number ${at * 7919}. The certificate is ordered as soon as that succeeded.</p>`,
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>A guide</title></head>
<body>
<h1>A guide</h1>
${paragraphs.join("\n")}
</body>
</html>
`;
}

export const encodings = ["identity", "gzip"] as const;
export type Encoding = (typeof encodings)[number];

/** Of a client that accepts no other encoding. */
export function headersFor(encoding: Encoding): Record<string, string> {
  return encoding === "identity" ? {} : { "Accept-Encoding": encoding };
}

export interface PageResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export function getPage(site: EdgeSite, port: number, encoding: Encoding): Promise<PageResponse> {
  return new Promise((resolve, reject) => {
    const headers = { Host: host, ...headersFor(encoding) };
    const to = { host: "127.0.0.1", port, servername: host, path, headers, agent: false } as const;
    const asked = request({ ...to, ca: site.certificatePem }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.once("error", reject);
      response.once("end", () => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, body: Buffer.concat(pieces) });
      });
    });
    asked.once("error", reject);
    asked.end();
  });
}
