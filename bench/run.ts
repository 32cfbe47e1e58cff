// What `npm run bench` runs: this service beside nginx with the same bytes as files, and beside what
// people would use instead, in one interleaved run on this machine.
import { grossRegressions } from "./goals.ts";
import { keepResults } from "./keep.ts";
import { measureAll } from "./measureAll.ts";
import { readOptions, UsageError, usage } from "./options.ts";
import { plainReport } from "./report.ts";
import { missingTools } from "./tools.ts";

// Child processes are killed when this process exits.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => process.exit(1));

process.exit(await run(process.argv.slice(2)));

async function run(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    console.log(usage);
    return 0;
  }
  try {
    const options = readOptions(args);
    const missing = missingTools(options);
    for (const line of missing) console.error(line);
    if (missing.length > 0) return 1;
    const command = ["npm run bench", ...(args.length > 0 ? ["--", ...args] : [])].join(" ");
    const results = await measureAll(options, command);
    console.log(plainReport(results));
    if (options.keep) for (const file of keepResults(results)) console.log(`Kept ${file}`);
    const regressions = options.short ? grossRegressions(results) : [];
    for (const line of regressions) console.error(`FAILED: ${line}`);
    return regressions.length > 0 ? 1 : 0;
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    console.error(`${cause.message}\n\n${usage}`);
    return 2;
  }
}
