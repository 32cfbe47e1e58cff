/** What `npm run audit` complains of, and what it does where the registry says nothing. */
import { describe, expect, test } from "bun:test";
import {
  type Audited,
  allowedScripts,
  documentedIn,
  type LockEntry,
  lockComplaints,
  manifestComplaints,
} from "../../scripts/audit/dependencies.ts";
import { advisories, signatures } from "../../scripts/audit/registry.ts";

const integrity = `sha512-${"A".repeat(86)}==`;

/** Sound as it is; each test makes one thing of it worse. */
function audited(change: {
  dependencies?: Record<string, string>;
  documented?: readonly string[];
  packages?: Record<string, LockEntry>;
  installed?: readonly string[];
}): Audited {
  return {
    manifest: {
      dependencies: { pg: "8.0.0", bun: "1.4.4", ...change.dependencies },
      devDependencies: { yaml: "2.0.0-beta.1" },
      allowScripts: { bun: true },
    },
    lock: {
      packages: {
        "": {},
        "node_modules/pg": { version: "8.0.0", integrity },
        "node_modules/bun": { version: "1.4.4", integrity, hasInstallScript: true },
        "node_modules/yaml": { version: "2.0.0-beta.1", integrity, dev: true },
        ...change.packages,
      },
    },
    documented: change.documented ?? ["pg", "bun"],
    isInstalled: (folder) => change.installed?.includes(folder) ?? false,
  };
}

describe("the dependencies", () => {
  test("are fine when they are documented, pinned and locked, and run what is allowed", () => {
    expect(manifestComplaints(audited({}))).toEqual([]);
  });

  test("that the page gives no reason for are named, and so are reasons for nothing", () => {
    expect(manifestComplaints(audited({ documented: ["bun", "left-pad"] }))).toEqual([
      "pg is a dependency that docs/security.md gives no reason for.",
      "left-pad is in docs/security.md and is no dependency.",
    ]);
  });

  test.each([
    "^8.0.0",
    "~8.0.0",
    "8",
    "latest",
    "*",
    "npm:other@^8.0.0",
    "npm:other",
    "file:../pg",
    "8.0.0 || 9.0.0",
  ])("at %s are not pinned", (version) => {
    const complaints = manifestComplaints(audited({ dependencies: { pg: version } }));
    expect(complaints).toContain(`pg is not pinned: ${version}.`);
  });

  test("that are locked at another version, or not at all, are named", () => {
    const packages = { "node_modules/pg": { version: "8.0.1", integrity } };
    const words = "pg is locked at another version than 8.0.0.";
    expect(manifestComplaints(audited({ packages }))).toEqual([words]);
  });

  test("under another name are pinned and locked by the package that they are", () => {
    const complaintsOf = (entry: LockEntry) =>
      manifestComplaints(
        audited({
          dependencies: { pg: "npm:other@8.0.0" },
          packages: { "node_modules/pg": { integrity, ...entry } },
        }),
      );
    const words = "pg is locked at another version than npm:other@8.0.0.";
    expect(complaintsOf({ name: "other", version: "8.0.0" })).toEqual([]);
    expect(complaintsOf({ name: "other", version: "8.0.1" })).toEqual([words]);
    expect(complaintsOf({ name: "another", version: "8.0.0" })).toEqual([words]);
    expect(complaintsOf({ version: "8.0.0" })).toEqual([words]);
  });

  test.each([undefined, "", "sha1-AAAA", `${integrity} sha1-AAAA`])(
    "locked with %p are locked by nothing",
    (weak) => {
      const entry = weak === undefined ? {} : { integrity: weak };
      const packages = { "node_modules/pg/node_modules/deep": entry };
      expect(manifestComplaints(audited({ packages }))).toEqual([
        "node_modules/pg/node_modules/deep is locked without a SHA-512 hash.",
      ]);
    },
  );

  test("that run a script which nobody allowed are named, at whatever depth", () => {
    const packages = { "node_modules/pg/node_modules/@a/b": { integrity, hasInstallScript: true } };
    expect(manifestComplaints(audited({ packages }))).toEqual([
      "@a/b runs a script when it is installed, which allowScripts does not name.",
    ]);
  });

  test("for other systems, which only tests need, may have scripts: they never come here", () => {
    const folder = "node_modules/other-system";
    const packages = { [folder]: { integrity, dev: true, hasInstallScript: true } };
    expect(manifestComplaints(audited({ packages }))).toEqual([]);
    expect(manifestComplaints(audited({ packages, installed: [folder] }))).toHaveLength(1);
  });
});

