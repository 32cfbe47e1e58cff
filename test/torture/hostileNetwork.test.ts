import { afterEach, expect, test } from "bun:test";
import { connect } from "node:net";
import { SeededRandom } from "../../testkit/seededRandom.ts";
import {
  type FaultyNetwork,
  type Plan,
  startFaultyNetwork,
  untouched,
} from "../../torture/hostile/faultyNetwork.ts";
import { Tally } from "../../torture/tally.ts";
import { type NaiveServer, startNaiveServer } from "./naiveServer.ts";

let server: NaiveServer | undefined;
let network: FaultyNetwork | undefined;
afterEach(async () => {
  await network?.close();
  server?.close();
});

/** Says it all to a server that repeats what it hears, and returns what comes back. */
async function repeated(
  text: string,
  plan: Partial<Plan>,
): Promise<{ back: string; tally: Tally }> {
  const tally = new Tally();
  server = await startNaiveServer((socket, heard) => {
    socket.write(heard);
    return "";
  });
  const planned = () => ({ ...untouched, ...plan });
  network = await startFaultyNetwork(server.port, new SeededRandom(1), tally, planned);
  const { port } = network;
  const back = await new Promise<string>((resolve) => {
    let heard = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.on("data", (chunk) => {
      heard += chunk;
      if (heard.length >= text.length) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(heard));
  });
  return { back, tally };
}

const text = Array.from({ length: 60 }, (_, at) => `line ${at}\n`).join("");

test("nothing is lost or out of order, however it is split, delayed and stalled", async () => {
  for (const plan of [
    {},
    { pieceBytesMax: 1 },
    { pieceBytesMax: 7, delayMs: 2 },
    { stallAfterBytes: 100, stallMs: 30 },
  ]) {
    const { back } = await repeated(text, plan);
    expect(back).toBe(text);
    await network?.close();
    server?.close();
  }
});

test("a cut leaves both sides with what came before it, and no more", async () => {
  for (const cutsBy of ["ending", "resetting"] as const) {
    const { back, tally } = await repeated(text, { cutAfterBytes: 100, cutsBy });
    expect(back.length).toBeLessThanOrEqual(100);
    expect(text.startsWith(back)).toBe(true);
    expect(Object.values(tally.faults)).toEqual([1]);
    await network?.close();
    server?.close();
  }
});
