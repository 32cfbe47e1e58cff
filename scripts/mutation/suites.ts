/**
 * What `bun:test` exports, for tests that run many times in one process, each time those that are
 * wanted. Only what our tests of rules use; `expect` is Bun's own.
 */
export { expect, spyOn } from "bun:test";

type Step = () => unknown;

interface Test {
  readonly id: string;
  readonly run: Step;
}

class Suite {
  readonly before: Step[] = [];
  readonly after: Step[] = [];
  readonly beforeEach: Step[] = [];
  readonly afterEach: Step[] = [];
  readonly parts: (Test | Suite)[] = [];

  readonly name: string;
  readonly parent: Suite | undefined;

  constructor(name: string, parent?: Suite) {
    this.name = name;
    this.parent = parent;
  }

  tests(): Test[] {
    return this.parts.flatMap((part) => (part instanceof Suite ? part.tests() : [part]));
  }
}

const root = new Suite("");
const ids = new Set<string>();
let current = root;
let wanted = /^/;

/** A file is a suite of its own, so that its hooks are for its tests alone. */
export async function loadFile(
  file: string,
  only: string,
  load: () => Promise<unknown>,
): Promise<void> {
  current = new Suite(file, root);
  wanted = new RegExp(only);
  root.parts.push(current);
  await load();
  current = root;
}

export function describe(name: string, define: () => void): void {
  const suite = new Suite(`${current.name} > ${name}`, current);
  current.parts.push(suite);
  const outer = current;
  current = suite;
  define();
  current = outer;
}

export function test(name: string, run: Step): void {
  const whole = `${current.name} > ${name}`;
  if (!wanted.test(whole)) return;
  let id = whole;
  for (let count = 2; ids.has(id); count++) id = `${whole} (${count})`;
  ids.add(id);
  current.parts.push({ id, run });
}

test.each =
  (rows: readonly unknown[]) =>
  (name: string, run: (...row: unknown[]) => unknown): void => {
    for (const row of rows) test(name, () => (Array.isArray(row) ? run(...row) : run(row)));
  };

export const beforeAll = (step: Step) => current.before.push(step);
export const afterAll = (step: Step) => current.after.push(step);
export const beforeEach = (step: Step) => current.beforeEach.push(step);
export const afterEach = (step: Step) => current.afterEach.push(step);

export interface Watcher {
  starts(id: string): void;
  /** Whether to go on with the next one. */
  ends(id: string, failure: string | undefined, ms: number): boolean;
}

/** Runs the tests that are wanted, with the hooks around them, until the watcher has seen enough. */
export async function runTests(wants: (id: string) => boolean, watcher: Watcher): Promise<void> {
  let goesOn = true;
  const runSuite = async (suite: Suite): Promise<void> => {
    const [first] = suite.tests().filter(({ id }) => wants(id));
    if (first === undefined) return;
    const unready = await failureOf(suite.before);
    if (unready !== undefined) {
      watcher.starts(first.id);
      goesOn = watcher.ends(first.id, unready, 0);
    }
    for (const part of suite.parts) {
      if (!goesOn || unready !== undefined) break;
      if (part instanceof Suite) await runSuite(part);
      else if (wants(part.id)) await runTest(suite, part);
    }
    const left = await failureOf(suite.after);
    if (left !== undefined && goesOn) goesOn = watcher.ends(first.id, left, 0);
  };
  const runTest = async (suite: Suite, { id, run }: Test): Promise<void> => {
    const suites: Suite[] = [];
    for (let at: Suite | undefined = suite; at !== undefined; at = at.parent) suites.unshift(at);
    watcher.starts(id);
    const since = performance.now();
    const failed = await failureOf([...suites.flatMap(({ beforeEach }) => beforeEach), run]);
    const left = await failureOf(suites.toReversed().flatMap(({ afterEach }) => afterEach));
    goesOn = watcher.ends(id, failed ?? left, performance.now() - since);
  };
  await runSuite(root);
}

let stray: unknown;
for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (cause) => {
    stray ??= cause;
  });
}

/** Of the first step that fails, or of what failed beside them. */
async function failureOf(steps: readonly Step[]): Promise<string | undefined> {
  stray = undefined;
  try {
    for (const step of steps) await step();
  } catch (cause) {
    return String(cause);
  }
  return stray === undefined ? undefined : String(stray);
}