describe("what others are compared with", () => {
  const peers = (version: string, entry: LockEntry) => ({
    manifest: { optionalDependencies: { peer: version }, allowScripts: { node: true, bad: false } },
    lock: { packages: { "": {}, "node_modules/peer": entry } },
    isInstalled: () => true,
  });

  test("needs no reason on the page, and is fine when it is pinned and locked", () => {
    expect(lockComplaints(peers("1.2.3", { version: "1.2.3", integrity }))).toEqual([]);
  });

  test("is named where it is not pinned, not locked by a hash, or runs what nobody allowed", () => {
    const complaints = lockComplaints(
      peers("^1.2.3", { version: "1.2.3", hasInstallScript: true }),
    );
    expect(complaints).toEqual([
      "peer is not pinned: ^1.2.3.",
      "peer is locked at another version than ^1.2.3.",
      "node_modules/peer is locked without a SHA-512 hash.",
      "peer runs a script when it is installed, which allowScripts does not name.",
    ]);
  });

  test("has those named that may run a script", () => {
    expect(allowedScripts(peers("1.2.3", {}).manifest)).toEqual(["node"]);
    expect(allowedScripts({})).toEqual([]);
  });
});

test("the page's reasons are read from its one table", () => {
  const page = [
    "| `before` | no |",
    "## Dependencies",
    "| Package | Why |",
    "| `pg` | yes |",
    "| `@a/b` | yes |",
    "## After",
    "| `after` | no |",
  ].join("\n");
  expect(documentedIn(page)).toEqual(["pg", "@a/b"]);
  expect(documentedIn(page.replace("## After\n| `after` | no |", ""))).toEqual(["pg", "@a/b"]);
});

describe("the registry", () => {
  const found = (severity: string) => ({
    auditReportVersion: 2,
    vulnerabilities: { pg: { name: "pg", severity, range: "<9" } },
  });

  test.each([
    ["high", "bad"],
    ["critical", "bad"],
    ["moderate", "fine"],
    ["low", "fine"],
  ] as const)("knows of a weakness that is %s: %s, and it is told", (severity, kind) => {
    expect(advisories(found(severity))).toEqual({ kind, lines: [`pg <9: ${severity}`] });
  });

  test("knows of nothing", () => {
    expect(advisories({ auditReportVersion: 2, vulnerabilities: {} }).kind).toBe("fine");
    expect(signatures({ invalid: [], missing: [] })).toEqual({ kind: "fine", lines: [] });
  });

  test("that cannot be asked is no verdict, and its address is not told", () => {
    const address = "https://registry.test/-/npm/v1/security/advisories/bulk";
    const refused = { message: `405 Method Not Allowed - POST ${address}`, statusCode: 405 };
    expect(advisories(refused)).toEqual({
      kind: "unknown",
      lines: ["npm says: 405 Method Not Allowed"],
    });
    const away = { error: { code: "ENOTFOUND", summary: `request to ${address} failed` } };
    expect(signatures(away).kind).toBe("unknown");
    expect(signatures(away).lines.join()).not.toContain("registry.test");
    for (const nothing of [undefined, null, "", 1, [], {}]) {
      expect([advisories(nothing).kind, signatures(nothing).kind]).toEqual(["unknown", "unknown"]);
    }
  });

  test("has a wrong signature for a package: bad; none at all is told", () => {
    const one = { name: "pg", version: "8.0.0" };
    expect(signatures({ invalid: [one], missing: [] }).kind).toBe("bad");
    expect(signatures({ invalid: [], missing: [one] })).toEqual({
      kind: "fine",
      lines: ["pg@8.0.0: it has no signature"],
    });
  });
});
