/** The servers that serve the page over TLS: our edge, and nginx and Caddy with files. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/core/clock.ts";
import { Vault } from "../../src/core/vault.ts";
import { certificateSeal, type StoredCertificate } from "../../src/hosting/domains/domains.ts";
import { added, certified } from "../../src/hosting/domains/lifecycle.ts";
import { openSqlite } from "../../src/storage/sqlite/store.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { freePort } from "../../testkit/freePorts.ts";
import { type Child, type ChildOrder, startChild, untilOk } from "../children.ts";
import { nginxCommand, nginxConfiguration } from "../contestants/nginx.ts";
import { edgeSettings, serviceSecret as secret } from "../contestants/ours.ts";
import { databaseIn, main, petstore } from "../seeded.ts";
import {
  type EdgeSite,
  type Encoding,
  encodings,
  getPage,
  host,
  type PageResponse,
  path,
} from "./site.ts";

export interface EdgeServer {
  readonly name: "ours" | "nginx" | "caddy";
  readonly title: string;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

const project = "guide";
const certificateDays = 30;

/** The program with custom domains, and a domain that is live in its database. */
export async function startOurs(folder: string, site: EdgeSite): Promise<EdgeServer> {
  const data = join(folder, "data");
  const files = join(folder, "files");
  mkdirSync(files);
  writeFileSync(join(files, path), site.page);
  await petstore(data, ["owners", "add", project, "--plan", "paid"]);
  await petstore(data, ["sites", "create", project, "--owner", project]);
  await petstore(data, ["sites", "deploy", project, files]);
  await attachHost(data, site);
  const [port, httpPort, apiPort] = [await freePort(), await freePort(), await freePort()];
  const order = {
    command: process.execPath,
    args: [main, "serve"],
    variables: {
      NODE_ENV: "production",
      PORT: String(apiPort),
      PETSTORE_DATA: data,
      PETSTORE_SECRET: secret,
      PETSTORE_METRICS_PORT: "off",
      ...edgeSettings(httpPort, port),
    },
    output: join(folder, "output.log"),
  };
  return start("ours", "our edge", port, site, order);
}

/** A domain of an owner named like its project, whose DNS was right and which has its certificate. */
export async function attachDomain(
  { domains }: Pick<Stores, "domains">,
  named: { readonly id: string; readonly host: string; readonly project: string },
  { certificatePem, keyPem }: EdgeSite,
  vault = new Vault(secret, systemClock),
): Promise<void> {
  const nowMs = systemClock.now();
  const { host, project } = named;
  const id = `crt_${named.id}`;
  const certificate: StoredCertificate = {
    ...{ id, host, issuer: host, renewalName: undefined },
    chainPem: certificatePem,
    sealedKey: vault.seal(keyPem, certificateSeal(host, id)),
    notBeforeMs: nowMs,
    notAfterMs: nowMs + certificateDays * 86_400_000,
  };
  const begun = added({ ...named, ownerId: project, target: "" }, nowMs);
  const domain = { ...begun, ownership: { kind: "held" } } as const;
  const dueAtMs = nowMs + 86_400_000;
  await domains.add(domain, dueAtMs, []);
  const changed = { domain: certified(domain, certificate, nowMs), version: 1, dueAtMs };
  await domains.change({ ...changed, entries: [], certificate });
}

async function attachHost(data: string, site: EdgeSite): Promise<void> {
  const stores = await openSqlite(databaseIn(data), {
    environment: "production",
    clock: systemClock,
  });
  await attachDomain(stores, { id: "bench", host, project }, site).finally(() => stores.close());
}

/** Our response as the others have to send it, by encoding. */
export type Reference = Readonly<Record<Encoding, PageResponse>>;

export async function takeReference(ours: EdgeServer, site: EdgeSite): Promise<Reference> {
  const identity = await getPage(site, ours.port, "identity");
  return { identity, gzip: await getPage(site, ours.port, "gzip") };
}

