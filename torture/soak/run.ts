// `npm run soak -- --hours N`: the service under a steady mixed load for hours, reloaded now and then.
// Memory, descriptors, disk and latency must be flat, every request must succeed, and in the end
// everything that was acknowledged must be there.
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { SeededRandom } from "../../testkit/seededRandom.ts";
import { howToInstall, missingTools } from "../../testkit/testBed/tools.ts";
import { Ledger } from "../ledger.ts";
import { pause } from "../load.ts";
import { Tally } from "../tally.ts";
import { drawChart } from "./chart.ts";
import { judgeAll } from "./judgeAll.ts";
import { type Options, readOptions, UsageError } from "./options.ts";
import { openPlace, type Place } from "./place.ts";
import { passes, type Run, reportOf, tableText, warmUpShare } from "./report.ts";
import {
  childrenOf,
  countRows,
  measureTables,
  type Sample,
  sampleDisk,
  sampleProcess,
} from "./sample.ts";
import { editedAtOnceMax, fillStock, type Worker, workAtRate } from "./work.ts";

const sampleMs = 5_000;
const rowsEverySamples = 6;
const sayEverySamples = 12;
/** Reloads are in the first half, so that the last processes are seen for the other one. */
const reloadsUntilShare = 0.5;
const reloadMinutesMax = 5;
const reloadsMin = 3;
/** After that, the processes before a reload have ended, even on a busy machine. */
const drainedMsMax = 60_000;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => process.exit(1));

const options = optionsOrExit();
mkdirSync(options.out, { recursive: true });
const run = options.from === undefined ? await soak(options) : readRun(options.from);
writeFileSync(join(options.out, "chart.svg"), drawChart(run));
const rows = reportOf(run);
const table = tableText(rows);
writeFileSync(join(options.out, "report.txt"), `${table}\n`);
console.log(`\n${table}\n`);
for (const violation of run.violations.slice(0, 20)) console.log(`VIOLATION: ${violation}`);
const failed = rows.filter((row) => !passes(row)).length + run.violations.length;
const passed = rows.filter(passes).length + run.judged - run.violations.length;
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

function optionsOrExit(): Options {
  try {
    return readOptions(process.argv.slice(2));
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    console.error(cause.message);
    process.exit(2);
  }
}

/** The first line is the run, the last one its end, and each between them a sample. */
function readRun(file: string): Run {
  const lines = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return { ...lines[0], samples: lines.slice(1, -1), ...lines.at(-1) };
}

