/** A process that has as many connections as its descriptors allow. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describeUnless } from "../../testkit/describeUnless.ts";
import { eventually } from "../../testkit/eventually.ts";
import { RawClient } from "./rawClient.ts";
import { get } from "./wireServer.ts";

const descriptors = 300;
/** All but those that the listener leaves to others. */
const connectionsMax = descriptors - 256;
/** What spins takes all that it is given, which is much more even on a machine with much to do. */
const processorShareMax = 0.1;
const linux = process.platform === "linux" ? undefined : "only Linux tells how many there are";

describeUnless(linux, "without descriptors for more connections", () => {
  let child: ChildProcess;
  let port = 0;
  const clients: RawClient[] = [];

  async function line(): Promise<string> {
    const [chunk] = await once(child.stdout ?? child, "data");
    return String(chunk).trim();
  }
  async function processorShare(): Promise<number> {
    child.stdin?.write("\n");
    return Number(await line());
  }
  /** Undefined where the connection was reset before it was seen to be there. */
  async function open(request: string): Promise<RawClient | undefined> {
    const client = await RawClient.open(port).catch(() => undefined);
    if (client === undefined) return undefined;
    clients.push(client);
    client.send(request);
    return client;
  }

  beforeEach(async () => {
    const program = fileURLToPath(new URL("crowdedServer.ts", import.meta.url));
    const command = `ulimit -n ${descriptors}; exec "$0" "$1"`;
    child = spawn("sh", ["-c", command, process.execPath, program], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    port = Number(await line());
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.leave();
    const exited = once(child, "exit");
    child.kill();
    await exited;
  });

  test("the listener turns others away, waits without spinning, and accepts again", async () => {
    for (let count = 0; count < 2 * connectionsMax; count++) await open(get("/hold"));
    await eventually(() => clients.filter(({ ended }) => !ended).length === connectionsMax);
    expect(await processorShare()).toBeLessThan(processorShareMax);
    const late = await open(get("/"));
    await late?.closed();
    expect(late?.received ?? "").toBe("");
    expect(await processorShare()).toBeLessThan(processorShareMax);

    // A client that only ends its side may still wait for its response.
    for (const { socket } of clients.splice(0)) socket.resetAndDestroy();
    const response = await eventually(async () => {
      const client = await open(get("/"));
      return client?.response().catch(() => undefined);
    });
    expect(response).toMatchObject({ status: 200, body: "here" });
  });

  test("of those that only wait one is closed for one that comes, not many", async () => {
    for (let count = 0; count < connectionsMax; count++) await open("");
    const asking = await open(get("/"));
    expect(await asking?.response()).toMatchObject({ body: "here" });
    await eventually(() => clients.some(({ ended }) => ended));
    expect(clients.filter(({ ended }) => ended)).toHaveLength(1);
  });
});
