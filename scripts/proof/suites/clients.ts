/** Clients that other people's generators make of the contract, as `npm run clients` tries them. */
import { join } from "node:path";
import { generatedClients, pinned } from "../../clients/generatedClients.ts";
import { root, run } from "../run.ts";
import { type Failure, type Outcome, progress, type Suite } from "../suite.ts";

export const clients: Suite = {
  name: "openapi-generator and others, clients",
  slug: "clients",
  // `.ci/run` tries all but Rust's, which takes longest to compile, by itself.
  quick: false,
  async run() {
    let passed = 0;
    const failures: Failure[] = [];
    for (const { name } of generatedClients) {
      const outcome = outcomeOf(name, await tried(name));
      passed += outcome.passed;
      failures.push(...outcome.failures);
    }
    return { version: pinned.openapiGenerator, passed, failures };
  },
};

async function tried(name: string): Promise<string> {
  const args = [join(root, "scripts/clients.ts"), "--required", name];
  const { text } = await run(process.execPath, args, root, process.env as Record<string, string>);
  progress(text.split("\n", 1)[0] ?? "");
  return text;
}

/** A client passes once for each step that it got through, or fails as a whole. */
export function outcomeOf(name: string, said: string): Omit<Outcome, "version"> {
  const steps = new RegExp(`^${name}: passed in [\\d.]+ s, ([^;\\n]+)`, "m").exec(said)?.[1];
  if (steps === undefined || !/^1 passed, 0 failed, 0 skipped$/m.test(said)) {
    return { passed: 0, failures: [{ id: name, says: said.trim() }] };
  }
  return { passed: steps.split(", ").length, failures: [] };
}
