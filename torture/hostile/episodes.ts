/** Cuts a long time into episodes, each with a service and a store of its own. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Stage } from "../scenario.ts";

// What a service has said is kept, and all of a store is read in the end: neither may grow for hours.
const episodeSecondsMax = 90;
/** With less than this left, another one is not worth its start. */
const episodeSecondsMin = 15;

export function inEpisodes(run: (stage: Stage) => Promise<void>): (stage: Stage) => Promise<void> {
  return async (stage) => {
    const endMs = performance.now() + stage.seconds * 1_000;
    let left = stage.seconds;
    for (let number = 1; number === 1 || left >= episodeSecondsMin; number++) {
      const folder = join(stage.folder, `${number}`);
      const found = stage.tally.violations.length;
      const seconds = Math.min(left, episodeSecondsMax);
      await run({ ...stage, random: stage.random.fork(`episode ${number}`), folder, seconds });
      if (stage.tally.violations.length === found) {
        rmSync(folder, { recursive: true, force: true });
      }
      left = (endMs - performance.now()) / 1_000;
    }
  };
}
