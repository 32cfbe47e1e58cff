/**
 * The service with custom domains, as it runs anywhere else, beside a name server and a certificate
 * authority that exist on this machine alone.
 */
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mintAccess } from "../../src/accounts/access.ts";
import { AuthService } from "../../src/accounts/authService.ts";
import { Passwords } from "../../src/accounts/password.ts";
import { firstLinkMs, issueLink } from "../../src/accounts/sessions.ts";
import { SignInThrottle } from "../../src/accounts/signInThrottle.ts";
import { readConfig } from "../../src/config/config.ts";
import { systemClock as clock } from "../../src/core/clock.ts";
import { createLog, patientWriter } from "../../src/core/log.ts";
import { createResolver } from "../../src/hosting/dns/resolver.ts";
import { publish } from "../../src/hosting/sites/publish.ts";
import { type Service, startService } from "../../src/serve/serve.ts";
import { openSqlite } from "../../src/storage/sqlite/store.ts";
import { freePorts } from "../../testkit/freePorts.ts";
import { startAuthority } from "./authority.ts";
import { startNameServer } from "./nameServer.ts";
import type { Commands } from "./view.ts";
import type { VisitOptions } from "./visit.ts";
import { rehearsalAdmin, rehearsalPath } from "./zoneApi.ts";
import { Zone, Zones } from "./zones.ts";

/** `.test` is reserved, so nobody's names are taken for a rehearsal (RFC 6761, section 6.2). */
const names = {
  owner: "acme",
  project: "acme-docs",
  zone: "acme.test",
  host: "docs.acme.test",
  platform: "platform.test",
  sites: "sites.platform.test",
  authority: "ca.platform.test",
} as const;

const loopback = "127.0.0.1";

/** What does not depend on ports and folders. */
const settings = {
  PETSTORE_SITES_HOST: names.sites,
  PETSTORE_DNS_PRIVATE: "on",
  PETSTORE_ACME_TERMS: "agreed",
  PETSTORE_METRICS_PORT: "off",
  PETSTORE_FIRST_KEY: "off",
  PETSTORE_SHUTDOWN_SECONDS: "1",
};

export interface Rehearsal {
  readonly host: string;
  readonly project: string;
  /** A link that signs in without a password. */
  readonly link: string;
  readonly account: { readonly name: string; readonly password: string };
  /** For `petstore … --to`. */
  readonly origin: string;
  readonly token: string;
  readonly zone: { readonly name: string; readonly api: string };
  readonly nameServer: string;
  readonly rootFile: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly commands: Commands;
  stop(): Promise<void>;
}

export interface RehearsalOptions {
  /** Where the dashboard is; any free port for 0. */
  readonly port: number;
  /** Of what the service logs on stderr. */
  readonly logLevel: string;
}

