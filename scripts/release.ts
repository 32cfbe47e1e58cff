// What `npm run release` does: builds everything that a release is made of into dist/release/, with
// checksums, a bill of materials and the notes. It publishes nothing: .github/workflows/release.yml
// does, when the tag is pushed. With --dry-run, the commit needs no tag.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { debianTargets, targets } from "./build/runtimes.ts";
import { archive } from "./release/archive.ts";
import { thirdPartyLicenses } from "./release/licenses.ts";
import { notesOf, withAbsoluteLinks } from "./release/notes.ts";
import {
  notesComplaints,
  tagComplaints,
  toolComplaints,
  treeComplaints,
  versionComplaints,
} from "./release/preconditions.ts";
import { type Bom, productionBill } from "./release/sbom.ts";
import { releasedFiles, sumsFile, sumsText } from "./release/sums.ts";

const usage = `Usage: npm run release -- [--dry-run] [--json] [--repository <url>]

  --dry-run           build from a commit that has no tag
  --json              print what was built as JSON
  --repository <url>  where the links of the notes lead; in GitHub Actions, the repository itself`;

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const folder = join(dist, "release");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const manifest = JSON.parse(read("package.json")) as { name: string; version: string };
const { name, version } = manifest;
const tag = `v${version}`;

const options = optionsOf(process.argv.slice(2));
const notes = notesOf(read("CHANGELOG.md"), version);
const complaints = [
  ...toolComplaints((command) => Bun.which(command) !== null),
  ...versionComplaints(version, versionsElsewhere()),
  ...notesComplaints(version, notes),
  ...treeComplaints(git("status", "--porcelain")),
  ...(options.dryRun ? [] : tagComplaints(version, git("tag", "--points-at", "HEAD").split("\n"))),
];
if (complaints.length > 0 || notes.kind !== "found") {
  for (const complaint of complaints) console.error(complaint);
  process.exit(1);
}

const commit = git("rev-parse", "HEAD");
const committedAtSeconds = Number(git("log", "-1", "--format=%ct"));
// Tools that write the time into what they make take this one (reproducible-builds.org).
process.env["SOURCE_DATE_EPOCH"] = String(committedAtSeconds);

rmSync(dist, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

step("npm packages of the server and the client", () => {
  run("npm", ["run", "client"]);
  run("npm", ["pack", ".", "./dist/client", `--pack-destination=${folder}`]);
});
step(`executables for ${targets.join(", ")}`, () =>
  run("npm", ["run", "build", "--", "--target", targets.join(",")]),
);
step("archives of the executables", () => {
  const licenses = thirdPartyLicenses(root);
  for (const target of targets) {
    archive({
      file: join(folder, `${name}-${version}-${target}.tar.gz`),
      folder: `${name}-${version}-${target}`,
      contents: [
        { name, content: readFileSync(join(dist, `${name}-${target}`)), isExecutable: true },
        { name: "LICENSE", content: read("LICENSE") },
        { name: "THIRD_PARTY_LICENSES.txt", content: licenses },
      ],
      modifiedAtSeconds: committedAtSeconds,
    });
  }
});
step("Debian packages", () => {
  for (const architecture of Object.keys(debianTargets)) {
    run("npm", ["run", "deb", "--", "--arch", architecture]);
    const file = readdirSync(dist).find((each) => each.endsWith(`_${architecture}.deb`));
    if (file === undefined) throw new Error(`npm run deb made no package for ${architecture}.`);
    renameSync(join(dist, file), join(folder, file));
  }
});
step("bill of materials", () => {
  const asked = ["--sbom-format=cyclonedx", "--sbom-type=application", "--package-lock-only"];
  const bill = productionBill(JSON.parse(run("npm", ["sbom", ...asked])) as Bom, {
    name,
    timestamp: new Date(committedAtSeconds * 1000),
    runtimeVersions: process.versions,
  });
  writeFileSync(
    join(folder, `${name}-${version}.cdx.json`),
    `${JSON.stringify(bill, undefined, 2)}\n`,
  );
});
step("notes", () => {
  const base = options.repository && `${options.repository}/blob/${tag}`;
  writeFileSync(join(folder, "RELEASE_NOTES.md"), withAbsoluteLinks(notes.text, base));
});
step("checksums", () => {
  writeFileSync(join(folder, sumsFile), sumsText(releasedFiles(folder)));
  run("sha256sum", ["--check", "--strict", sumsFile], folder);
});

const files = releasedFiles(folder);
if (options.json) {
  console.log(JSON.stringify({ version, tag, commit, dryRun: options.dryRun, files }));
} else {
  for (const { name: file, bytes, sha256 } of files) {
    console.log(`${sha256}  ${String(bytes).padStart(10)}  ${file}`);
  }
  console.log(
    options.dryRun
      ? `dist/release/ has what ${tag} would publish. Nothing was published.`
      : `dist/release/ has ${tag}. To publish it, push the tag: git push origin ${tag}`,
  );
}

function optionsOf(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        "dry-run": { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        repository: { type: "string" },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
    const here = server && repository ? `${server}/${repository}` : undefined;
    return {
      dryRun: values["dry-run"],
      json: values.json,
      repository: (values.repository ?? here)?.replace(/\/$/, ""),
    };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(2);
  }
}

function versionsElsewhere() {
  const lock = JSON.parse(read("package-lock.json")) as { version: string };
  const contract = parse(read("openapi/petstore.yaml")) as { info: { version: string } };
  const image = /^ +image: petstore:(\S+)$/m.exec(read("deploy/compose.yaml"))?.[1];
  return [
    { place: "package-lock.json", version: lock.version },
    { place: "openapi/petstore.yaml", version: contract.info.version },
    { place: "deploy/compose.yaml", version: image },
  ];
}

function git(...args: string[]): string {
  return run("git", args).trimEnd();
}

/** Tells on stderr what is under way and how long it took, so that stdout is only the result. */
function step(what: string, work: () => void): void {
  const began = performance.now();
  console.error(`building: ${what}`);
  work();
  console.error(`built: ${what} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
}

/** What the command prints. When it fails, all that it said is shown, and the release ends. */
function run(command: string, args: readonly string[], cwd = root): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env: process.env,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (status === 0) return stdout;
  console.error(`${stdout ?? ""}${stderr ?? ""}`);
  console.error(`${command} ${args.join(" ")} failed${error ? `: ${error.message}` : ""}.`);
  process.exit(1);
}
