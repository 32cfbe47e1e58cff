import { expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import type { SiteStore } from "../../src/hosting/sites/sites.ts";
import { backupSqlite, restoreSqlite } from "../../src/storage/sqlite/backup.ts";
import { useTemporaryFolder } from "../store/folder.ts";
import { publishAcme, withProject } from "./projects.ts";

const folder = useTemporaryFolder();
async function everythingOf(store: SiteStore) {
  const deployments = await store.listDeployments("acme", 100);
  return {
    owners: await store.listOwners(),
    projects: await store.listProjects(),
    deployments,
    files: await Promise.all(deployments.map(({ id }) => store.file(id, "index.html"))),
  };
}

test("a backup holds owners, projects, deployments and contents, and a restore brings them back in use", async () => {
  const sites = await withProject(() => folder.open());
  const page = "<p>All about anvils.</p>".repeat(100);
  await publishAcme(sites, { "index.html": page, "film.mp4": Buffer.alloc(5_000_000, 3) });
  await publishAcme(sites, { "index.html": `${page}!` });
  const before = await everythingOf(sites);
  await backupSqlite(folder.path("petstore.db"), folder.path("backup.db"), systemClock);

  await publishAcme(sites, { "index.html": "later" });
  await sites.unpublish("acme");
  await sites.setPlan("ada", "paid");
  const revision = sites.revision();
  await restoreSqlite(
    folder.path("petstore.db"),
    folder.path("backup.db"),
    "production",
    systemClock,
  );

  expect(await everythingOf(sites)).toEqual(before);
  expect(sites.revision()).not.toBe(revision);
  const shown = (await sites.project("acme"))?.current ?? "";
  const file = await sites.file(shown, "index.html");
  expect(file?.smaller.toSorted()).toEqual(["br", "gzip"]);
  const content = await sites.content(file?.hash ?? "", "identity");
  expect(Buffer.from(content ?? []).toString()).toBe(`${page}!`);
  await publishAcme(sites, { "index.html": "goes on" });
  expect((await sites.project("acme"))?.current).not.toBe(shown);
});
