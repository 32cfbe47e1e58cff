/** Custom domains: a visitor of any of them, what runs beside, and the lists of the dashboard. */
import { setTimeout as pause } from "node:timers/promises";
import { connect } from "node:tls";
import { systemClock } from "../../src/core/clock.ts";
import { Vault } from "../../src/core/vault.ts";
import { publish } from "../../src/hosting/sites/publish.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { ask } from "../children.ts";
import { serviceSecret } from "../contestants/ours.ts";
import { attachDomain } from "../edge/servers.ts";
import { createEdgeSite, type EdgeSite, path } from "../edge/site.ts";
import { each, fill, newPlace, serve } from "./service.ts";
import type { Subject } from "./subject.ts";

const domainsPerProject = 100;
const visitorsAtOnce = 8;

const hostAt = (at: number) => `docs-${at}.example.com`;

export const domains: Subject = {
  name: "domains",
  sizes: [100, 1_000, 10_000],
  figures: {
    visit: { title: "handshake and page of any domain, CPU µs" },
    idle: { title: "without requests, CPU ms per second" },
    list: { title: "dashboard's page of 50 domains, CPU µs" },
    overview: { title: "dashboard's overview, CPU µs" },
    metrics: { title: "metrics, when the store is read, CPU ms", once: "after" },
    memory: { title: "memory, MB", once: "after" },
  },
  async start(size, arena) {
    const place = await newPlace(arena);
    const site = await createEdgeSite(arena.newFolder());
    await fill(place, (stores) => attachDomains(stores, site, size));
    const service = await serve(place);
    return {
      take: {
        visit: (seconds) => service.cpuUsOf(() => visitFor(service.edgePort, size, seconds)),
        idle: (seconds) =>
          service
            .cpuUsOf(() => pause(2_000 * seconds).then(() => 2 * seconds))
            .then((us) => us / 1_000),
        list: (seconds) => service.operatorUs("/internal/v1/domains", seconds),
        overview: (seconds) => service.operatorUs("/internal/v1/overview", seconds),
        metrics: () =>
          service
            .cpuUsOf(async () => {
              const { status } = await ask({ port: service.metricsPort, path: "/metrics" });
              if (status !== 200) throw new Error(`/metrics was answered ${status}.`);
              // It answers before the last of the store is read.
              await pause(2_000);
              return 1;
            })
            .then((us) => us / 1_000),
        memory: async () => service.memoryMb(),
      },
      stop: service.stop,
    };
  },
};

/** As verification and the certificate authority would leave them. One key serves for all. */
async function attachDomains(stores: Stores, site: EdgeSite, count: number): Promise<void> {
  const vault = new Vault(serviceSecret, systemClock);
  const projects = Math.ceil(count / domainsPerProject);
  await each(projects, (at) => publishPage(stores, `guide-${at}`, site));
  await each(count, (at) => {
    const project = `guide-${Math.floor(at / domainsPerProject)}`;
    return attachDomain(stores, { id: `dom_${at}`, host: hostAt(at), project }, site, vault);
  });
}

/** As the site of a project, whose owner has the same name. */
export async function publishPage({ sites }: Stores, slug: string, { page }: EdgeSite) {
  await sites.addOwner({ id: slug, name: slug, plan: "paid" });
  await sites.addProject({ slug, ownerId: slug, nowMs: systemClock.now() });
  const file = { path: path.slice(1), bytes: page.byteLength, read: async () => page };
  await publish(slug, [file], { store: sites, clock: systemClock, unless: "shown" });
}

/** Each with a connection of its own. Resolves with how many came. */
async function visitFor(port: number, hosts: number, seconds: number): Promise<number> {
  const endMs = performance.now() + seconds * 1_000;
  let visits = 0;
  const keepVisiting = async () => {
    while (performance.now() < endMs) {
      await visit(port, hostAt(Math.floor(Math.random() * hosts)));
      visits++;
    }
  };
  await Promise.all(Array.from({ length: visitorsAtOnce }, keepVisiting));
  return visits;
}

function visit(port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const to = { host: "127.0.0.1", port, servername: host, rejectUnauthorized: false };
    const socket = connect(to, () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    });
    let start = "";
    socket.on("data", (chunk: Buffer) => {
      start ||= chunk.toString("latin1");
    });
    socket.once("error", reject);
    socket.once("close", () =>
      start.startsWith("HTTP/1.1 200") ? resolve() : reject(new Error(`${host}: ${start}`)),
    );
  });
}
