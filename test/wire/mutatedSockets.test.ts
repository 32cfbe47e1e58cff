/** A part of the mutated streams over real sockets, to the whole service. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { judge } from "../../testkit/contractJudge.ts";
import { mutateBytes, piecesOf } from "../../testkit/mutateBytes.ts";
import { rounds } from "../../testkit/rounds.ts";
import { testSeed } from "../../testkit/seed.ts";
import { SeededRandom } from "../../testkit/seededRandom.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";
import { honestRequest } from "./honestRequests.ts";
import { RawClient } from "./rawClient.ts";
import { parseResponses } from "./responseParser.ts";

let running: TestService;
beforeAll(async () => {
  running = await startTestService();
});
afterAll(() => running?.stop());

const streams = rounds(300, 20_000);
const atOnce = 16;

/** The client sends no more after the bytes, so that whatever it is in the middle of comes to an end. */
async function heardAfter(pieces: readonly Buffer[]): Promise<Buffer> {
  const client = await RawClient.open(running.service.port);
  try {
    client.socket.setNoDelay(true);
    for (const piece of pieces) {
      client.send(piece);
      await new Promise(setImmediate);
    }
    client.socket.end();
    await client.closed();
    return Buffer.from(client.received, "latin1");
  } finally {
    client.leave();
  }
}

async function converse(number: number, random: SeededRandom): Promise<void> {
  const honest = honestRequest(running.token, random, { bodiless: false });
  const bytes = mutateBytes(Buffer.from(honest, "latin1"), random);
  const heard = await heardAfter(piecesOf(bytes, random));
  try {
    // Whoever leaves in the middle of a request may miss the end of its response.
    const { responses } = parseResponses(heard, []);
    for (const { status, headers, body } of responses) {
      // A target that was mutated may be beside the API, whose errors are for people.
      if (status < 400 || headers.get("content-type")?.startsWith("text/")) continue;
      judge("GET", "http://a.example/v1/-", { status, headers, text: body.toString() });
      if (status >= 500 && status !== 501 && status !== 505) throw new Error(`it is ${status}`);
    }
  } catch (cause) {
    const sent = JSON.stringify(bytes.toString("latin1").replaceAll(running.token, "…"));
    throw new Error(`seed ${testSeed}, stream ${number}: ${cause}\nto ${sent}`, { cause });
  }
}

test(`${streams} mutated streams over sockets are answered in HTTP, with declared errors`, async () => {
  const all = new SeededRandom(testSeed);
  let next = 0;
  const work = async () => {
    for (let number = next++; number < streams; number = next++) {
      await converse(number, all.fork(`stream ${number}`));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  expect((await running.client.get("/pets")).status).toBe(200);
  expect(running.logged()).not.toContain('"level":"error"');
});
