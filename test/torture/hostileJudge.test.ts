import { afterEach, describe, expect, test } from "bun:test";
import { piecesOf } from "../../testkit/mutateBytes.ts";
import { SeededRandom } from "../../testkit/seededRandom.ts";
import { recipes } from "../../torture/hostile/corpus.ts";
import { type HostileCase, hostile, refused } from "../../torture/hostile/hostileCase.ts";
import { judgeCase } from "../../torture/hostile/judgeCase.ts";
import { Tally } from "../../torture/tally.ts";
import {
  answerText,
  goesByLength,
  type Handler,
  type NaiveServer,
  startNaiveServer,
} from "./naiveServer.ts";

const given = { token: "the-token", mark: "smuggled-1-2" };
const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const twoReads = hostile("two reads", `${request}${request}`, { reading: [[200], [200]] });

let server: NaiveServer | undefined;
afterEach(() => server?.close());

async function complaintsOf(handle: Handler, ...cases: HostileCase[]): Promise<string[]> {
  server = await startNaiveServer(handle);
  const tally = new Tally();
  for (const each of cases)
    await judgeCase(server.port, each, given.mark, [each.bytes], tally, 300);
  expect(tally.judged).toBe(cases.length);
  return tally.violations;
}

const refusal = answerText(
  400,
  '{"code":"request_malformed","message":"x","status":400}',
  "Content-Type: application/json\r\n",
);

/** Answers what it is told to, once for each connection, whatever was asked. */
const saying =
  (text: string, thenCloses = true): Handler =>
  (socket) => {
    socket.write(Buffer.from(text, "latin1"));
    if (thenCloses) socket.end();
    return "";
  };

describe("a server that is right is not complained about", () => {
  test("where it refuses with the Error of the contract, and closes", async () => {
    const one = refused("garbage", "\0\0");
    expect(await complaintsOf(saying(refusal), one)).toEqual([]);
  });

  test("where it answers each request once and waits for more", async () => {
    expect(await complaintsOf(saying(answerText(200).repeat(2), false), twoReads)).toEqual([]);
  });
});

describe("a server with a fault is found out", () => {
  test("that goes by the length where there is a coding too, and so carries out what was hidden", async () => {
    const cases = recipes
      .map((recipe) => recipe(given))
      .filter(({ name }) => /^coding: a coding/.test(name));
    expect(cases.length).toBe(2);
    const complaints = await complaintsOf(goesByLength, ...cases);
    expect(complaints.length).toBe(2);
  });

  for (const [what, text, closes, complaint] of [
    ["fails with 500", answerText(500), true, "answer 1 is 500"],
    ["answers as if all was well", answerText(200), true, "answer 1 is 200"],
    ["answers twice", answerText(400).repeat(2), true, "2 answers to 1 requests"],
    ["answers what was hidden", answerText(400, "smuggled-1-2"), true, "hidden"],
    ["breaks off", answerText(400, "body").slice(0, -2), true, "cut off"],
    ["says something else", "220 mail\r\n\r\n", true, "no HTTP answer"],
    ["closes without a word", "", true, "0 answers to 1 requests"],
    ["refuses in words of its own", answerText(400, "Bad Request"), true, "no Error"],
    [
      "says another status in the body",
      refusal.replace('"status":400', '"status":404'),
      true,
      "no Error",
    ],
  ] as const) {
    test(`that ${what}`, async () => {
      const complaints = await complaintsOf(saying(text, closes), refused("garbage", "\0\0"));
      expect(complaints).toEqual([expect.stringContaining(complaint)]);
    });
  }

  test("that leaves a spoilt connection open", async () => {
    const waiting = { ...refused("garbage", "\0\0"), reading: [[400]] };
    const complaints = await complaintsOf(saying(refusal, false), waiting);
    expect(complaints).toEqual([expect.stringContaining("left open")]);
  });
});

describe("the requests themselves", () => {
  test("carry what must not be carried out, and the key with it, only where they are hostile", () => {
    const made = recipes.map((recipe) => recipe(given));
    expect(made.length).toBeGreaterThan(120);
    expect(new Set(made.map(({ name }) => name)).size).toBe(made.length);
    for (const { name, bytes, reading } of made.filter((each) => each.bytes.includes(given.mark))) {
      // By the right reading the hidden request has no answer of its own that is a success.
      expect([
        name,
        reading
          .slice(1)
          .flat()
          .some((status) => status < 400),
      ]).toEqual([name, false]);
      expect(bytes.includes(given.token)).toBe(true);
    }
  });

  test("are the same bytes in whichever pieces they are sent", () => {
    const random = new SeededRandom(7);
    for (const recipe of recipes) {
      const { bytes } = recipe(given);
      expect(Buffer.concat(piecesOf(bytes, random)).equals(bytes)).toBe(true);
    }
  });
});
