/** What `npm run release` takes from the changelog, and what it refuses. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { thirdPartyLicenses } from "../../scripts/release/licenses.ts";
import { notesOf, withAbsoluteLinks } from "../../scripts/release/notes.ts";
import {
  notesComplaints,
  tagComplaints,
  toolComplaints,
  treeComplaints,
  versionComplaints,
} from "../../scripts/release/preconditions.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("the notes", () => {
  const changelog = `## 1.1.0 (2027-02-01)

- Second.

\`\`\`md
## 1.0.0
\`\`\`

## 1.0.0

The first.

### Fixed

- Nothing.
`;

  test("are the section of the version, up to the next one", () => {
    expect(notesOf(changelog, "1.0.0")).toEqual({
      kind: "found",
      text: "The first.\n\n### Fixed\n\n- Nothing.\n",
    });
    expect(notesOf(changelog, "1.1.0")).toEqual({
      kind: "found",
      text: "- Second.\n\n```md\n## 1.0.0\n```\n",
    });
  });

  test.each(["1.0", "1.0.1", "1.0.0-rc.1", "11.0.0"])("of %s are missing", (version) => {
    expect(notesOf(changelog, version)).toEqual({ kind: "missing" });
  });

  test.each(["## 1.1.0 (unreleased)", "## 1.1.0 - Unreleased"])(
    "under %p are not released yet",
    (heading) => {
      expect(notesOf(`${heading}\n\n- MaybePromise.\n`, "1.1.0")).toEqual({ kind: "unreleased" });
    },
  );

  test.each(["## Unreleased", "## [Unreleased]"])(
    "wait until what is under %p has a version",
    (heading) => {
      expect(notesOf(`${heading}\n\n- MaybePromise.\n\n${changelog}`, "1.1.0")).toEqual({
        kind: "unreleased",
      });
      expect(notesOf(`${heading}\n\n${changelog}`, "1.1.0").kind).toBe("found");
    },
  );

  test("of a heading alone are empty", () => {
    expect(notesOf("## 2.0.0\n\n## 1.0.0\n\nText.\n", "2.0.0")).toEqual({ kind: "empty" });
  });

  test("of this very version are written", () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const current = readFileSync(join(root, "CHANGELOG.md"), "utf8");
    expect(notesComplaints(version, notesOf(current, version))).toEqual([]);
  });
});

describe("the links of the notes", () => {
  const base = "https://git.example/acme/petstore/blob/v1.0.0";

  test.each([
    ["[guide](docs/guide/orders.md)", `[guide](${base}/docs/guide/orders.md)`],
    ["[`keys`](./docs/guide/keys.md#rotate)", `[\`keys\`](${base}/docs/guide/keys.md#rotate)`],
    ["![shot](docs/images/a.png)", `![shot](${base}/docs/images/a.png)`],
  ])("%p lead to the files of the release", (given, absolute) => {
    expect(withAbsoluteLinks(given, base)).toBe(absolute);
  });

  test("lose their target where nobody knows the repository", () => {
    const given = "See the [guide](docs/guide/orders.md) and [RFC 9457](https://rfc.example/9457).";
    expect(withAbsoluteLinks(given, undefined)).toBe(
      "See the guide and [RFC 9457](https://rfc.example/9457).",
    );
  });

  test.each([
    "[RFC](https://rfc.example/)",
    "[mail](mailto:a@b.example)",
    "[below](#fixed)",
    "`[code](docs/x.md)`",
    "```\n[code](docs/x.md)\n```",
  ])("%p stay as they are", (given) => {
    expect(withAbsoluteLinks(given, base)).toBe(given);
  });
});

describe("the licenses of what is inside", () => {
  /** Those of a project with one package, which has these files. */
  function licensesWith(name: string, files: Readonly<Record<string, string>>): string {
    const project = mkdtempSync(join(tmpdir(), "petstore-licenses-"));
    try {
      const folder = `node_modules/${name}`;
      mkdirSync(join(project, folder), { recursive: true });
      const manifest = JSON.stringify({ name, version: "1.2.3", license: "MIT" });
      for (const [file, text] of Object.entries({ "package.json": manifest, ...files })) {
        writeFileSync(join(project, folder, file), text);
      }
      writeFileSync(
        join(project, "package-lock.json"),
        JSON.stringify({ packages: { "": {}, [folder]: {}, "node_modules/tool": { dev: true } } }),
      );
      return thirdPartyLicenses(project);
    } finally {
      rmSync(project, { recursive: true });
    }
  }

  test.each([
    ["a file of their own", "LICENCE", "Copyright 2026 A. Bee\n"],
    ["their README", "README.md", "# a\n\n## License\n\nPermission is hereby granted to A. Bee"],
  ])("are taken from %s", (_where, file, text) => {
    expect(licensesWith("a", { [file]: text })).toContain("A. Bee");
  });

  test("are an error where a package has none", () => {
    expect(() => licensesWith("a", { "README.md": "## License\n\nMIT\n" })).toThrow(
      "a 1.2.3 has no license text.",
    );
  });

  test("have that of Bun, with the texts that it asks for", () => {
    const text = licensesWith("bun", {});
    expect(text).toContain("Bun statically links JavaScriptCore");
    expect(text).toContain("GNU LIBRARY GENERAL PUBLIC LICENSE\n                       Version 2,");
    expect(text).toContain(
      "GNU LESSER GENERAL PUBLIC LICENSE\n                       Version 2.1,",
    );
  });
});

describe("a release is refused", () => {
  test("with changes that are not committed, naming five of them", () => {
    const status = ["a", "b", "c", "d", "e", "f"].map((name) => ` M ${name}.ts`).join("\n");
    expect(treeComplaints("")).toEqual([]);
    expect(treeComplaints("?? new.ts")).toEqual(["Not committed: new.ts. Commit or stash it."]);
    expect(treeComplaints(status)).toEqual([
      "Not committed: a.ts, b.ts, c.ts, d.ts, e.ts and 1 more. Commit or stash it.",
    ]);
  });

  test("while files name another version, or none", () => {
    const places = [
      { place: "a", version: "1.0.0" },
      { place: "b", version: "1.0.1" },
      { place: "c", version: undefined },
    ];
    expect(versionComplaints("1.0.0", places)).toEqual([
      "b has version 1.0.1, and package.json 1.0.0. Make them the same.",
      "c has version (none), and package.json 1.0.0. Make them the same.",
    ]);
  });

  test("without a tag of that version on the commit", () => {
    expect(tagComplaints("1.0.0", ["v1.0.0", "latest"])).toEqual([]);
    expect(tagComplaints("1.0.0", ["v1.0.1", "1.0.0"])).toHaveLength(1);
  });

  test("without a tool, naming the package that brings it", () => {
    expect(toolComplaints((command) => command !== "dpkg-deb")).toEqual([
      "dpkg-deb is not installed. On Debian, dpkg has it.",
    ]);
  });
});
