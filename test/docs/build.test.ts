import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { cacheControlOf, contentSecurityPolicy } from "../../src/docs/published.ts";
import { mediaTypeOf } from "../../src/hosting/sites/siteFile.ts";
import { build, changelog, docsFolder, document, elementsOf, pagesOf, textOf } from "./built.ts";

const files = await build();
const sources = (folder: string) =>
  readdirSync(new URL(`${folder}/`, docsFolder)).filter((name) => name.endsWith(".md"));
const operations = Object.values(document.paths).flatMap((item) =>
  Object.values(item as Record<string, { operationId: string; summary: string }>),
);

describe("the site has a page for", () => {
  for (const name of sources("guide")) {
    test(`the guide ${name}, with the source itself beside it`, () => {
      expect(files.has(`guide/${name.slice(0, -3)}/index.html`)).toBe(true);
      const source = readFileSync(new URL(`guide/${name}`, docsFolder), "utf8");
      expect(textOf(files, `guide/${name}`)).toBe(source);
    });
  }

  for (const name of sources("errors")) {
    test(`the error ${name}, with the source itself beside it`, () => {
      const path = name === "README.md" ? "errors" : `errors/${name.slice(0, -3)}`;
      expect(files.has(`${path}/index.html`)).toBe(true);
      const source = readFileSync(new URL(`errors/${name}`, docsFolder), "utf8");
      expect(textOf(files, `errors/${name}`)).toBe(source);
    });
  }

  for (const { operationId, summary } of operations) {
    test(`the operation ${operationId}, with samples, a form and its Markdown`, () => {
      const page = textOf(files, `reference/${operationId}/index.html`);
      expect(page).toContain(`<h1>${summary}</h1>`);
      for (const language of ["curl", "typescript", "python"]) {
        expect(page).toContain(`data-sample="${language}"`);
      }
      expect(page).toContain(`data-operation="${operationId}"`);
      const markdown = textOf(files, `reference/${operationId}.md`);
      expect(markdown).toStartWith(`# ${summary}\n`);
      expect(markdown).toContain("## Responses");
    });
  }

  test("an operation whose body has a member that may be null, with its values", () => {
    expect(textOf(files, "reference/updatePet.md")).toMatch(
      /`status` \(string or null\): .*One of `available`, `pending`, `sold`/,
    );
  });

  test("the changelog, whose Markdown differs from the source by where its links begin", () => {
    const twin = textOf(files, "changelog.md");
    expect(twin.replaceAll("](guide/", "](docs/guide/")).toBe(changelog);
    expect(textOf(files, "changelog/index.html")).toContain("<h1>Changelog</h1>");
  });

  test("what is not there, without a relative link", () => {
    const page = textOf(files, "404.html");
    for (const { attributes } of elementsOf(page)) {
      expect(attributes.get("href") ?? "/").toMatch(/^[/#]/);
    }
  });
});

describe("an operation's page", () => {
  test("says when a deprecated operation goes away, here and in the overview", () => {
    const said = "Deprecated, removed on 5 December 2030";
    expect(textOf(files, "reference/getPet/index.html")).toContain(said);
    expect(textOf(files, "reference/index.html")).toContain(said);
    expect(textOf(files, "reference/getPet.md")).toContain("Removed on 5 December 2030.");
  });

  test("has its stability and its scope", () => {
    const page = textOf(files, "reference/placeOrder/index.html");
    expect(page).toContain("Beta</span>");
    expect(page).toContain("<code>orders:write</code>");
    expect(textOf(files, "reference/listCategories/index.html")).toContain("Experimental</span>");
  });

  test("links each of its error codes to the code's page", () => {
    const page = textOf(files, "reference/getPet/index.html");
    const codes = [...page.matchAll(/href="\/docs\/errors\/(\w+)\/"><code>/g)].map(
      ([, code]) => code,
    );
    for (const code of ["pet_not_found", "operation_removed", "key_expired", "rate_limited"]) {
      expect(codes).toContain(code);
    }
  });
});

describe("the site as files", () => {
  test("is the same, byte for byte, when it is built again", async () => {
    expect(await build()).toEqual(files);
  });

  test("stands under another base path with every address below it", async () => {
    const moved = await build({ basePath: "/", baseUrl: "https://api.example.com/v1" });
    expect([...moved.keys()].filter((path) => !path.startsWith("assets/"))).toEqual(
      [...files.keys()].filter((path) => !path.startsWith("assets/")),
    );
    for (const path of pagesOf(moved)) expect(textOf(moved, path)).not.toContain('"/docs/');
    expect(textOf(moved, "index.html")).toContain(
      "BASE_URL</span>=<span data-base-url>https://api.example.com/v1<",
    );
  });

  test("refuses a base path or a base address that is none", async () => {
    expect(build({ basePath: "docs" })).rejects.toThrow("basePath must begin and end with a slash");
    expect(build({ baseUrl: "javascript:alert(1)" })).rejects.toThrow("baseUrl must be an address");
  });

  test("lists every Markdown page in llms.txt, and the contract", () => {
    const llms = textOf(files, "llms.txt");
    const listed = [...llms.matchAll(/\]\(\/docs\/([^)]+)\)/g)].map(([, path]) => path);
    expect(llms).toContain("\n## POST /pets\n");
    const twins = [...files.keys()].filter((path) => path.endsWith(".md"));
    expect(listed.toSorted()).toEqual([...twins, "openapi.json"].toSorted());
  });

  test("has the contract beside it", () => {
    expect(JSON.parse(textOf(files, "openapi.json"))).toEqual(document);
  });

  test("has a media type for every file, and lets only hashed names be kept for good", () => {
    for (const path of files.keys()) {
      expect(mediaTypeOf(path)).not.toBe("application/octet-stream");
      const forGood = cacheControlOf(path).includes("immutable");
      expect([path, forGood]).toEqual([path, path.startsWith("assets/")]);
    }
  });

  test("needs a policy that names the API's origin only where that is another", () => {
    expect(contentSecurityPolicy("/v1")).toContain("connect-src 'self';");
    expect(contentSecurityPolicy("https://api.example.com/v1")).toContain(
      "connect-src 'self' https://api.example.com;",
    );
  });
});

describe("the size of", () => {
  const gzipped = (path: string) => gzipSync(files.get(path) ?? "", { level: 9 }).byteLength;
  const sizeOf = (path: string) =>
    path.endsWith(".woff2") ? (files.get(path)?.byteLength ?? 0) : gzipped(path);

  test("a first view stays below 90 kB, fonts included", () => {
    const shared = [...files.keys()].filter(
      (path) => path.startsWith("assets/") && !path.includes("search-"),
    );
    const view = [...shared, "index.html"].map((path) => [path, sizeOf(path)] as const);
    const total = view.reduce((sum, [, size]) => sum + size, 0);
    console.log(`first view: ${total} bytes`, Object.fromEntries(view));
    expect(total).toBeLessThan(90_000);
  });

  test("the search index stays below 74 kB, and the script below 8 kB", () => {
    const find = (form: RegExp) => [...files.keys()].find((path) => form.test(path)) ?? "";
    expect(gzipped(find(/search-/))).toBeLessThan(74_000);
    expect(gzipped(find(/site-.*\.js$/))).toBeLessThan(8_000);
  });

  test("the whole site stays below 3.5 MB", () => {
    const total = [...files.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
    console.log(`whole site: ${files.size} files, ${total} bytes`);
    expect(total).toBeLessThan(3_500_000);
  });
});