export async function startRehearsal(options: RehearsalOptions): Promise<Rehearsal> {
  const folder = mkdtempSync(join(tmpdir(), "petstore-rehearsal-"));
  const undo: (() => unknown)[] = [];
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  // However it ends.
  process.once("exit", removeFolder);
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
    removeFolder();
    process.off("exit", removeFolder);
  };
  try {
    return { ...(await startParts(options, folder, undo)), stop };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

async function startParts(
  { port, logLevel }: RehearsalOptions,
  folder: string,
  undo: (() => unknown)[],
): Promise<Omit<Rehearsal, "stop">> {
  const zone = acmeZone();
  const nameServer = await startNameServer(
    new Zones([new Zone(".", loopback), platformZone(), zone]),
  );
  undo.push(() => nameServer.stop());
  const [httpPort = 0, httpsPort = 0] = await freePorts(2);
  const resolver = createResolver({
    clock,
    recursors: [nameServer],
    authorityPort: nameServer.port,
    allowPrivateAddresses: true,
  });
  undo.push(() => resolver.close());
  const authority = await startAuthority({ resolver, httpPort, caaIdentity: names.authority });
  undo.push(() => authority.stop());
  const rootFile = join(folder, "root.pem");
  writeFileSync(rootFile, authority.rootPem);

  const commands = commandsFor({ folder, rootFile, httpsPort, rootPem: authority.rootPem });
  const visits: VisitOptions = { resolver, httpsPort, rootPem: authority.rootPem };
  const { zone: zoneName, host, project, owner } = names;
  const view = { zone: zoneName, host, project, commands };
  const config = readConfig({
    PORT: String(port),
    PETSTORE_DATA: folder,
    PETSTORE_LOG: logLevel,
    PETSTORE_EDGE_HTTP_PORT: String(httpPort),
    PETSTORE_EDGE_HTTPS_PORT: String(httpsPort),
    PETSTORE_DNS_RECURSORS: `${nameServer.address}:${nameServer.port}`,
    PETSTORE_DNS_PORT: String(nameServer.port),
    PETSTORE_ACME_DIRECTORY: authority.directory,
    PETSTORE_ACME_TRUST: rootFile,
    ...settings,
  });
  const write = patientWriter((bytes) => writeSync(process.stderr.fd, bytes));
  const service = await startService({
    config,
    secret: randomText(32),
    clock,
    log: createLog(config.logLevel, clock, write),
    openStores: (those) => openSqlite(join(folder, "petstore.db"), those),
    admin: (own) => rehearsalAdmin(own, { ...visits, zone, view }),
  });
  undo.push(() => service.stop());

  const { password, token } = await makeOwner(service);
  const origin = `http://${loopback}:${service.port}`;
  return {
    host,
    project,
    link: `${origin}/dashboard/#/rehearsal/${owner}/${password}`,
    account: { name: owner, password },
    origin,
    token,
    zone: { name: zoneName, api: `${origin}${rehearsalPath}` },
    nameServer: `${nameServer.address}:${nameServer.port}`,
    rootFile,
    httpPort,
    httpsPort,
    commands,
  };
}

/** As it may be found at a provider: the name to attach still points to an old server. */
function acmeZone(): Zone {
  const zone = new Zone(names.zone, loopback);
  zone.add({ name: "@", type: "A", value: "192.0.2.10" });
  zone.add({ name: "@", type: "TXT", value: "v=spf1 -all" });
  zone.add({ name: "docs", type: "A", value: "192.0.2.7" });
  zone.add({ name: "www", type: "CNAME", value: names.zone });
  return zone;
}

/** What the operator of a platform sets up once. */
function platformZone(): Zone {
  const zone = new Zone(names.platform, loopback);
  zone.add({ name: "sites", type: "A", value: loopback });
  zone.add({ name: "*.sites", type: "A", value: loopback });
  return zone;
}

/** An owner on the paid plan who can sign in, with a project that shows something. */
async function makeOwner({ stores, counts }: Service) {
  const { owner, project } = names;
  const holder = { kind: "owner", id: owner } as const;
  await stores.sites.addOwner({ id: owner, name: "Acme", plan: "paid" });
  await stores.sites.addProject({ slug: project, ownerId: owner, nowMs: clock.now() });
  const bytes = new Uint8Array(readFileSync(new URL("site/index.html", import.meta.url)));
  const page = { path: "index.html", bytes: bytes.byteLength, read: async () => bytes };
  await publish(project, [page], { store: stores.sites, clock, unless: "newest" });

  const passwords = new Passwords(clock);
  const accounts = new AuthService({
    store: stores.accounts,
    passwords,
    clock,
    throttle: new SignInThrottle({ store: stores.accounts, counts, clock }),
    failed: () => {},
  });
  const password = randomText(15);
  const link = await issueLink(stores.accounts, clock, holder, firstLinkMs);
  await accounts.redeemLink(link.token, password, "");
  await stores.accounts.endSessions(owner, undefined);
  const { access, token } = mintAccess(holder, "rehearsal", clock);
  await stores.access.add(access);
  return { password, token };
}

const randomText = (bytes: number) => Buffer.from(clock.random(bytes)).toString("base64url");

function commandsFor(paths: {
  folder: string;
  rootFile: string;
  httpsPort: number;
  rootPem: string;
}) {
  const { folder, rootFile, httpsPort, rootPem } = paths;
  const url = `https://${names.host}:${httpsPort}/`;
  const { publicKey } = new X509Certificate(rootPem);
  const spki = publicKey.export({ type: "spki", format: "der" });
  const pin = new Bun.CryptoHasher("sha256").update(spki).digest("base64");
  return {
    curl: `curl --cacert ${rootFile} --connect-to ::${loopback}: ${url}`,
    chromium: `chromium --user-data-dir=${join(folder, "browser")} --host-resolver-rules="MAP *.test ${loopback}" --ignore-certificate-errors-spki-list=${pin} ${url}`,
  };
}
