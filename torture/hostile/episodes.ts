/** Cuts a long time into episodes, each with a service and a store of its own. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { ScenarioContext } from "../scenario.ts";

// What a service has said is kept, and all of a store is read in the end: neither may grow for hours.
const episodeSecondsMax = 90;
/** With less than this left, another one is not worth its start. */
const episodeSecondsMin = 15;

export function inEpisodes(
  run: (context: ScenarioContext) => Promise<void>,
): (context: ScenarioContext) => Promise<void> {
  return async (context) => {
    const endMs = performance.now() + context.seconds * 1_000;
    let left = context.seconds;
    for (let number = 1; number === 1 || left >= episodeSecondsMin; number++) {
      const folder = join(context.folder, `${number}`);
      const found = context.tally.violations.length;
      const seconds = Math.min(left, episodeSecondsMax);
      await run({ ...context, random: context.random.fork(`episode ${number}`), folder, seconds });
      if (context.tally.violations.length === found) {
        rmSync(folder, { recursive: true, force: true });
      }
      left = (endMs - performance.now()) / 1_000;
    }
  };
}
