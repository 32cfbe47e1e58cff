// What `npm run failover` runs: PostgreSQL as a primary with two synchronous standbys, the service in
// two processes, and clients that add pets through both. One standby is left behind, the primary
// is killed, the other standby is promoted, and no pet that was acknowledged may be missing.
import { rehearseFailover } from "./failover/rehearsal.ts";

const secondsMax = 120;

// Child processes are killed when this process exits.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => process.exit(1));
setTimeout(() => {
  console.error(`FAILED: not over after ${secondsMax} s.`);
  process.exit(1);
}, secondsMax * 1_000).unref();

const outcome = await rehearseFailover({
  clientsPerProcess: 8,
  petsBefore: 4_000,
  petsAfter: 1_000,
  say: (line) => console.log(line),
});

const seconds = outcome.secondsAway.map((each) => each.toFixed(2)).join(" s and ");
console.log(`Unavailable, as seen by the clients of the two processes: ${seconds} s.`);
console.log("In production, add the time until the failure is detected.");
console.log(
  `${outcome.acknowledged} acknowledged (${outcome.acknowledgedBefore} before), ${outcome.refused} refused and repeated, ${outcome.lost.length} lost, ${outcome.wrong.length} wrong`,
);

const faults = [
  ...outcome.lost.map((name) => `lost: ${name}`),
  ...outcome.wrong.map((name) => `doubled, or under another id: ${name}`),
  ...outcome.strange,
  ...outcome.exits.filter((exit) => exit !== 0).map((exit) => `a process ended with ${exit}`),
];
for (const fault of faults.slice(0, 20)) console.error(`FAILED: ${fault}`);
process.exit(faults.length === 0 ? 0 : 1);
