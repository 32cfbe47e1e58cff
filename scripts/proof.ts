// What `npm run proof` runs: suites that others wrote, against our real service. Names limit it to
// some of them. A suite installs its tool when it needs it and starts what it tests.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { knownFailures } from "./proof/knownFailures.ts";
import { withResults } from "./proof/publish.ts";
import { Missing, root } from "./proof/run.ts";
import { progress, type Suite } from "./proof/suite.ts";
import { suites } from "./proof/suites.ts";
import { closingLine, judge, select, stopped, table, type Verdict } from "./proof/verdict.ts";

const usage = "npm run proof -- [<suite>…] [--quick] [--list] [--json] [--publish]";
const guide = join(root, "docs/guide/proof.md");
const failuresShownMax = 20;

function readOptions() {
  const flag = { type: "boolean", default: false } as const;
  try {
    const options = { quick: flag, list: flag, json: flag, publish: flag };
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const chosen = select(suites, positionals, values.quick);
    if (!("unknown" in chosen)) {
      if (chosen.length > 0) return { ...values, chosen };
      console.error(`None of ${positionals.join(", ")} is quick: leave out --quick.`);
      process.exit(2);
    }
    const known = suites.map(({ slug }) => slug).join(", ");
    console.error(`There is no suite ${chosen.unknown.join(", ")}. There are ${known}.`);
  } catch (cause) {
    console.error(`${cause instanceof Error ? cause.message : cause}\n${usage}`);
  }
  process.exit(2);
}

async function prove(suite: Suite): Promise<Verdict> {
  console.error(`\n${suite.name}`);
  const startedMs = performance.now();
  const seconds = () => (performance.now() - startedMs) / 1000;
  const verdict = await suite.run().then(
    (outcome) => judge(suite, outcome, knownFailures, seconds()),
    (cause: unknown) => ({
      ...stopped(suite, cause instanceof Missing ? cause.message : Bun.inspect(cause)),
      seconds: seconds(),
    }),
  );
  for (const { id, says } of verdict.failures.slice(0, failuresShownMax)) {
    progress(`FAILED ${id}: ${says}`);
  }
  const more = verdict.failures.length - failuresShownMax;
  if (more > 0) progress(`… and ${more} more`);
  const { passed, failed, known } = verdict;
  progress(`${passed} passed, ${failed} failed, ${known} known, in ${seconds().toFixed(1)} s`);
  return verdict;
}

const { chosen, list, json, publish } = readOptions();
if (list) {
  const listed = chosen.map(({ slug, name, quick }) => ({ slug, name, quick }));
  const lines = listed.map(
    ({ slug, name, quick }) => `${slug.padEnd(20)} ${name}${quick ? "" : " (not quick)"}`,
  );
  console.log(json ? JSON.stringify(listed, null, 2) : lines.join("\n"));
} else {
  const verdicts: Verdict[] = [];
  for (const suite of chosen) verdicts.push(await prove(suite));
  const result = json
    ? JSON.stringify(verdicts, null, 2)
    : `\n${table(verdicts)}\n\n${closingLine(verdicts)}`;
  console.log(result);
  if (publish) {
    const good = verdicts.filter(({ failed }) => failed === 0);
    const order = suites.map(({ name }) => name);
    const today = new Date().toISOString().slice(0, 10);
    writeFileSync(guide, withResults(readFileSync(guide, "utf8"), good, order, today));
    console.error(`${good.length} of ${verdicts.length} results are in ${guide}.`);
  }
  process.exitCode = verdicts.every(({ failed }) => failed === 0) ? 0 : 1;
}
