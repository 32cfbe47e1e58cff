/** What the workflows may do, and that what they call is there. Syntax is for actionlint. */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const folder = ".github/workflows";
const npmScripts = JSON.parse(read("package.json")).scripts;

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly container?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly "timeout-minutes"?: number;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const ours = readdirSync(join(root, folder)).map((file) => `${folder}/${file}`);
/** With the one that is for others to copy. */
const workflows = [...ours, "deploy/ci/github.yml"].map((path) => {
  const text = read(path);
  return { file: path.split("/").at(-1), text, workflow: parse(text) as Workflow };
});
const releaseJobs = workflows.find(({ file }) => file === "release.yml")?.workflow.jobs ?? {};

describe.each(workflows)("$file", ({ text, workflow }) => {
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);

  test("pins every action to a commit, and names its version", () => {
    const lines = text.split("\n").filter((line) => /^\s*(?:- )?uses:/.test(line));
    const pinned = /uses: [\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => !pinned.test(line))).toEqual([]);
  });

  test("may do nothing that a job does not ask for, and leaves no credentials behind", () => {
    const rights = Object.entries(workflow.permissions ?? { all: "write" });
    expect(rights.filter(([, right]) => right !== "read")).toEqual([]);
    const checkouts = steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
    expect(checkouts.filter((step) => step.with?.["persist-credentials"] !== false)).toEqual([]);
    // A change from outside would run with our rights there.
    expect(Object.keys(workflow.on)).not.toContain("pull_request_target");
  });

  test("lets git read the checkout of a job in a container, where another user owns it", () => {
    for (const { steps } of jobs.filter(({ container }) => container !== undefined)) {
      const checkout = steps.findIndex(({ uses }) => uses?.startsWith("actions/checkout@"));
      expect(steps[checkout + 1]?.run).toBe(
        'git config --global --add safe.directory "$GITHUB_WORKSPACE"',
      );
    }
  });

  test("ends by itself", () => {
    expect(jobs.filter((job) => job["timeout-minutes"] === undefined)).toEqual([]);
  });

  test("puts nothing that others wrote into a shell script", () => {
    expect(steps.filter(({ run = "" }) => run.includes("${{"))).toEqual([]);
  });

  test("calls only npm scripts and files that there are", () => {
    const called = steps.flatMap(({ run = "" }) => run.split("\n"));
    const names = called.flatMap((line) =>
      [...line.matchAll(/\bnpm (?:run (\S+)|(test|start)\b)/g)].map(
        ([, run, short]) => run ?? short,
      ),
    );
    expect(names.filter((name = "") => !Object.hasOwn(npmScripts, name))).toEqual([]);
    const files = called.flatMap((line) => /^(\.ci\/\S+)/.exec(line)?.[1] ?? []);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });
});

test("each night, what is shipped is tried: the package, its unit and the image", () => {
  const nightly = workflows.find(({ file }) => file === "nightly.yml")?.workflow;
  const commands = nightly?.jobs["packages"]?.steps.map(({ run }) => run);
  expect(commands).toEqual(
    expect.arrayContaining([
      "npm run deb -- --lint",
      'sudo env "PATH=$PATH" npm run systemd',
      "docker build -f deploy/Dockerfile .",
      "docker compose -f deploy/compose.yaml config --quiet",
    ]),
  );
});

describe("the release", () => {
  test("is built by npm scripts that there are", () => {
    const names = [...read("scripts/release.ts").matchAll(/run\("npm", \["run", "(\w+)"/g)];
    expect(names.map(([, name]) => name)).toEqual(["client", "build", "deb"]);
    expect(names.filter(([, name = ""]) => !Object.hasOwn(npmScripts, name))).toEqual([]);
  });

  const runsOurCode = ({ run = "" }: Step) => /\bnpm (?:ci|test|run)\b|^\.ci\//.test(run);

  test("gives no right to write to a job that runs what npm installed", () => {
    const running = Object.values(releaseJobs).filter(({ steps }) => steps.some(runsOurCode));
    expect(running.map(({ permissions }) => permissions)).toEqual([
      { contents: "read" },
      { contents: "read" },
    ]);
  });

  test("publishes what was built and attested, and only with sums that hold", () => {
    const publishing = Object.entries(releaseJobs).filter(
      ([, { steps }]) => !steps.some(runsOurCode),
    );
    expect(publishing.map(([name]) => name)).toEqual(["attest", "publish"]);
    for (const [, { steps }] of publishing) {
      expect(steps[0]?.uses).toStartWith("actions/download-artifact@");
      expect(steps[1]?.run).toBe("sha256sum --check --strict SHA256SUMS");
    }
  });
});
