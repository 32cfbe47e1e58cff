import { describe, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { hashOf } from "../../src/hosting/sites/deployment.ts";
import { compressedForms, type SourceFile } from "../../src/hosting/sites/fileUploader.ts";
import { deployOwnDocs, publish } from "../../src/hosting/sites/publish.ts";
import { type SiteStore, type Upload, uploadBytesMax } from "../../src/hosting/sites/sites.ts";
import { useTemporaryFolder } from "../store/folder.ts";
import { rejectionOf } from "../store/rejection.ts";
import { newClock, nowMs, withProject } from "./projects.ts";
import { type Contents, sourcesOf, storeWith } from "./sources.ts";

const folder = useTemporaryFolder();
const project = () => withProject(() => folder.open());
const terms = (store: SiteStore) => ({ store, clock: newClock(), unless: "shown" }) as const;
const noise = (bytes: number) => Buffer.from(newClock().random(bytes));

describe("publishing", () => {
  test("sends messages of bounded size, and never holds more than one file and one message", async () => {
    const store = await project();
    const sizes: number[] = [];
    const counting = storeWith(store, {
      addFiles(id, uploads, atMs) {
        sizes.push(uploads.reduce((sum, { part }) => sum + (part?.data.byteLength ?? 0), 0));
        return store.addFiles(id, uploads, atMs);
      },
    });
    let reading = 0;
    const sources = Array.from({ length: 6 }, (_, n): SourceFile => {
      const bytes = (n + 1) * 1_000_000;
      const read = async () => {
        reading++;
        const content = noise(bytes);
        await Promise.resolve();
        expect(reading).toBe(1);
        reading--;
        return content;
      };
      return { path: `${n}.bin`, bytes, read };
    });
    const outcome = await publish("acme", sources, terms(counting));
    expect(outcome).toMatchObject({ kind: "shown", files: 6, bytes: 21_000_000 });
    expect(Math.max(...sizes)).toBeLessThanOrEqual(uploadBytesMax);
    // Half-full at worst: a part that does not fit any more is no larger than half.
    expect(sizes.length).toBeLessThanOrEqual(Math.ceil((2 * 21_000_000) / uploadBytesMax));
  });

  test("each part travels alone, not with the whole content behind it", async () => {
    const store = await project();
    const sent: Upload[] = [];
    const watching = storeWith(store, {
      addFiles(id, uploads, atMs) {
        sent.push(...uploads);
        return store.addFiles(id, uploads, atMs);
      },
    });
    await publish(
      "acme",
      sourcesOf({ "a.bin": noise(9_000_000), "b.txt": "b ".repeat(900) }),
      terms(watching),
    );
    expect(sent.length).toBeGreaterThan(4);
    for (const { part } of sent) {
      expect(part?.data.buffer.byteLength).toBe(part?.data.byteLength as number);
    }
  });

  test.each([
    ["nothing", {}, "The site has no file to publish."],
    ["a way out", { "../x": "x" }, 'The path "../x" cannot be published'],
    ["an absolute path", { "/x": "x" }, 'The path "/x" cannot be published'],
  ])("%s is refused before a deployment is begun", async (_what, contents, said) => {
    const store = await project();
    const refusal = await rejectionOf(
      publish("acme", sourcesOf(contents as Contents), terms(store)),
    );
    expect(refusal.message).toContain(said);
    expect(await store.listDeployments("acme", 10)).toEqual([]);
  });

  test("two files of one path are refused", async () => {
    const store = await project();
    const twice = [...sourcesOf({ a: "1" }), ...sourcesOf({ a: "2" })];
    const refusal = await rejectionOf(publish("acme", twice, terms(store)));
    expect(refusal.message).toBe("Two files have the path a.");
  });

  test("a file that grew past the limit meanwhile fails the deployment, with its name", async () => {
    const store = await project();
    const grown: SourceFile = {
      path: "a.bin",
      bytes: 1,
      read: async () => Buffer.alloc(25 * 1024 * 1024 + 1),
    };
    const refusal = await rejectionOf(publish("acme", [grown], terms(store)));
    expect(refusal.message).toBe("a.bin has more than 25 MiB.");
    const [deployment] = await store.listDeployments("acme", 10);
    expect(deployment).toMatchObject({ state: "failed", failure: refusal.message });
  });

  test("a file that cannot be read fails the deployment, and what was shown stays", async () => {
    const store = await project();
    await publish("acme", sourcesOf({ "index.html": "one" }), terms(store));
    const shown = (await store.project("acme"))?.current;
    const broken: SourceFile = {
      path: "b",
      bytes: 1,
      read: () => Promise.reject(new Error("The disk fails.")),
    };
    const cause = await rejectionOf(
      publish("acme", [...sourcesOf({ a: "a" }), broken], terms(store)),
    );
    expect(cause.message).toBe("The disk fails.");
    expect((await store.project("acme"))?.current).toBe(shown as string);
    const [deployment] = await store.listDeployments("acme", 10);
    expect(deployment).toMatchObject({ state: "failed", failure: "It broke off: The disk fails." });
  });

  test("one that is ended from elsewhere gives up", async () => {
    const store = await project();
    const [first, ...others] = sourcesOf({ a: noise(5_000_000), b: noise(5_000_000), c: "c" });
    const ending: SourceFile = {
      path: "0",
      bytes: 1,
      async read() {
        const [deployment] = await store.listDeployments("acme", 1);
        await store.failDeployment(deployment?.id ?? "", "Ended.", nowMs);
        return Buffer.from("0");
      },
    };
    const sources = [first as SourceFile, ending, ...others];
    const refusal = await rejectionOf(publish("acme", sources, terms(store)));
    expect(refusal.message).toContain("was ended from elsewhere");
    expect((await store.listDeployments("acme", 1))[0]).toMatchObject({ failure: "Ended." });
    expect((await store.project("acme"))?.current).toBeUndefined();
  });

  test("the leavings of a failed deployment are gone after the next", async () => {
    const store = await project();
    const size = async () => {
      const { database = 0, log = 0 } = await (await folder.open()).size();
      return database + log;
    };
    const broken: SourceFile = {
      path: "b",
      bytes: 1,
      read: () => Promise.reject(new Error("No.")),
    };
    const large = noise(9_000_000);
    await rejectionOf(
      publish("acme", [...sourcesOf({ a: large, c: noise(9_000_000) }), broken], terms(store)),
    );
    expect(await size()).toBeGreaterThan(9_000_000);
    await publish("acme", sourcesOf({ "index.html": "fine" }), terms(store));
    expect((await store.knownContents([hashOf(large)])).size).toBe(0);
    expect(await store.content(hashOf(large), "identity")).toBeUndefined();
  });
});

describe("smaller forms", () => {
  const text = Buffer.from("All about anvils. ".repeat(200));

  test("unpack to the very content", async () => {
    const { br, gzip } = await compressedForms("a.html", text);
    expect(brotliDecompressSync(br ?? "")).toEqual(text);
    expect(gunzipSync(gzip ?? "")).toEqual(text);
  });

  test.each([
    ["a short text", "a.html", Buffer.from("short")],
    ["a picture", "a.png", text],
    ["what is unknown", "a", text],
    ["what does not get smaller", "a.txt", noise(5_000)],
  ])("are not made of %s", async (_what, path, content) => {
    expect(await compressedForms(path, content)).toEqual({});
  });
});

describe("the service's own documentation", () => {
  const pages = (text: string) => new Map([["index.html", Buffer.from(text)]]);
  const outcomes = async (store: SiteStore, ...texts: string[]) => {
    const kinds: string[] = [];
    for (const text of texts) {
      kinds.push((await deployOwnDocs(pages(text), { store, clock: newClock() })).kind);
    }
    return kinds;
  };

  test("is deployed first, again when it changed, and not when it did not", async () => {
    const { sites } = await folder.open();
    expect(await outcomes(sites, "one", "one", "two", "two", "one")).toEqual([
      "deployed",
      "unchanged",
      "deployed",
      "unchanged",
      "deployed",
    ]);
    expect(await sites.ownerOf("docs")).toEqual({
      id: "petstore",
      name: "Pet Store",
      plan: "paid",
    });
  });

  test("stays rolled back or taken off until it changes", async () => {
    const { sites } = await folder.open();
    await outcomes(sites, "one", "two");
    const [, first] = await sites.listDeployments("docs", 10);
    await sites.rollBack("docs", first?.id ?? "");
    expect(await outcomes(sites, "two")).toEqual(["unchanged"]);
    expect((await sites.project("docs"))?.current).toBe(first?.id as string);
    await sites.unpublish("docs");
    expect(await outcomes(sites, "two")).toEqual(["unchanged"]);
    expect((await sites.project("docs"))?.current).toBeUndefined();
    expect(await outcomes(sites, "three")).toEqual(["deployed"]);
    expect((await sites.project("docs"))?.current).toBeString();
  });

  test("stays as it is also when another process has deployed it since we looked", async () => {
    const { sites } = await folder.open();
    await outcomes(sites, "one", "two");
    const [, first] = await sites.listDeployments("docs", 10);
    await sites.rollBack("docs", first?.id ?? "");
    const looking = storeWith(sites, { listDeployments: () => [] });
    expect(await outcomes(looking, "two")).toEqual(["unchanged"]);
    expect((await sites.project("docs"))?.current).toBe(first?.id as string);
  });

  test("of six processes that start together is deployed once", async () => {
    const stores = await Promise.all(Array.from({ length: 6 }, () => folder.open()));
    const kinds = await Promise.all(
      stores.map(
        async ({ sites }) =>
          (await deployOwnDocs(pages("one"), { store: sites, clock: newClock() })).kind,
      ),
    );
    expect(kinds.sort()).toEqual(["deployed", ...Array(5).fill("unchanged")]);
    expect(await stores[0]?.sites.listDeployments("docs", 10)).toHaveLength(1);
  });

  test("does not touch a project of somebody else that has its name", async () => {
    const { sites } = await folder.open();
    await sites.addOwner({ id: "ada", name: "Ada", plan: "free" });
    await sites.addProject({ slug: "docs", ownerId: "ada", nowMs });
    expect(await outcomes(sites, "one")).toEqual(["slug_taken"]);
    expect(await sites.listDeployments("docs", 10)).toEqual([]);
  });

  test("goes on after a process that died on the way", async () => {
    const { sites } = await folder.open();
    await outcomes(sites, "one");
    await sites.beginDeployment({ id: "dep_dead", project: "docs", nowMs });
    await sites.buildDeployment("dep_dead", nowMs);
    expect(await outcomes(sites, "two", "two")).toEqual(["deployed", "unchanged"]);
  });
});
