/** Deploying to a service: what is sent, what a broken connection leaves, and through which process. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { systemClock } from "../../../src/core/clock.ts";
import { hashOf } from "../../../src/hosting/sites/deployment.ts";
import { describeOnEngines } from "../../end-to-end/engines.ts";
import { startTestService } from "../../end-to-end/service.ts";
import { CapturedOutput } from "../cliFixture.ts";
import { balancer, breakingLine, forward, listening } from "./proxies.ts";
import { RemoteFixture } from "./remoteFixture.ts";

const kibibyte = 1024;

describeOnEngines("petstore deploy --to", (engine) => {
  let fixture: RemoteFixture;
  beforeEach(async () => {
    fixture = await RemoteFixture.open(engine);
  });
  afterEach(() => fixture[Symbol.asyncDispose]());

  const deploy = (folder: string) => fixture.remote(`deploy ${folder} --project shop`);

  /** Files that no compression makes smaller. */
  const manyFiles = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        at === 0 ? "index.html" : `${at}.bin`,
        randomBytes(100 * kibibyte),
      ]),
    );

  async function stored(files: Readonly<Record<string, Uint8Array>>): Promise<number> {
    const hashes = Object.values(files).map(hashOf);
    return (await fixture.service.stores.uploads.contentsOf("shop", hashes)).size;
  }

  async function expectShown(files: Readonly<Record<string, string | Uint8Array>>) {
    const { sites } = fixture.service.stores;
    const current = (await sites.project("shop"))?.current ?? "";
    for (const [path, content] of Object.entries(files)) {
      const file = await sites.file(current, path);
      const found = await sites.content(file?.hash ?? "", "identity");
      expect([path, Buffer.from(found ?? "").equals(Buffer.from(content))]).toEqual([path, true]);
    }
  }

  test("sends what the service lacks, and publishes all of it", async () => {
    const files = { "index.html": "<h1>Shop</h1>", "copy.html": "<h1>Shop</h1>", "a.css": "a {}" };
    const folder = fixture.folder(files);
    const first = await deploy(folder);
    expect([first.code, first.err]).toEqual([0, "Uploading 2 of 3 files (17 bytes).\n"]);
    expect(first.out).toMatch(
      /^Deployed 3 files \(30 bytes\) of \S+ as dep_(\w+)\.\nhttps:\/\/dep-\1\.sites\.platform\.test\/ shows this deployment alone\.\nhttps:\/\/shop\.sites\.platform\.test\/ shows them now\.\n$/,
    );
    await expectShown(files);
    const again = await deploy(folder);
    expect([again.code, again.err]).toEqual([
      0,
      "Nothing to upload: the service already has the 3 files.\n",
    ]);
    expect(again.out).toStartWith("Nothing changed: shop shows these very files already");
    fixture.folder({ "b.css": "b {}" });
    expect((await deploy(folder)).err).toBe("Uploading 1 of 4 files (4 bytes).\n");
    const json = await fixture.remote(`sites deploy shop ${folder} --json`);
    expect([json.err, JSON.parse(json.out)]).toMatchObject([
      "",
      { project: "shop", changed: false, shown: true, files: 4, bytes: 34, leftOut: [] },
    ]);
    const { deployment, preview } = JSON.parse(json.out);
    expect(preview).toBe(`https://${deployment.replace("_", "-")}.sites.platform.test/`);
  });

  const current = async () => (await fixture.service.stores.sites.project("shop"))?.current;

  test("--preview only uploads, and sites publish publishes it, on the store and on a service", async () => {
    for (const where of ["local", "remote"] as const) {
      const run = fixture[where].bind(fixture);
      const before = await current();
      const folder = fixture.folder({ "index.html": where });
      const { code, out } = await run(`deploy ${folder} --project shop --preview`);
      expect(code).toBe(0);
      const [, id = "", own, publish = ""] =
        /^Deployed 1 file \(\d bytes\) of \S+ as (\S+)\.\n(\S+) shows this deployment alone\.\nIt is not published\. To publish it: petstore (sites publish shop \S+)\n$/.exec(
          out,
        ) ?? [];
      expect([publish, await current()]).toEqual([`sites publish shop ${id}`, before]);
      const json = await run(`sites deploy shop ${folder} --preview --json`);
      const other = JSON.parse(json.out);
      expect(other).toMatchObject({ changed: true, shown: false, files: 1, bytes: where.length });
      expect(other.preview).toBe(own?.replace(/dep-\w+/, other.deployment.replace("_", "-")));
      expect((await run(publish)).out).toBe(`https://shop.sites.platform.test/ shows ${id} now.\n`);
      expect(await current()).toBe(id);
      // What is shown already needs no preview.
      expect((await run(`deploy ${folder} --project shop --preview`)).out).toStartWith(
        `Nothing changed: shop shows these very files already, as ${id}.`,
      );
    }
  });

  test("sites publish refuses a deployment that a newer one has overtaken", async () => {
    const ids: string[] = [];
    for (const content of ["older", "newer"]) {
      const line = `deploy ${fixture.folder({ "index.html": content })} --project shop --preview`;
      ids.push(JSON.parse((await fixture.remote(`${line} --json`)).out).deployment);
    }
    const [older, newer] = ids;
    expect((await fixture.remote(`sites publish shop ${newer}`)).code).toBe(0);
    for (const where of ["local", "remote"] as const) {
      const { code, err } = await fixture[where](`sites publish shop ${older} --json`);
      expect([code, JSON.parse(err)]).toMatchObject([1, { code: "overtaken" }]);
      expect(err).toContain(`petstore sites rollback shop ${older}`);
    }
    expect(await current()).toBe(newer);
    expect((await fixture.remote(`sites rollback shop ${older}`)).code).toBe(0);
    expect(await current()).toBe(older);
  });

  test("the preview is printed before publication, so that it is known where that fails", async () => {
    const { origin } = fixture.service;
    const server = createServer((incoming, outgoing) =>
      incoming.url?.endsWith("/publish")
        ? outgoing.writeHead(500).end()
        : forward(incoming, outgoing, origin),
    );
    await using stub = await listening(server);
    fixture.origin = stub.origin;
    const before = await current();
    const { code, out, err } = await deploy(fixture.folder({ "index.html": "new" }));
    const [, id] =
      /as (dep_\w+)\.\nhttps:\/\/dep-\S+ shows this deployment alone\.\n$/.exec(out) ?? [];
    expect([code, id]).toEqual([1, expect.any(String)]);
    expect(err).toContain(`${id} is uploaded. To publish it: petstore sites publish shop ${id}\n`);
    expect(await current()).toBe(before);
  });

  test("is refused in the same words as on the store, and says what it is to programs", async () => {
    const folder = fixture.folder({ "index.html": "", _redirects: "/a /b 999" });
    const line = `sites deploy shop ${folder}`;
    const [local, remote] = [await fixture.local(line), await fixture.remote(line)];
    const nothing = "Nothing to upload: the service already has the 2 files.";
    expect(local.err).toEndWith(
      "The deployment failed, and shop still shows what it did before.\n",
    );
    expect(remote).toEqual({ ...local, err: `${nothing}\n${local.err}` });
    const { code, err } = await fixture.remote(`${line} --json`);
    expect([code, JSON.parse(err)]).toMatchObject([1, { code: "site_invalid", exitCode: 1 }]);
  });

  test("one of the largest size is sent", async () => {
    const files = { "index.html": "", "large.bin": Buffer.alloc(25 * kibibyte * kibibyte, "x") };
    expect((await deploy(fixture.folder(files))).code).toBe(0);
    await expectShown(files);
  });

  test("that was cut off sends only the rest the next time", async () => {
    const files = manyFiles(20);
    const folder = fixture.folder(files);
    await using line = await breakingLine(fixture.service.origin, 1_000 * kibibyte);
    fixture.origin = line.origin;
    const broken = await deploy(folder);
    expect([broken.code, broken.out]).toEqual([1, ""]);
    expect(broken.err).toContain("Uploading 20 of 20 files (2.0 MiB).\n");
    expect(broken.err).toContain("cannot be reached: the connection was closed.");
    expect(broken.err).toContain("Deploying again sends only what has not arrived.");
    expect((await fixture.service.stores.sites.project("shop"))?.current).toBe("dep_shop");
    const arrived = await stored(files);
    expect(arrived).toBeGreaterThan(0);
    expect(arrived).toBeLessThan(20);
    line.repair();
    const { code, err } = await deploy(folder);
    expect(code).toBe(0);
    // Some were on their way into the store when the line was cut.
    const sent = Number(/^Uploading (\d+) of 20 files/.exec(err)?.[1]);
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThanOrEqual(20 - arrived);
    await expectShown(files);
  });

  test("goes on in the same run where the connection comes back", async () => {
    const files = manyFiles(20);
    await using line = await breakingLine(fixture.service.origin, 1_000 * kibibyte);
    fixture.origin = line.origin;
    const { clock } = fixture;
    const after = clock.after.bind(clock);
    // It is repaired while the command waits.
    fixture.clock = {
      ...clock,
      after(delayMs, action) {
        if (delayMs < 120_000) line.repair();
        return after(delayMs, action);
      },
    };
    const { code } = await deploy(fixture.folder(files));
    expect(code).toBe(0);
    expect(clock.pausesMs.length).toBeGreaterThan(0);
    await expectShown(files);
  });

  test("goes through several processes of the service, one request each", async () => {
    const { database } = fixture.service;
    const second = await startTestService({
      variables: { PETSTORE_DOCS_SITE: "off" },
      openStores: (options) => database.open(options),
    });
    try {
      await using both = await balancer([fixture.service.origin, second.origin]);
      fixture.origin = both.origin;
      const files = manyFiles(8);
      expect((await deploy(fixture.folder(files))).code).toBe(0);
      for (const count of both.counts) expect(count).toBeGreaterThan(4);
      await expectShown(files);
    } finally {
      await second.stop();
    }
  });

  test("sends four files at once, and no more", async () => {
    const { origin } = fixture.service;
    const { promise: four, resolve: reached } = Promise.withResolvers<void>();
    let [open, most] = [0, 0];
    const server = createServer(async (incoming, outgoing) => {
      if (incoming.method !== "PUT") return forward(incoming, outgoing, origin);
      most = Math.max(most, ++open);
      outgoing.on("close", () => open--);
      if (open === 4) reached();
      // None is answered before four have come.
      await four;
      forward(incoming, outgoing, origin);
    });
    await using stub = await listening(server);
    fixture.origin = stub.origin;
    const files = manyFiles(12);
    expect((await deploy(fixture.folder(files))).code).toBe(0);
    expect(most).toBe(4);
    await expectShown(files);
  });

  test("that is stopped ends at once, and the deployment with it", async () => {
    const stopping = new AbortController();
    const { Stopped } = await import("../../../src/cli/stopping.ts");
    const stderr = new CapturedOutput();
    const write = stderr.write.bind(stderr);
    stderr.write = (text) => {
      stopping.abort(new Stopped("SIGINT"));
      return write(text);
    };
    const line = `deploy ${fixture.folder(manyFiles(8))} --project shop`;
    const { code } = await fixture.remote(line, { stderr, stopSignal: () => stopping.signal });
    expect([code, stderr.text]).toEqual([
      130,
      expect.stringContaining(
        "Stopped. The deployment failed, and shop still shows what it did before.",
      ),
    ]);
    const [newest] = await fixture.service.stores.sites.listDeployments("shop", 1);
    expect(newest).toMatchObject({ state: "failed", failure: "It was cancelled." });
  });

  test("shows a bar on a terminal, and no lines", async () => {
    const stderr = new CapturedOutput({ columns: 80 });
    // The bar is drawn anew after a while.
    let elapsedMs = 0;
    const clock = { ...systemClock, elapsed: () => (elapsedMs += 200), pausesMs: [] };
    fixture.clock = clock;
    const line = `deploy ${fixture.folder(manyFiles(4))} --project shop`;
    expect((await fixture.remote(line, { stderr })).code).toBe(0);
    expect(stderr.text).toContain("\rReading  [");
    expect(stderr.text).toContain("\rUploading  [");
    expect(stderr.text).not.toContain("\n");
  });

  test("a finish whose response was lost is found out about", async () => {
    const folder = fixture.folder({ "index.html": "new" });
    const { origin } = fixture.service;
    let lost = false;
    const server = createServer((incoming, outgoing) =>
      forward(incoming, outgoing, origin, () => {
        if (lost || !incoming.url?.includes("/finish?")) return false;
        lost = true;
        return true;
      }),
    );
    await using stub = await listening(server);
    fixture.origin = stub.origin;
    const { code, out } = await deploy(folder);
    expect([lost, code]).toEqual([true, 0]);
    expect(out).toContain("shows them now.");
    lost = false;
    const again = await deploy(folder);
    expect([lost, again.code]).toEqual([true, 0]);
    expect(again.out).toStartWith("Nothing changed");
  });
});

describe("petstore deploy", () => {
  test("without --project says what is missing", async () => {
    await using fixture = await RemoteFixture.open();
    const { code, err } = await fixture.remote("deploy ./build");
    expect([code, err]).toEqual([2, expect.stringContaining("--project is missing")]);
  });

  test("without --to publishes on the local store", async () => {
    await using fixture = await RemoteFixture.open();
    const folder = fixture.folder({ "index.html": "local" });
    const { code, out, err } = await fixture.local(`deploy ${folder} --project shop`);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("shows them now.");
  });
});
