/** What every store of sites does, whichever engine it runs on. */

import { describe, expect, test } from "bun:test";
import {
  failedDeploymentsMax,
  readyDeploymentsMax,
  staleAfterMs,
} from "../../src/hosting/sites/deployment.ts";
import { projectsPerOwnerMax } from "../../src/hosting/sites/site.ts";
import type { Stores } from "../../src/storage/stores.ts";
import {
  begun,
  deploy,
  finish,
  nowMs,
  publishAcme,
  textAt,
  uploadOf,
  withProject,
} from "../sites/projects.ts";

/** `open` gives another handle on the same database, which is empty when a test begins. */
export function describeSites(engine: string, open: () => Promise<Stores>): void {
  describe(`owners and projects on ${engine}`, () => {
    test("an owner is added once and keeps what was said first", async () => {
      const { sites } = await open();
      expect(await sites.addOwner({ id: "ada", name: "Ada", plan: "free" })).toBe(true);
      expect(await sites.addOwner({ id: "ada", name: "Eve", plan: "paid" })).toBe(false);
      expect(await sites.owner("ada")).toEqual({ id: "ada", name: "Ada", plan: "free" });
      expect(await sites.owner("eve")).toBeUndefined();
    });

    test("a plan changes for its owner alone", async () => {
      const { sites } = await open();
      for (const id of ["bob", "ada"]) await sites.addOwner({ id, name: id, plan: "free" });
      expect(await sites.setPlan("ada", "paid")).toBe(true);
      expect(await sites.setPlan("eve", "paid")).toBe(false);
      expect(await sites.listOwners()).toEqual([
        { id: "ada", name: "ada", plan: "paid" },
        { id: "bob", name: "bob", plan: "free" },
      ]);
    });

    test("a slug is given once, and only to an owner that is there", async () => {
      const { sites } = await open();
      expect(await sites.addProject({ slug: "acme", ownerId: "ada", nowMs })).toBe("no_such_owner");
      await sites.addOwner({ id: "ada", name: "Ada", plan: "paid" });
      expect(await sites.addProject({ slug: "acme", ownerId: "ada", nowMs })).toBe("added");
      expect(await sites.addProject({ slug: "acme", ownerId: "ada", nowMs })).toBe("slug_taken");
      expect(await sites.ownerOf("acme")).toEqual({ id: "ada", name: "Ada", plan: "paid" });
      expect(await sites.ownerOf("other")).toBeUndefined();
      const project = { slug: "acme", ownerId: "ada", createdAtMs: nowMs, current: undefined };
      expect(await sites.project("acme")).toEqual(project);
      expect(await sites.listProjects()).toEqual([project]);
    });

    test("an owner has a bounded number of projects, whatever others have", async () => {
      const { sites } = await open();
      for (const id of ["ada", "bob"]) await sites.addOwner({ id, name: id, plan: "free" });
      const add = (slug: string, ownerId: string) => sites.addProject({ slug, ownerId, nowMs });
      for (let count = 0; count < projectsPerOwnerMax; count++) {
        expect(await add(`site-${count}`, "ada")).toBe("added");
      }
      expect(await add("one-more", "ada")).toBe("too_many_projects");
      expect(await add("site-0", "ada")).toBe("slug_taken");
      expect(await add("one-more", "bob")).toBe("added");
      expect(await sites.listProjects()).toHaveLength(projectsPerOwnerMax + 1);
    });

    test("of several last projects of an owner at the same time, one is created", async () => {
      const [{ sites }, { sites: second }] = [await open(), await open()];
      await sites.addOwner({ id: "ada", name: "Ada", plan: "free" });
      const add = (slug: string, store = sites) =>
        store.addProject({ slug, ownerId: "ada", nowMs });
      for (let count = 1; count < projectsPerOwnerMax; count++) await add(`site-${count}`);
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, n) => add(`last-${n}`, n % 2 === 0 ? sites : second)),
      );
      expect(outcomes.filter((outcome) => outcome === "added")).toHaveLength(1);
      expect(await sites.listProjects()).toHaveLength(projectsPerOwnerMax);
    });
  });

  describe(`deployments on ${engine}`, () => {
    test("show all of a site at once, and nothing of it before", async () => {
      const store = await withProject(open);
      const first = await deploy(store, { "index.html": "one", "a.css": "a" });
      const id = await begun(store, "dep_next");
      await store.addFiles(id, [uploadOf("index.html", "two")], nowMs);
      expect(await textAt(store, "index.html")).toBe("one");
      expect((await store.finishDeployment(id, finish)).kind).toBe("shown");
      expect(await textAt(store, "index.html")).toBe("two");
      expect(await textAt(store, "a.css")).toBeUndefined();
      expect(await textAt(store, "a.css", first)).toBe("a");
    });

    test("are listed newest first with their sizes and states", async () => {
      const store = await withProject(open);
      const first = await deploy(store, { "index.html": "one", "a.css": "four" });
      await store.beginDeployment({ id: "dep_waiting", project: "acme", nowMs: nowMs + 1 });
      const [second, oldest] = await store.listDeployments("acme", 10);
      expect(second).toMatchObject({ id: "dep_waiting", state: "queued", files: 0, bytes: 0 });
      expect(oldest).toMatchObject({ id: first, state: "ready", files: 2, bytes: 7 });
      expect(oldest?.fingerprint).toMatch(/^[0-9a-f]{64}$/);
      expect(await store.listDeployments("acme", 1)).toEqual(second ? [second] : []);
      expect(await store.listDeployments("other", 10)).toEqual([]);
      expect(await store.deployment(first)).toEqual(oldest as NonNullable<typeof oldest>);
    });

    test("go back to any earlier one that was ready, and to no other", async () => {
      const store = await withProject(open);
      const first = await deploy(store, { "index.html": "one" });
      await deploy(store, { "index.html": "two" });
      await store.beginDeployment({ id: "dep_waiting", project: "acme", nowMs });
      expect(await store.rollBack("acme", "dep_waiting")).toBe("not_ready");
      expect(await store.rollBack("acme", "dep_none")).toBe("no_such_deployment");
      await store.addProject({ slug: "other", ownerId: "ada", nowMs });
      expect(await store.rollBack("other", first)).toBe("no_such_deployment");
      expect(await textAt(store, "index.html")).toBe("two");
      expect(await store.rollBack("acme", first)).toBe("shown");
      expect(await textAt(store, "index.html")).toBe("one");
    });

    test("can be taken off, and shown again", async () => {
      const store = await withProject(open);
      expect(await store.unpublish("acme")).toBe("not_published");
      expect(await store.unpublish("none")).toBe("no_such_project");
      const id = await deploy(store, { "index.html": "one" });
      expect(await store.unpublish("acme")).toBe("unpublished");
      expect((await store.project("acme"))?.current).toBeUndefined();
      expect(await store.rollBack("acme", id)).toBe("shown");
      expect(await textAt(store, "index.html")).toBe("one");
    });

    test("need a project", async () => {
      const { sites } = await open();
      expect(await sites.beginDeployment({ id: "dep_a", project: "acme", nowMs })).toBe(false);
      expect(await publishAcme(sites, { a: "a" })).toEqual({ kind: "no_such_project" });
    });

    test("move only as their table says, and a ready one never changes", async () => {
      const store = await withProject(open);
      await store.beginDeployment({ id: "dep_a", project: "acme", nowMs });
      const upload = [uploadOf("index.html", "one")];
      expect(await store.addFiles("dep_a", upload, nowMs)).toEqual({ kind: "not_building" });
      expect((await store.finishDeployment("dep_a", finish)).kind).toBe("refused");
      expect(await store.buildDeployment("dep_a", nowMs)).toBe(true);
      expect(await store.buildDeployment("dep_a", nowMs)).toBe(false);
      expect(await store.addFiles("dep_a", upload, nowMs)).toEqual({ kind: "added" });
      expect((await store.finishDeployment("dep_a", finish)).kind).toBe("shown");
      expect(await store.addFiles("dep_a", upload, nowMs)).toEqual({ kind: "not_building" });
      expect(await store.failDeployment("dep_a", "No.", nowMs)).toBe(false);
      expect(await store.deployment("dep_a")).toMatchObject({ state: "ready", failure: undefined });

      await begun(store, "dep_b");
      expect(await store.failDeployment("dep_b", "Broken.", nowMs)).toBe(true);
      expect(await store.failDeployment("dep_b", "Again.", nowMs)).toBe(false);
      expect((await store.finishDeployment("dep_b", finish)).kind).toBe("refused");
      expect(await store.deployment("dep_b")).toMatchObject({
        state: "failed",
        failure: "Broken.",
      });
      expect(await textAt(store, "index.html")).toBe("one");
    });

    test("one that fell silent is failed by the next, and can then add nothing more", async () => {
      const store = await withProject(open);
      await begun(store, "dep_dead");
      await begun(store, "dep_slow", nowMs + 2);
      const laterMs = nowMs + staleAfterMs + 1;
      await store.beginDeployment({ id: "dep_new", project: "acme", nowMs: laterMs });
      expect(await store.deployment("dep_dead")).toMatchObject({ state: "failed" });
      expect(await store.deployment("dep_slow")).toMatchObject({ state: "building" });
      const late = await store.addFiles("dep_dead", [uploadOf("index.html", "x")], laterMs);
      expect(late).toEqual({ kind: "not_building" });
    });

    test("one that was begun earlier and ends later is kept, but not shown", async () => {
      const store = await withProject(open);
      await begun(store, "dep_slow");
      await store.addFiles("dep_slow", [uploadOf("index.html", "old")], nowMs);
      await deploy(store, { "index.html": "new" });
      expect((await store.finishDeployment("dep_slow", finish)).kind).toBe("overtaken");
      expect(await textAt(store, "index.html")).toBe("new");
      expect(await store.rollBack("acme", "dep_slow")).toBe("shown");
    });

    test("can be published later, unless one that was begun later was published", async () => {
      const store = await withProject(open);
      const ready = async (id: string) => {
        await begun(store, id);
        await store.addFiles(id, [uploadOf("index.html", id)], nowMs);
        const later = { ...finish, fingerprint: id, publish: false };
        expect(await store.finishDeployment(id, later)).toEqual({ kind: "ready" });
      };
      const shown = async () => (await store.project("acme"))?.current;
      await begun(store, "dep_slow");
      await ready("dep_one");
      await ready("dep_two");
      expect(await shown()).toBeUndefined();
      // Those that are only ready do not count as newer.
      const slow = { ...finish, fingerprint: "slow" };
      expect(await store.finishDeployment("dep_slow", slow)).toEqual({ kind: "shown" });
      expect(await store.publishDeployment("acme", "dep_two")).toBe("shown");
      expect(await store.publishDeployment("acme", "dep_two")).toBe("shown");
      expect(await store.publishDeployment("acme", "dep_one")).toBe("overtaken");
      expect(await shown()).toBe("dep_two");
      // Nor after a rollback, which shows whichever is wanted, or with nothing shown.
      expect(await store.rollBack("acme", "dep_slow")).toBe("shown");
      expect(await store.publishDeployment("acme", "dep_one")).toBe("overtaken");
      await store.unpublish("acme");
      expect(await store.publishDeployment("acme", "dep_one")).toBe("overtaken");
      expect(await shown()).toBeUndefined();
      expect(await store.publishDeployment("acme", "dep_two")).toBe("shown");
      await begun(store, "dep_waiting");
      expect(await store.publishDeployment("acme", "dep_waiting")).toBe("not_ready");
      expect(await store.publishDeployment("acme", "dep_none")).toBe("no_such_deployment");
      expect(await store.publishDeployment("none", "dep_two")).toBe("no_such_deployment");
    });

    test("the same content again is no new deployment, unless something else is shown", async () => {
      const store = await withProject(open);
      const contents = { "index.html": "one", "a/b.txt": "b" };
      const again = () => publishAcme(store, contents);
      const first = await deploy(store, contents);
      expect(await again()).toEqual({ kind: "needless", same: first });
      expect(await store.listDeployments("acme", 10)).toHaveLength(1);
      await deploy(store, { ...contents, "a/b.txt": "c" });
      const third = await again();
      expect(third.kind).toBe("shown");
      await store.unpublish("acme");
      expect((await again()).kind).toBe("shown");
    });

    test("whoever keeps a site up to date can leave one alone that was rolled back", async () => {
      const store = await withProject(open);
      const first = await deploy(store, { "index.html": "one" });
      const second = await deploy(store, { "index.html": "two" });
      await store.rollBack("acme", first);
      const again = (unless: "newest" | "shown") =>
        publishAcme(store, { "index.html": "two" }, unless);
      expect(await again("newest")).toEqual({ kind: "needless", same: second });
      expect((await store.project("acme"))?.current).toBe(first);
      expect((await again("shown")).kind).toBe("shown");
    });

    test("beyond the newest ready ones are deleted, except the one that is shown", async () => {
      const store = await withProject(open);
      const shown = await deploy(store, { "index.html": "shown" });
      const oldest = await deploy(store, { "index.html": "oldest" });
      const { hash } = uploadOf("index.html", "oldest");
      const others = Array.from({ length: readyDeploymentsMax - 1 }, (_, n) => `dep_${n}`);
      await Promise.all(
        others.map(async (id) => {
          await begun(store, id);
          await store.finishDeployment(id, { ...finish, fingerprint: id });
        }),
      );
      await store.rollBack("acme", shown);
      const prune = async () => {
        while (await store.pruneDeployments("acme"));
      };
      await prune();
      expect(await store.deployment(oldest)).toMatchObject({ state: "ready" });
      await begun(store, "dep_one_more");
      await store.addFiles("dep_one_more", [uploadOf("index.html", "one more")], nowMs);
      await store.finishDeployment("dep_one_more", finish);
      await store.rollBack("acme", shown);
      const revision = store.revision();
      await prune();
      // Its own address shows it no longer, whatever was cached.
      expect(store.revision()).toBeGreaterThan(revision);
      expect(await store.deployment(oldest)).toBeUndefined();
      expect(await store.rollBack("acme", oldest)).toBe("no_such_deployment");
      expect(await store.knownContents([hash])).toEqual(new Set());
      expect(await textAt(store, "index.html")).toBe("shown");
      expect(await store.listDeployments("acme", 1_000)).toHaveLength(readyDeploymentsMax + 1);
      // Once another one is shown, it is as old as the others.
      await store.rollBack("acme", "dep_one_more");
      await prune();
      expect(await store.deployment(shown)).toBeUndefined();
      expect(await store.listDeployments("acme", 1_000)).toHaveLength(readyDeploymentsMax);
    });

    test("that failed are deleted beyond the newest, and take none that is ready with them", async () => {
      const store = await withProject(open);
      const ready = await deploy(store, { "index.html": "ready" });
      for (let count = 0; count < failedDeploymentsMax + 2; count++) {
        const id = await begun(store, `dep_bad_${count}`);
        await store.addFiles(id, [uploadOf("index.html", `bad ${count}`)], nowMs);
        await store.failDeployment(id, "Broken.", nowMs);
      }
      while (await store.pruneDeployments("acme"));
      const left = (await store.listDeployments("acme", 1_000)).map(({ id }) => id);
      expect(left).toHaveLength(failedDeploymentsMax + 1);
      expect(left).toContain(ready);
      expect(left).not.toContain("dep_bad_1");
      expect(left).toContain("dep_bad_2");
    });

    test("the same content under another path is another site", async () => {
      const store = await withProject(open);
      await deploy(store, { "a.html": "one", "b.html": "two" });
      await deploy(store, { "a.html": "two", "b.html": "one" });
      expect(await textAt(store, "a.html")).toBe("two");
    });
  });
}
