/** Projects and deployments, brought from a browser. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { deploymentLabel } from "../../src/hosting/sites/deployment.ts";
import { Uploads } from "../../src/http/platform/uploads.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import {
  announced,
  type DashboardApiFixture,
  hash,
  openDashboardApiFixture,
} from "./dashboardApi/dashboardApiFixture.ts";

describeOnEngines("projects and deployments", (engine) => {
  let fixture: DashboardApiFixture;
  beforeEach(async () => {
    fixture = await openDashboardApiFixture(engine);
  });
  afterEach(() => fixture.close());

  const deployments = "/projects/shop/deployments";
  const page = "<!doctype html><title>Shop</title>";

  async function begin(files: Readonly<Record<string, string>>) {
    const { status, body } = await fixture.ask("POST", deployments, { body: announced(files) });
    expect(status).toBe(201);
    return body as { id: string; missing: string[] };
  }

  const bring = (id: string, content: string, as = hash(content)) =>
    fixture.ask("PUT", `${deployments}/${id}/contents/${as}`, { bytes: content });

  async function deploy(files: Readonly<Record<string, string>>): Promise<string> {
    const { id, missing } = await begin(files);
    for (const content of Object.values(files)) {
      if (missing.includes(hash(content))) expect((await bring(id, content)).status).toBe(204);
    }
    const { body } = await fixture.ask("POST", `${deployments}/${id}/finish`);
    expect(body).toEqual({ id, kind: "shown" });
    return id;
  }

  describe("a project", () => {
    test("is made by its owner, or by the operator for one", async () => {
      const own = await fixture.ask("POST", "/projects", { body: { slug: "shop-api" } });
      expect(own).toMatchObject({
        status: 201,
        body: { slug: "shop-api", ownerId: "shop", plan: "paid", current: null, deployments: [] },
      });
      const body = { slug: "rival-api", ownerId: "rival" };
      const given = await fixture.ask("POST", "/projects", { as: "operator", body });
      expect(given.body.ownerId).toBe("rival");
    });

    test.each([
      ["a name that is taken", { slug: "rival" }, 409, "project_exists"],
      ["a name that is no label", { slug: "Shop Docs" }, 400, "slug_invalid"],
      ["no name", {}, 400, "body_invalid"],
      ["another owner's", { slug: "new", ownerId: "rival" }, 403, "operator_only"],
      ["something unknown", { slug: "new", plan: "paid" }, 400, "body_invalid"],
    ])("is refused with %s", async (_what, body, status, code) => {
      expect(await fixture.ask("POST", "/projects", { body })).toMatchObject({
        status,
        body: { code, status },
      });
    });

    test("of another owner is as unknown as one that is not there, for every request", async () => {
      const places = [
        ["GET", "/projects/rival"],
        ["GET", "/projects/rival/deployments"],
        ["POST", "/projects/rival/deployments"],
        ["POST", "/projects/rival/rollback"],
        ["POST", "/projects/rival/unpublish"],
        ["DELETE", "/projects/rival/deployments/dep_rival"],
        ["PUT", `/projects/rival/deployments/dep_rival/contents/${hash(page)}`],
        ["POST", "/projects/rival/deployments/dep_rival/finish"],
        ["POST", "/projects/rival/deployments/dep_rival/publish"],
      ] as const;
      for (const [method, path] of places) {
        const body = path.endsWith("/rollback") ? { deployment: "dep_rival" } : {};
        const answer = await fixture.ask(method, path, method === "GET" ? {} : { body });
        expect([path, answer.status, answer.body.code]).toEqual([path, 404, "project_not_found"]);
      }
    });

    test("shows its deployments and where it is seen", async () => {
      const id = await deploy({ "index.html": page });
      const { body } = await fixture.ask("GET", "/projects/shop");
      expect(body.current).toBe(id);
      expect(body.address).toBe("http://shop.localhost:8080/");
      expect(body.deployments[0]).toMatchObject({ id, state: "ready", files: 1, failure: null });
      const label = deploymentLabel(id);
      expect(body.deployments[0].preview).toBe(`http://${label}.localhost:8080/`);
      const newest = await fixture.ask("GET", `${deployments}?limit=1`);
      expect(newest.body).toEqual(body.deployments.slice(0, 1));
      const tooMany = await fixture.ask("GET", `${deployments}?limit=1001`);
      expect(tooMany.body.code).toBe("parameter_invalid");
    });
  });

  test("with a host for the sites, projects and deployments have public addresses", async () => {
    const sitesHost = { host: "sites.test", httpsPort: 8443, previews: true };
    const other = await openDashboardApiFixture(engine, sitesHost);
    const { body } = await other.ask("GET", "/projects/shop");
    expect(body.address).toBe("https://shop.sites.test:8443/");
    const label = deploymentLabel(body.current);
    expect(body.deployments[0].preview).toBe(`https://${label}.sites.test:8443/`);
    await other.close();
  });

  describe("a deployment", () => {
    test("is shown only when all of it has come", async () => {
      const files = { "index.html": page, "a.css": "a {}" };
      const { id, missing } = await begin(files);
      expect(missing.sort()).toEqual([hash(page), hash("a {}")].sort());
      await bring(id, page);
      const early = await fixture.ask("POST", `${deployments}/${id}/finish`);
      expect(early).toMatchObject({ status: 409, body: { code: "contents_missing" } });
      expect((await fixture.stores.sites.project("shop"))?.current).toBe("dep_shop");
      await bring(id, "a {}");
      expect((await fixture.ask("POST", `${deployments}/${id}/finish`)).body.kind).toBe("shown");
      expect((await fixture.stores.sites.project("shop"))?.current).toBe(id);
      expect((await fixture.stores.sites.file(id, "a.css"))?.hash).toBe(hash("a {}"));
    });

    test("brings a content once, however many files have it, and never again", async () => {
      const first = await begin({ "index.html": page, "copy.html": page });
      expect(first.missing).toEqual([hash(page)]);
      await bring(first.id, page);
      await fixture.ask("POST", `${deployments}/${first.id}/finish`);
      expect(await fixture.stores.sites.file(first.id, "copy.html")).toBeDefined();
      const second = await begin({ "index.html": page, "new.html": "new" });
      expect(second.missing).toEqual([hash("new")]);
    });

    test("with the content that is shown already is needless", async () => {
      const id = await deploy({ "index.html": page });
      const again = await begin({ "index.html": page });
      expect(again.missing).toEqual([]);
      const { body } = await fixture.ask("POST", `${deployments}/${again.id}/finish`);
      expect(body).toMatchObject({ kind: "needless", same: id });
    });

    test("takes no content that is another than was announced", async () => {
      const { id } = await begin({ "index.html": page });
      const other = page.replace("Shop", "Shoq");
      expect(await bring(id, other, hash(page))).toMatchObject({
        status: 400,
        body: { code: "content_mismatch" },
      });
      expect((await bring(id, `${page} and more`, hash(page))).status).toBe(413);
      expect((await bring(id, "unannounced")).body.code).toBe("content_mismatch");
      const finish = await fixture.ask("POST", `${deployments}/${id}/finish`);
      expect(finish.body.code).toBe("contents_missing");
    });

    test.each([
      ["no file", { files: [] }, "site_invalid"],
      ["no list", { files: {} }, "body_invalid"],
      ["a path that leads out", announced({ "../index.html": page }), "site_invalid"],
      ["a letter of many marks", announced({ [`a${"\u0301".repeat(31)}`]: page }), "site_invalid"],
      ["a hidden file", announced({ ".env": "A=1" }), "site_invalid"],
      ["a hidden folder", announced({ ".git/config": "" }), "site_invalid"],
      ["a hash that is none", { files: [{ path: "a", bytes: 1, hash: "x" }] }, "body_invalid"],
      [
        "a file that is too large",
        { files: [{ path: "a", bytes: 26 * 1024 * 1024, hash: hash("a") }] },
        "site_invalid",
      ],
      [
        "one path twice",
        { files: [...announced({ a: "1" }).files, ...announced({ a: "2" }).files] },
        "site_invalid",
      ],
    ])("is refused with %s", async (_what, body, code) => {
      const answer = await fixture.ask("POST", deployments, { body });
      expect(answer).toMatchObject({ status: 400, body: { code } });
    });

    test("with invalid rules has failed, says which line is wrong, and what was shown stays", async () => {
      const { id } = await begin({ "index.html": page, _redirects: "/a /b\n/c" });
      for (const content of [page, "/a /b\n/c"]) await bring(id, content);
      const finished = await fixture.ask("POST", `${deployments}/${id}/finish`);
      const message = "_redirects, line 2: The destination is missing.";
      expect(finished).toMatchObject({ status: 400, body: { code: "site_invalid" } });
      expect(finished.body.message).toStartWith(message);
      const { sites } = fixture.stores;
      expect((await sites.project("shop"))?.current).toBe("dep_shop");
      const failed = await sites.deployment(id);
      expect([failed?.state, failed?.failure]).toEqual(["failed", finished.body.message]);
      expect((await bring(id, page)).body.code).toBe("deployment_ended");
    });

    test("that is cancelled has failed, and takes nothing more", async () => {
      const { id } = await begin({ "index.html": page });
      expect((await fixture.ask("DELETE", `${deployments}/${id}`)).status).toBe(204);
      expect((await fixture.stores.sites.deployment(id))?.failure).toBe("It was cancelled.");
      expect((await bring(id, page)).body.code).toBe("deployment_ended");
    });

    test("cannot be brought by way of another project", async () => {
      const { id } = await begin({ "index.html": page });
      const path = `/projects/rival/deployments/${id}/contents/${hash(page)}`;
      const answer = await fixture.ask("PUT", path, { as: "rival", bytes: page });
      expect(answer.body.code).toBe("deployment_ended");
    });

    test("brings the bytes of a content that only another project has", async () => {
      await deploy({ "index.html": page, "shared.css": "a {}" });
      const rivals = "/projects/rival/deployments";
      const body = announced({ "index.html": page, "shared.css": "a {}" });
      const begun = await fixture.ask("POST", rivals, { as: "rival", body });
      expect(begun.body.missing.sort()).toEqual([hash(page), hash("a {}")].sort());
      const finish = () =>
        fixture.ask("POST", `${rivals}/${begun.body.id}/finish`, { as: "rival" });
      expect((await finish()).body.code).toBe("contents_missing");
      for (const bytes of [page, "a {}"]) {
        const path = `${rivals}/${begun.body.id}/contents/${hash(bytes)}`;
        expect((await fixture.ask("PUT", path, { as: "rival", bytes })).status).toBe(204);
      }
      expect((await finish()).body.kind).toBe("shown");
    });

    test("brings a content anew that is announced in another size than is shown", async () => {
      await deploy({ "index.html": page });
      const files = [{ path: "index.html", bytes: 1, hash: hash(page) }];
      const { body } = await fixture.ask("POST", deployments, { body: { files } });
      expect(body.missing).toEqual([hash(page)]);
    });

    test("that was interrupted or cancelled leaves what it brought to the next one", async () => {
      const files = { "index.html": page, "a.css": "a {}", "b.css": "b {}" };
      const cancelled = await begin(files);
      await bring(cancelled.id, page);
      await fixture.ask("DELETE", `${deployments}/${cancelled.id}`);
      const interrupted = await begin(files);
      expect(interrupted.missing.sort()).toEqual([hash("a {}"), hash("b {}")].sort());
      await bring(interrupted.id, "a {}");
      fixture.clock.advance(11 * 60_000);
      // At another path it is the same content.
      const last = await begin({ "start.html": page, "a.css": "a {}", "b.css": "b {}" });
      expect(last.missing).toEqual([hash("b {}")]);
      await bring(last.id, "b {}");
      expect((await fixture.ask("POST", `${deployments}/${last.id}/finish`)).body.kind).toBe(
        "shown",
      );
      for (const content of [page, "a {}", "b {}"]) {
        const stored = await fixture.stores.sites.content(hash(content), "identity");
        expect(Buffer.from(stored ?? "").toString()).toBe(content);
      }
    });

    test("looks up a few files at a time, since visitors wait for the same look-ups", async () => {
      const { sites, uploads } = fixture.stores;
      const asked: number[] = [];
      const counted = {
        ...uploads,
        contentsOf(project: string, hashes: readonly string[]) {
          asked.push(hashes.length);
          return uploads.contentsOf(project, hashes);
        },
      };
      const { files } = announced(
        Object.fromEntries(Array.from({ length: 1_200 }, (_, at) => [`${at}.html`, String(at)])),
      );
      await new Uploads(sites, counted, fixture.clock).begin("shop", files);
      expect(asked).toEqual([500, 500, 200]);
    });

    test("waits while its owner brings too many, until those fall silent, and others do not", async () => {
      const body = announced({ "index.html": page });
      const all = Array.from({ length: 20 }, () => fixture.ask("POST", deployments, { body }));
      const statuses = (await Promise.all(all)).map(({ status }) => status).sort();
      expect(statuses).toEqual([...Array(8).fill(201), ...Array(12).fill(429)]);
      const rivals = { as: "rival", body } as const;
      const rival = await fixture.ask("POST", "/projects/rival/deployments", rivals);
      expect(rival.status).toBe(201);
      expect((await fixture.ask("POST", deployments, { body })).body.code).toBe(
        "uploads_exhausted",
      );
      fixture.clock.advance(11 * 60_000);
      expect((await fixture.ask("POST", deployments, { body })).status).toBe(201);
    });

    test("can be finished first and published later, unless a newer one was published meanwhile", async () => {
      const finish = async (content: string) => {
        const { id } = await begin({ "index.html": content });
        await bring(id, content);
        const { body } = await fixture.ask("POST", `${deployments}/${id}/finish?publish=false`);
        expect(body).toEqual({ id, kind: "ready" });
        return id;
      };
      const publish = (id: string) => fixture.ask("POST", `${deployments}/${id}/publish`);
      const current = async () => (await fixture.ask("GET", "/projects/shop")).body.current;
      const before = await current();
      const [older, newer] = [await finish("older"), await finish("newer")];
      expect(await current()).toBe(before);
      for (const _ of ["once", "again"]) {
        expect((await publish(newer)).body).toEqual({ id: newer, kind: "shown" });
      }
      expect((await publish(older)).body).toEqual({ id: older, kind: "overtaken" });
      expect(await current()).toBe(newer);
      const unknown = await publish("dep_none");
      expect([unknown.status, unknown.body.code]).toEqual([404, "deployment_not_found"]);
      const { id } = await begin({ "index.html": "unfinished" });
      const early = await publish(id);
      expect([early.status, early.body.code]).toEqual([409, "deployment_not_ready"]);
    });

    test("can be brought to several processes, one request each", async () => {
      const { sites, uploads } = fixture.stores;
      const process = () => new Uploads(sites, uploads, fixture.clock);
      const { files } = announced({ "index.html": page, "copy.html": page, "a.css": "a {}" });
      const { id } = await process().begin("shop", files);
      const bytes = await process().expectedBytes("shop", id, hash(page));
      expect(bytes).toBe(Buffer.byteLength(page));
      await process().take("shop", id, hash(page), Buffer.from(page));
      await expect(process().finish("shop", id, true)).rejects.toThrow("1 of its contents");
      await process().take("shop", id, hash("a {}"), Buffer.from("a {}"));
      expect(await process().finish("shop", id, true)).toEqual({ kind: "shown" });
      await expect(process().expectedBytes("shop", id, hash(page))).rejects.toThrow("has ended");
    });

    test("that comes slowly holds up those of its owner alone", async () => {
      const { id } = await begin({ "index.html": page });
      const { promise: sent, resolve: send } = Promise.withResolvers<void>();
      const slowly = () =>
        new ReadableStream<Uint8Array>({
          async start(controller) {
            await sent;
            controller.enqueue(new TextEncoder().encode(page));
            controller.close();
          },
        });
      const path = `${deployments}/${id}/contents/${hash(page)}`;
      const slow = Array.from({ length: 70 }, () => fixture.ask("PUT", path, { bytes: slowly() }));
      expect(await Promise.race(slow)).toMatchObject({ body: { code: "uploads_exhausted" } });
      const rivals = "/projects/rival/deployments";
      const body = announced({ "index.html": page });
      const begun = await fixture.ask("POST", rivals, { as: "rival", body });
      const place = `${rivals}/${begun.body.id}/contents/${hash(page)}`;
      expect((await fixture.ask("PUT", place, { as: "rival", bytes: page })).status).toBe(204);
      send();
      const statuses = (await Promise.all(slow)).map(({ status }) => status).sort();
      expect(statuses).toEqual([...Array(66).fill(204), ...Array(4).fill(429)]);
    });

    test("is not answered with all that was wrong in it", async () => {
      const strange = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`x${at}`, 1]));
      const path = "a".repeat(100_000);
      for (const body of [strange, { files: [{ path, bytes: -1, hash: hash("a") }] }]) {
        const answer = await fixture.ask("POST", deployments, { body });
        expect(answer).toMatchObject({ status: 400, body: { code: "body_invalid" } });
        expect(answer.body.message.length).toBeLessThan(500);
      }
    });
  });

  describe("what is shown", () => {
    test("goes back to an earlier deployment of the same project only", async () => {
      const first = await deploy({ "index.html": page });
      await deploy({ "index.html": "second" });
      const back = (deployment: string) =>
        fixture.ask("POST", "/projects/shop/rollback", { body: { deployment } });
      expect(await back(first)).toMatchObject({ status: 200, body: { current: first } });
      expect((await fixture.stores.sites.project("shop"))?.current).toBe(first);
      expect((await back("dep_rival")).body.code).toBe("deployment_not_found");
      const { id } = await begin({ "index.html": "third" });
      expect((await back(id)).body.code).toBe("deployment_not_ready");
    });

    test("ends with unpublishing, which can be done once", async () => {
      expect((await fixture.ask("POST", "/projects/shop/unpublish", { body: {} })).status).toBe(
        200,
      );
      expect((await fixture.stores.sites.project("shop"))?.current).toBeUndefined();
      const again = await fixture.ask("POST", "/projects/shop/unpublish", { body: {} });
      expect(again).toMatchObject({ status: 409, body: { code: "not_published" } });
    });
  });
});
