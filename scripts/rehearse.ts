// What `npm run rehearse` runs: custom domains from "Add domain" to HTTPS, without owning a domain.
// The service, a name server and a certificate authority run on loopback until they are stopped.
import { parseArgs } from "node:util";
import { isFree } from "../testkit/freePorts.ts";
import { type Rehearsal, startRehearsal } from "./rehearsal/rehearsal.ts";

const usage = `Usage: npm run rehearse [-- --port <port>] [--json]

Starts the service with a name server and a certificate authority of its own on this machine, and a
zone that is edited in the dashboard. Ctrl-C ends it and deletes everything.

  --port <port>  The port of the dashboard (default: 8080, or any other if that is in use)
  --json         Print one line of JSON instead of the steps
  --help         Print this text
`;

function argumentsOf() {
  const wrong = (message: string): never => {
    process.stderr.write(`${message}\n\n${usage}`);
    process.exit(2);
  };
  try {
    const { values } = parseArgs({
      options: {
        port: { type: "string" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
    const { port = "0" } = values;
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) wrong(`--port ${port} is not a port.`);
    return { ...values, port: values.port === undefined ? undefined : Number(port) };
  } catch (cause) {
    return wrong((cause as Error).message);
  }
}

const stepsFor = ({ link, host, zone, account, commands }: Rehearsal) => `
A rehearsal of custom domains, on this machine alone. Ctrl-C ends it and deletes everything.

  Dashboard  ${link}

  1. Open the dashboard; the link signs you in as the owner ${account.name}. It shows these steps, too.
  2. Add the domain ${host} to the project, and verify it: an old A record is in the way.
  3. Under Rehearsal, in the zone ${zone.name}, delete that record and create the one that the domain shows.
  4. Verify again. Seconds later the domain is live. Look at it over HTTPS:

     ${commands.curl}
`;

const usualPort = 8080;
const { port, json, help } = argumentsOf();
if (help) {
  process.stdout.write(usage);
  process.exit(0);
}
const stopRequested = new Promise<void>((resolve) => {
  let signals = 0;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      signals += 1;
      // npm passes on a signal that the terminal has sent as well; a third one is impatience.
      if (signals > 2) process.exit(1);
      resolve();
    });
  }
});
const free = await isFree("127.0.0.1", usualPort);
const rehearsal = await startRehearsal({
  port: port ?? (free ? usualPort : 0),
  logLevel: process.env["PETSTORE_LOG"] ?? "error",
}).catch((cause: NodeJS.ErrnoException) => {
  if (cause.code !== "EADDRINUSE") throw cause;
  process.stderr.write(`Port ${port} is in use. Choose another, or 0 for any that is free.\n`);
  process.exit(1);
});
process.stdout.write(json ? `${JSON.stringify(rehearsal)}\n` : stepsFor(rehearsal));
await stopRequested;
await rehearsal.stop();
