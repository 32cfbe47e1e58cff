/** What every store of sites does with contents, and for several processes at once. */
import { describe, expect, test } from "bun:test";
import { hashOf } from "../../src/hosting/sites/deployment.ts";
import { partBytesMax, uploadBytesMax } from "../../src/hosting/sites/sites.ts";
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
import { storeWith } from "../sites/sources.ts";
import { rejectionOf } from "./rejection.ts";

/** `open` gives another handle on the same database, which is empty when a test begins. */
export function describeSiteContents(engine: string, open: () => Promise<Stores>): void {
  describe(`contents on ${engine}`, () => {
    test("come back byte for byte, empty and in several parts too", async () => {
      const store = await withProject(open);
      const large = Buffer.alloc(2 * partBytesMax + 1234, "0123456789abcdef!");
      await deploy(store, {
        "large.bin": large,
        empty: "",
        "exact.bin": large.subarray(0, partBytesMax),
      });
      const id = (await store.project("acme"))?.current ?? "";
      for (const [path, expected] of [
        ["large.bin", large],
        ["empty", Buffer.alloc(0)],
        ["exact.bin", large.subarray(0, partBytesMax)],
      ] as const) {
        const file = await store.file(id, path);
        expect(file).toMatchObject({ path, hash: hashOf(expected), bytes: expected.byteLength });
        const content = await store.content(file?.hash ?? "", "identity");
        expect(Buffer.compare(content ?? Buffer.from("none"), expected)).toBe(0);
      }
    });

    test("are stored once, whoever deploys them", async () => {
      const store = await withProject(open);
      const body = "shared ".repeat(20_000);
      await deploy(store, { "a.html": body });
      const sent: number[] = [];
      const counting = storeWith(store, {
        addFiles(id, uploads, atMs) {
          for (const { part } of uploads) sent.push(part?.data.byteLength ?? 0);
          return store.addFiles(id, uploads, atMs);
        },
      });
      await deploy(counting, { "b.html": body, "c.html": body });
      expect(sent).toEqual([0, 0]);
      expect(await textAt(store, "c.html")).toBe(body);
    });

    test("that nobody has stored are asked for, and nothing is added without them", async () => {
      const store = await withProject(open);
      const id = await begun(store, "dep_a");
      const { hash } = uploadOf("b", "b");
      const outcome = await store.addFiles(
        id,
        [uploadOf("a", "a"), { path: "b", hash, bytes: 1, part: undefined }],
        nowMs,
      );
      expect(outcome).toEqual({ kind: "content_missing", hashes: [hash] });
      expect(await store.deployment(id)).toMatchObject({ files: 0 });
      expect(await store.file(id, "a")).toBeUndefined();
    });

    test("of which a part is missing keep a deployment from being shown", async () => {
      const store = await withProject(open);
      const id = await begun(store, "dep_a");
      const whole = uploadOf("a", "ab");
      await store.addFiles(id, [{ ...whole, part: { ...whole.part, last: false } }], nowMs);
      expect((await store.knownContents([whole.hash])).size).toBe(0);
      expect((await store.finishDeployment(id, finish)).kind).toBe("refused");
      await store.addFiles(id, [whole], nowMs);
      expect((await store.finishDeployment(id, finish)).kind).toBe("shown");
      expect(await store.deployment(id)).toMatchObject({ files: 1, bytes: 2 });
    });

    test("that only failed deployments have are taken away, the others stay", async () => {
      const store = await withProject(open);
      await deploy(store, { "kept.txt": "shared" });
      const id = await begun(store, "dep_bad");
      const own = Array.from({ length: 150 }, (_, n) => uploadOf(`${n}`, `own ${n}`));
      await store.addFiles(id, [uploadOf("kept.txt", "shared"), ...own], nowMs);
      expect(await store.pruneDeployments("acme")).toBe(false);
      await store.failDeployment(id, "Broken.", nowMs);
      let rounds = 0;
      while (await store.pruneDeployments("acme")) rounds++;
      expect(rounds).toBeGreaterThan(1);
      const hashes = own.map(({ hash }) => hash);
      expect((await store.knownContents(hashes)).size).toBe(0);
      expect(await store.content(hashes[0] ?? "", "identity")).toBeUndefined();
      expect(await textAt(store, "kept.txt")).toBe("shared");
      expect(await store.deployment(id)).toMatchObject({ state: "failed", files: 151 });
    });

    test("that are taken away just after they were found known are brought again", async () => {
      const store = await withProject(open);
      const id = await begun(store, "dep_bad");
      await store.addFiles(id, [uploadOf("a.txt", "alpha")], nowMs);
      const racing = storeWith(store, {
        async knownContents(hashes) {
          const known = await store.knownContents(hashes);
          await store.failDeployment(id, "Broken.", nowMs);
          while (await store.pruneDeployments("acme"));
          return known;
        },
      });
      await deploy(racing, { "a.txt": "alpha", "b.txt": "beta" });
      expect(await textAt(store, "a.txt")).toBe("alpha");
      expect(await textAt(store, "b.txt")).toBe("beta");
    });

    test("are taken in messages of bounded size only", async () => {
      const store = await withProject(open);
      const id = await begun(store, "dep_a");
      const large = uploadOf("a", "x".repeat(uploadBytesMax + 1));
      expect((await rejectionOf(store.addFiles(id, [large], nowMs))).message).toContain("At most");
    });
  });

  describe(`two processes on ${engine}`, () => {
    test("see each other's deployments and changes at once", async () => {
      const store = await withProject(open);
      const { sites: other } = await open();
      const before = other.revision();
      const first = await deploy(store, { "index.html": "one" });
      expect(other.revision()).not.toBe(before);
      expect(await textAt(other, "index.html")).toBe("one");
      await deploy(other, { "index.html": "two" });
      expect(await textAt(store, "index.html")).toBe("two");
      for (const change of [
        () => other.rollBack("acme", first),
        () => other.unpublish("acme"),
        () => other.setPlan("ada", "paid"),
      ]) {
        const last = store.revision();
        await change();
        expect(store.revision()).not.toBe(last);
      }
      const settled = store.revision();
      await other.beginDeployment({ id: "dep_x", project: "acme", nowMs });
      expect(store.revision()).toBe(settled);
    });

    test("that deploy at the same time both succeed, and one of them is shown whole", async () => {
      const store = await withProject(open);
      const { sites: other } = await open();
      const contents = (text: string) =>
        Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`${n}.txt`, `${text} ${n % 7}`]));
      await Promise.all([deploy(store, contents("one")), deploy(other, contents("two"))]);
      const text = (await textAt(store, "0.txt"))?.split(" ")[0];
      for (let n = 0; n < 40; n++) {
        expect(await textAt(other, `${n}.txt`)).toBe(`${text} ${n % 7}`);
      }
      const states = (await store.listDeployments("acme", 10)).map(({ state }) => state);
      expect(states).toEqual(["ready", "ready"]);
    });

    test("that bring the very same site make one deployment of it", async () => {
      const store = await withProject(open);
      const { sites: other } = await open();
      const contents = { "index.html": "same ".repeat(2_000), "a.bin": Buffer.alloc(6_000_000, 7) };
      const outcomes = await Promise.all(
        [store, other].map((sites) => publishAcme(sites, contents, "newest")),
      );
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["needless", "shown"]);
      expect(await store.listDeployments("acme", 10)).toHaveLength(1);
      expect((await textAt(store, "a.bin"))?.length).toBe(6_000_000);
    });
  });
}