async function soak({ hours, rate, seed, out }: Options): Promise<Run> {
  const missing = missingTools();
  if (missing.length > 0) {
    console.error(howToInstall(missing));
    process.exit(1);
  }
  const root = mkdtempSync(join(tmpdir(), "petstore-soak-"));
  process.on("exit", () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  const random = new SeededRandom(seed);
  const tally = new Tally();
  const file = join(out, "samples.ndjson");
  await using place = await openPlace(root, random.fork("place"), tally);
  const head = {
    ...{ startedAt: new Date().toISOString(), hours, rate, seed },
    machine: `${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB`,
  };
  writeFileSync(file, `${JSON.stringify(head)}\n`);
  console.log(`Seed ${seed}: ${hours} h at ${rate} operations per second. Samples go to ${file}.`);
  const recorder = new Recorder(place, tally, file);
  const worker = workerOn(place, random, tally, recorder);
  await fillStock(worker);
  await recorder.load(worker, hours * 3_600_000, rate);
  console.log("The load has ended. Now everything is compared with what was acknowledged.");
  await judgeAll(place, worker.ledger, tally);
  const { samples, tablesBefore, tablesAfter } = recorder;
  const { judged, violations } = tally;
  const end = { tablesBefore, tablesAfter, judged, violations };
  appendFileSync(file, `${JSON.stringify(end)}\n`);
  return { ...head, ...end, samples };
}

function workerOn(place: Place, random: SeededRandom, tally: Tally, recorder: Recorder): Worker {
  const { victim } = place;
  const ledger = new Ledger(editedAtOnceMax);
  const client = {
    addresses: () => [victim.base],
    ...{ base: victim.base, token: victim.token, fresh: false, ledger, tally },
    random: random.fork("client"),
    seen: { reads: 0, slowReads: 0, acknowledged: 0, failed: 0, limited: 0, lost: 0 },
    mayBreak: () => false,
    readsMayFail: () => false,
    writesMayFail: () => false,
    onAnswer: (method: string, path: string, { tookMs }: { tookMs: number }) =>
      recorder.took(editName(method, path), tookMs),
  };
  return {
    ...{ place, client, random: random.fork("work"), ledger, tally },
    took: recorder.took,
    isReloading: recorder.isReloading,
    serials: recorder.serials,
  };
}

function editName(method: string, path: string): string {
  if (path === "/store/orders") return "place order";
  if (path.startsWith("/store/orders/")) return `${path.split("/").at(-1)} order`;
  return { POST: "create pet", PATCH: "update pet", DELETE: "delete pet" }[method] ?? method;
}

/** Samples and reloads while the load lasts. */
class Recorder {
  readonly samples: Sample[] = [];
  readonly serials = new Set<string>();
  tablesBefore: Readonly<Record<string, number>> = {};
  tablesAfter: Readonly<Record<string, number>> = {};
  reloads = 0;
  #reloadedMs = Number.NEGATIVE_INFINITY;
  readonly #place: Place;
  readonly #tally: Tally;
  readonly #file: string;
  #took: Record<string, number[]> = {};

  constructor(place: Place, tally: Tally, file: string) {
    this.#place = place;
    this.#tally = tally;
    this.#file = file;
  }

  readonly took = (operation: string, ms: number): void => {
    this.#took[operation] ??= [];
    this.#took[operation].push(Math.round(ms * 100) / 100);
  };

  readonly isReloading = () => performance.now() - this.#reloadedMs < drainedMsMax;

  async load(worker: Worker, lastsMs: number, rate: number): Promise<void> {
    const startMs = performance.now();
    const endMs = startMs + lastsMs;
    this.#took = {};
    const working = workAtRate(worker, rate, endMs);
    const reloading = this.#reloadUntil(startMs, lastsMs);
    for (let count = 0; performance.now() < endMs; count++) {
      await pause(Math.max(0, startMs + (count + 1) * sampleMs - performance.now()));
      const isWarm = performance.now() > startMs + lastsMs * warmUpShare;
      if (isWarm && Object.keys(this.tablesBefore).length === 0)
        this.tablesBefore = measureTables(this.#place.file);
      this.#sample((performance.now() - startMs) / 1_000, count % rowsEverySamples === 0);
      if (count % sayEverySamples === sayEverySamples - 1) this.#say(lastsMs / 1_000);
      if (count % sayEverySamples === 1)
        await worker.ledger.events.follow({ ...this.#place.victim, tally: this.#tally });
    }
    await Promise.all([working, reloading]);
    this.tablesAfter = measureTables(this.#place.file);
  }

  async #reloadUntil(startMs: number, lastsMs: number): Promise<void> {
    const spanMs = lastsMs * reloadsUntilShare;
    const count = Math.max(reloadsMin, Math.ceil(spanMs / (reloadMinutesMax * 60_000)));
    for (let at = 1; at <= count; at++) {
      await pause(startMs + (spanMs * at) / count - performance.now());
      this.reloads++;
      this.#reloadedMs = performance.now();
      const fault = await this.#place.reload();
      this.#tally.judge(fault === undefined, () => `The reload failed: ${fault}`);
    }
  }

  #sample(seconds: number, counts: boolean): void {
    const { victim, folder, file } = this.#place;
    const supervisor = sampleProcess(victim.pid);
    if (supervisor === undefined)
      throw new Error(`The service has ended: ${victim.log().slice(-2_000)}`);
    const serving = childrenOf(victim.pid).map(sampleProcess);
    const sample: Sample = {
      seconds: Math.round(seconds * 10) / 10,
      supervisor,
      serving: serving.filter((each) => each !== undefined),
      disk: sampleDisk(folder, file),
      ...(counts && { rows: countRows(file) }),
      tookMs: this.#took,
      violations: this.#tally.violations.length,
      reloads: this.reloads,
      renewals: this.serials.size,
    };
    this.#took = {};
    this.samples.push(sample);
    appendFileSync(this.#file, `${JSON.stringify(sample)}\n`);
  }

  #say(ofSeconds: number): void {
    const last = this.samples.at(-1);
    if (last === undefined) return;
    const megabytes = [last.supervisor, ...last.serving].reduce(
      (sum, { pssBytes }) => sum + pssBytes / 1e6,
      0,
    );
    console.log(
      `${Math.round(last.seconds)} of ${ofSeconds} s: ${Math.round(megabytes)} MB, ${Math.round(last.disk.folder / 1e6)} MB on disk, ${this.reloads} reloads, ${last.renewals} certificates, ${last.violations} violations`,
    );
  }
}
