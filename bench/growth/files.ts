/** Files of a site: to publish, to serve and to delete them. */
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../src/core/clock.ts";
import { hashOf } from "../../src/hosting/sites/deployment.ts";
import { FileUploader } from "../../src/hosting/sites/fileUploader.ts";
import type { SiteStore } from "../../src/hosting/sites/sites.ts";
import { attachDomain } from "../edge/servers.ts";
import { createEdgeSite, host } from "../edge/site.ts";
import { databaseIn } from "../seeded.ts";
import { publishPage } from "./domains.ts";
import { fill, newPlace, serve } from "./service.ts";
import type { Subject } from "./subject.ts";

const project = "guide";
const deployment = "dep_growth";

export const files: Subject = {
  name: "files",
  sizes: [1_000, 10_000, 100_000],
  figures: {
    publish: { title: "publishing, CPU µs per file", once: "before" },
    page: { title: "edge: any of the files, CPU µs" },
    memory: { title: "memory, MB", once: "after" },
    remove: { title: "deleting, CPU µs per file", once: "after" },
  },
  async start(size, arena) {
    const place = await newPlace(arena);
    const site = await createEdgeSite(arena.newFolder());
    await fill(place, async (stores) => {
      await publishPage(stores, project, site);
      await attachDomain(stores, { id: "bench", host, project }, site);
    });
    const service = await serve(place);
    const inSites = (act: (sites: SiteStore) => Promise<void>) =>
      ownCpuUs(() => fill(place, ({ sites }) => act(sites))).then((us) => us / size);
    // One that has a tag is never given a page of the cache.
    const headers = { "If-None-Match": '"none"' };
    const calls = [{ method: "GET", path: "/{any}.html" }] as const;
    const tls = { host, opensslConfig: site.opensslConfig };
    return {
      take: {
        publish: () => inSites((sites) => publishFiles(sites, size)),
        page: (seconds) =>
          service.cpuUs({ port: service.edgePort, seconds, calls, headers, ids: size, tls }),
        memory: async () => service.memoryMb(),
        remove: () => {
          expire(databaseIn(place.dataFolder));
          return inSites(async (sites) => {
            while (await sites.pruneDeployments(project));
          });
        },
      },
      stop: service.stop,
    };
  },
};

/** As a command does it, beside the limit of the files of a site. Too small to be compressed. */
async function publishFiles(store: SiteStore, count: number): Promise<void> {
  const nowMs = systemClock.now();
  await store.beginDeployment({ id: deployment, project, nowMs });
  await store.buildDeployment(deployment, nowMs);
  const uploader = new FileUploader(deployment, store, systemClock);
  for (let at = 1; at <= count; at++) {
    const content = Buffer.from(`<!doctype html><title>${at}</title><p>Page ${at} of ${count}.`);
    const bytes = content.byteLength;
    const source = { path: `${at}.html`, bytes, read: async () => content };
    await uploader.take({ path: source.path, hash: hashOf(content), bytes }, content, source);
  }
  await uploader.send();
  const outcome = await store.finishDeployment(deployment, {
    ...{ fingerprint: String(count), unless: "shown", nowMs },
  });
  if (outcome.kind !== "shown") throw new Error(`The site was not published: ${outcome.kind}.`);
}

/** As if newer deployments had taken its place. */
function expire(database: string): void {
  const db = new DatabaseSync(database);
  db.exec(`PRAGMA busy_timeout = 10000;
    UPDATE projects SET current = NULL;
    UPDATE deployments SET state = 'failed' WHERE id = '${deployment}'`);
  db.close();
}

/** Of this process, with the thread that writes. */
async function ownCpuUs(act: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await act();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