export async function startNginx(
  folder: string,
  site: EdgeSite,
  reference: Reference,
): Promise<EdgeServer> {
  const port = await freePort();
  writeFiles(folder, reference);
  const file = join(folder, "nginx.conf");
  const headers = headersOf(reference).map(([name, value]) => `add_header ${name} "${value}";`);
  writeFileSync(
    file,
    nginxConfiguration(`access_log off;
  default_type "${reference.identity.headers["content-type"]}";
  gzip_static on;
  server {
    listen 127.0.0.1:${port} ssl http2;
    server_name ${host};
    ssl_certificate ${site.certificateFile};
    ssl_certificate_key ${site.keyFile};
    ssl_protocols TLSv1.3;
    ssl_session_tickets off;
    root files;
    ${headers.join("\n    ")}
    add_header Last-Modified "";
  }`),
  );
  const args = ["-p", folder, "-e", "error.log", "-c", file];
  const output = join(folder, "output.log");
  return start("nginx", "nginx", port, site, { command: nginxCommand, args, output });
}

export async function startCaddy(
  folder: string,
  site: EdgeSite,
  reference: Reference,
): Promise<EdgeServer> {
  const port = await freePort();
  writeFiles(folder, reference);
  const file = join(folder, "Caddyfile");
  const headers = headersOf(reference).map(([name, value]) => `${name} "${value}"`);
  writeFileSync(
    file,
    `{
  admin off
  auto_https off
  servers {
    protocols h1 h2
  }
}
https://${host}:${port} {
  bind 127.0.0.1
  tls ${site.certificateFile} ${site.keyFile} {
    protocols tls1.3
  }
  header {
    ${headers.join("\n    ")}
    -Last-Modified
    -Server
  }
  root * ${join(folder, "files")}
  file_server {
    precompressed gzip
  }
}
`,
  );
  const order = {
    command: "caddy",
    args: ["run", "--config", file, "--adapter", "caddyfile"],
    // Go uses all cores; nginx has one worker, and ours is one process.
    variables: { GOMAXPROCS: "1", XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    output: join(folder, "output.log"),
  };
  return start("caddy", "Caddy", port, site, order);
}

/** Both find the smaller form of a file beside it. */
function writeFiles(folder: string, { identity, gzip }: Reference): void {
  const files = join(folder, "files");
  mkdirSync(files);
  writeFileSync(join(files, path), identity.body);
  writeFileSync(join(files, `${path}.gz`), gzip.body);
}

/** Those that servers of files make themselves. */
const ownHeaders = [
  ...["accept-ranges", "connection", "content-length", "content-type", "date", "etag"],
  "transfer-encoding",
];

function headersOf({ identity }: Reference): [name: string, value: string][] {
  return Object.entries(identity.headers)
    .filter(([name]) => !ownHeaders.includes(name))
    .map(([name, value]) => [name, String(value)]);
}

async function start(
  name: EdgeServer["name"],
  title: string,
  port: number,
  site: EdgeSite,
  order: ChildOrder,
): Promise<EdgeServer> {
  const child: Child = startChild(order);
  const { pid, stop } = child;
  const status = () => getPage(site, port, "identity").then((page) => page.status);
  await untilOk(child, `${title}'s ${path}`, status);
  return { name, title, port, pid, stop };
}

/** Fails where a server sends anything but our bytes. */
export async function proveSamePage(
  { port, title }: EdgeServer,
  site: EdgeSite,
  reference: Reference,
): Promise<void> {
  for (const encoding of encodings) {
    const expected = reference[encoding];
    const { status, headers, body } = await getPage(site, port, encoding);
    const same =
      status === 200 &&
      body.equals(expected.body) &&
      headers["content-encoding"] === expected.headers["content-encoding"] &&
      headersOf(reference).every(([name, value]) => headers[name] === value);
    if (!same) throw new Error(`${title} sends another response than our edge (${encoding}).`);
  }
}
