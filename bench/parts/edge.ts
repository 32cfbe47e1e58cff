/** A page over TLS: our edge beside nginx and Caddy, with the same certificate and bytes. */
import { join } from "node:path";
import { metered } from "../contestants/contestant.ts";
import {
  type EdgeServer,
  proveSamePage,
  startCaddy,
  startNginx,
  startOurs,
  takeReference,
} from "../edge/servers.ts";
import {
  createEdgeSite,
  type EdgeSite,
  type Encoding,
  headersFor,
  host,
  path,
} from "../edge/site.ts";
import { median, medianRatio, rotated } from "../figures.ts";
import { applyHttp2Load, type Http2Load } from "../h2load.ts";
import { say } from "../say.ts";
import { figure } from "../table.ts";
import { lacksForEdge } from "../tools.ts";
import { applyLoad, writeCalls } from "../wrk.ts";
import type { Part } from "./part.ts";

interface EdgeWork {
  readonly name: string;
  readonly title: string;
  readonly protocol: "http1" | "http2";
  readonly encoding: Encoding;
}

const works: readonly EdgeWork[] = [
  { name: "http1", title: "HTTP/1.1", protocol: "http1", encoding: "identity" },
  { name: "http1Gzip", title: "HTTP/1.1, gzip", protocol: "http1", encoding: "gzip" },
  { name: "http2", title: "HTTP/2", protocol: "http2", encoding: "identity" },
  { name: "http2Gzip", title: "HTTP/2, gzip", protocol: "http2", encoding: "gzip" },
];

export const measureEdge: Part = async (arena, _contestants, options) => {
  const shape = {
    name: "edge",
    title: "A page over TLS, beside nginx and Caddy",
    columns: ["request", "server", "requests/s", "÷ nginx", "CPU µs/request", "memory MB"],
  };
  const lacking = lacksForEdge();
  if (lacking !== undefined) {
    return { ...shape, method: `Not measured: ${lacking}.`, rows: [], facts: {} };
  }
  const folder = arena.newFolder();
  const site = await createEdgeSite(folder);
  const servers: EdgeServer[] = [];
  try {
    const ours = await startOurs(arena.newFolder(), site);
    servers.push(ours);
    const reference = await takeReference(ours, site);
    servers.push(await startNginx(arena.newFolder(), site, reference));
    servers.push(await startCaddy(arena.newFolder(), site, reference));
    for (const server of servers) await proveSamePage(server, site, reference);
    const load = loadOf(folder, site);
    for (const work of works) {
      for (const server of servers) await load(server, work, options.warmUpSeconds);
    }
    const tallies = works.flatMap((work) =>
      servers.map((server): Tally => ({ work, server, rates: new Map(), cpuUs: [], memoryMb: [] })),
    );
    for (let round = 1; round <= options.rounds; round++) {
      for (const [index, work] of works.entries()) {
        const own = tallies.filter((tally) => tally.work === work);
        for (const tally of rotated(own, round + index)) {
          await measureOne(tally, round, () => load(tally.server, work, options.seconds));
        }
      }
    }
    const bytes = (encoding: Encoding) => figure(reference[encoding].body.byteLength);
    return {
      ...shape,
      method: `The same ${bytes("identity")} bytes of HTML, or their ${bytes("gzip")} bytes of gzip, with the same headers and the same ECDSA P-256 certificate, over TLS 1.3 with AES-128-GCM and 64 connections that stay open, one request at a time on each: HTTP/1.1 by wrk, HTTP/2 by h2load. Ours is one process with the domain and the page in its database; nginx has one worker with its cache of open files, Caddy one core (\`GOMAXPROCS=1\`), and both serve files. No logs. Ratios within each round.`,
      rows: rowsOf(tallies),
      facts: factsOf(tallies),
    };
  } finally {
    for (const server of servers) await server.stop();
  }
};

interface Tally {
  readonly work: EdgeWork;
  readonly server: EdgeServer;
  readonly rates: Map<number, number>;
  readonly cpuUs: number[];
  readonly memoryMb: number[];
}

function loadOf(folder: string, { opensslConfig }: EdgeSite) {
  return (
    { port }: EdgeServer,
    { name, protocol, encoding }: EdgeWork,
    seconds: number,
  ): Promise<Http2Load> => {
    const headers = headersFor(encoding);
    if (protocol === "http2") {
      return applyHttp2Load({ port, host, path, headers, seconds, opensslConfig });
    }
    const calls = join(folder, `${name}.calls`);
    writeCalls(calls, { headers, calls: [{ method: "GET", path }], ids: 1 });
    return applyLoad({ port, calls, seconds, tls: { host, opensslConfig } });
  };
}

async function measureOne(
  { work, server, rates, cpuUs, memoryMb }: Tally,
  round: number,
  load: () => Promise<Http2Load>,
): Promise<void> {
  const measured = await metered(server.pid, load);
  // A refusal is quick, and would pass for a fast response.
  if (measured.faults > 0) {
    throw new Error(`${server.title} failed ${measured.faults} requests over ${work.title}.`);
  }
  rates.set(round, measured.requestsPerSecond);
  cpuUs.push(measured.cpuUsPerRequest);
  memoryMb.push(measured.memoryMb);
  say(
    `round ${round}: ${work.title}, ${server.title}: ${figure(measured.requestsPerSecond)}/s, ${figure(measured.cpuUsPerRequest)} µs`,
  );
}

function ofNginx(tallies: readonly Tally[], { work, rates }: Tally): number {
  const nginx = tallies.find((each) => each.work === work && each.server.name === "nginx");
  return medianRatio(rates, nginx?.rates ?? new Map());
}

function rowsOf(tallies: readonly Tally[]): string[][] {
  return tallies.map((tally) => [
    tally.work.title,
    tally.server.title,
    figure(median([...tally.rates.values()])),
    figure(ofNginx(tallies, tally)),
    figure(median(tally.cpuUs)),
    figure(median(tally.memoryMb)),
  ]);
}

/** By work, such as `http2Gzip`. */
function factsOf(tallies: readonly Tally[]): Record<string, number> {
  const own = tallies.filter(({ server }) => server.name === "ours");
  return Object.fromEntries(own.map((tally) => [tally.work.name, ofNginx(tallies, tally)]));
}
