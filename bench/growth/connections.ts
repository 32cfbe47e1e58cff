/** Connections that stay open without a request: their memory, and requests beside them. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Child, startChild } from "../children.ts";
import { attachDomain } from "../edge/servers.ts";
import { createEdgeSite, host } from "../edge/site.ts";
import { publishPage } from "./domains.ts";
import { fill, newPlace, serve } from "./service.ts";
import type { Subject } from "./subject.ts";

const program = fileURLToPath(new URL("idleClients.ts", import.meta.url));
const openSecondsMax = 60;

export const connections: Subject = {
  name: "connections",
  // With the 64 of the load, less than the 10,000 that a listener admits.
  sizes: [100, 1_000, 9_900],
  figures: {
    getPet: { title: "API: getPet beside them, CPU µs" },
    page: { title: "edge: page beside them, CPU µs" },
    apiMemory: { title: "API: memory with them, MB", once: "after" },
    edgeMemory: { title: "edge: memory with them, MB", once: "after" },
  },
  async start(size, arena) {
    const place = await newPlace(arena);
    const site = await createEdgeSite(arena.newFolder());
    await fill(place, async (stores) => {
      await publishPage(stores, "guide", site);
      await attachDomain(stores, { id: "bench", host, project: "guide" }, site);
    });
    const service = await serve(place);
    const { port, edgePort } = service;
    let opened = 0;
    const memoryMb = { api: 0, edge: 0 };
    /** Resolves with what `act` gives while they are open. */
    const beside = async <T>(to: keyof typeof memoryMb, act: () => Promise<T>): Promise<T> => {
      const output = join(place.folder, `idle-${++opened}.log`);
      const args = [program, String(to === "api" ? port : edgePort), String(size)];
      if (to === "edge") args.push(host);
      const child = startChild({ command: process.execPath, args, output });
      try {
        await open(child);
        memoryMb[to] = service.memoryMb();
        const figure = await act();
        if (!child.alive()) throw new Error(`They did not stay open: ${child.lastWords()}`);
        return figure;
      } finally {
        await child.stop();
      }
    };
    const calls = [{ method: "GET", path: "/guide.html" }] as const;
    const tls = { host, opensslConfig: site.opensslConfig };
    return {
      take: {
        getPet: (seconds) => beside("api", () => service.getUs(["/v1/pets/1"], seconds)),
        page: (seconds) =>
          beside("edge", () => service.cpuUs({ port: edgePort, seconds, calls, headers: {}, tls })),
        apiMemory: async () => memoryMb.api,
        edgeMemory: async () => memoryMb.edge,
      },
      stop: service.stop,
    };
  },
};

async function open(child: Child): Promise<void> {
  const endMs = performance.now() + openSecondsMax * 1_000;
  while (performance.now() < endMs && child.alive()) {
    if (child.lastWords().includes("open")) return;
    await pause(20);
  }
  throw new Error(`The connections were not opened: ${child.lastWords()}`);
}
