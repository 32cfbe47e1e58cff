/**
 * Runs our tests for Stryker, in the process that Stryker starts for it. `bun test` would have to
 * start for each mutant; here the tests are loaded once, and a mutant is switched on for those that
 * reach it. What they import as `bun:test` is suites.ts.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isSentence } from "./areas.ts";
import { loadFile, runTests } from "./suites.ts";

/** What the code that Stryker has instrumented reads and writes. */
interface Instrumented {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: object;
}

interface MutantRun {
  readonly activeMutant: { readonly id: string };
  readonly testFilter?: readonly string[];
  /** How often the mutant may be reached before it is held to run in circles. */
  readonly hitLimit?: number;
}

const instrumented: Instrumented = {};
Object.assign(globalThis, { __stryker__: instrumented });

class BunTestRunner {
  static readonly inject = ["options"];
  readonly #files: readonly string[];
  #loaded = false;

  constructor({ petstore }: { petstore: { tests: readonly string[] } }) {
    this.#files = petstore.tests;
  }

  /** Modules stay loaded: Stryker starts another process for a mutant of what runs as they load. */
  capabilities() {
    return { reloadEnvironment: false };
  }

  async dryRun() {
    await this.#load();
    const tests: object[] = [];
    const failures: string[] = [];
    // Twice, since they will run many times in this process.
    for (const round of [1, 2]) {
      await runTests(() => true, {
        starts(id) {
          instrumented.currentTestId = id;
        },
        ends(id, failure, timeSpentMs) {
          instrumented.currentTestId = undefined;
          if (failure !== undefined) failures.push(`${id}: ${failure}`);
          if (round === 1) tests.push({ id, name: id, status: 0, timeSpentMs });
          return true;
        },
      });
    }
    if (failures.length > 0) return { status: "error", errorMessage: failures.join("\n\n") };
    return { status: "complete", tests, mutantCoverage: instrumented.mutantCoverage };
  }

  async mutantRun({ activeMutant: { id }, testFilter, hitLimit }: MutantRun) {
    const hitCount = hitLimit === undefined ? undefined : 0;
    Object.assign(instrumented, { activeMutant: id, hitCount, hitLimit });
    const forThisAlone = !this.#loaded;
    const killer = (await this.#loadFailure()) ?? (await firstFailure(testFilter));
    const circles = (instrumented.hitCount ?? 0) > (hitLimit ?? Number.POSITIVE_INFINITY);
    Object.assign(instrumented, { activeMutant: undefined, hitCount: undefined });
    if (killer === undefined) return { status: "survived", nrOfTests: testFilter?.length ?? 0 };
    // What an earlier mutant has left behind is no merit of the tests: Stryker tries it in a new process.
    if (!forThisAlone && (await firstFailure([killer.id])) !== undefined) process.exit(1);
    if (circles) return { status: "timeout" };
    return {
      status: "killed",
      killedBy: [killer.id],
      failureMessage: killer.failure,
      nrOfTests: 1,
    };
  }

  async #loadFailure() {
    try {
      await this.#load();
      return undefined;
    } catch (cause) {
      return { id: "loading the tests", failure: String(cause) };
    }
  }

  async #load() {
    if (this.#loaded) return;
    this.#loaded = true;
    for (const each of this.#files) {
      const [file = "", only = ""] = each.split("#");
      await loadFile(file, only, () => import(join(process.cwd(), file)));
    }
  }
}

async function firstFailure(ids: readonly string[] | undefined) {
  const wanted = ids === undefined ? undefined : new Set(ids);
  let first: { readonly id: string; readonly failure: string } | undefined;
  await runTests((id) => wanted === undefined || wanted.has(id), {
    starts() {},
    ends(id, failure) {
      if (failure !== undefined) first = { id, failure };
      return failure === undefined;
    },
  });
  return first;
}

const suites = JSON.stringify(join(import.meta.dir, "suites.ts"));
Bun.plugin({
  name: "suites",
  setup(build) {
    build.onLoad({ filter: /\/test(?:kit)?\/.*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace('from "bun:test"', `from ${suites}`),
      loader: "ts",
    }));
  },
});

interface SyntaxPath {
  readonly node: { readonly type: string; readonly value?: unknown };
  getFunctionParent(): unknown;
}

/**
 * Leaves out sentences in tables. They are evaluated as modules load, so each would need another
 * process, and what matters of them is what they say.
 */
const texts = {
  shouldIgnore(path: SyntaxPath): string | undefined {
    const { type, value } = path.node;
    if (type !== "StringLiteral" || path.getFunctionParent() !== null) return undefined;
    return isSentence(String(value)) ? "A text for people" : undefined;
  },
};

export const strykerPlugins = [
  { kind: "TestRunner", name: "bun", injectableClass: BunTestRunner },
  { kind: "Ignore", name: "texts", value: texts },
];
