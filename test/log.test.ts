import { describe, expect, test } from "bun:test";
import { systemClock } from "../src/core/clock.ts";
import { createLog, type LogLevel, patientWriter } from "../src/core/log.ts";
import { Problem } from "../src/core/problems.ts";
import { mintToken } from "../src/petstore/keys/token.ts";
import { fakeClock } from "../testkit/fakeClock.ts";

function logging(level: LogLevel | "off") {
  const clock = fakeClock(Date.UTC(2026, 10, 15, 12));
  const written: string[] = [];
  const log = createLog(level, clock, (lines) => written.push(lines));
  const events = () => {
    log.flush();
    return written
      .join("")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  };
  return { clock, log, written, events };
}

describe("the log", () => {
  test("is one JSON object a line: when, how grave, what, and the fields", () => {
    const { log, events } = logging("info");
    log.info("domain.verified", { attempt: 3, id: 9007199254740993n });
    expect(events()).toEqual([
      {
        time: "2026-11-15T12:00:00.000Z",
        level: "info",
        event: "domain.verified",
        attempt: 3,
        id: "9007199254740993",
      },
    ]);
  });

  test("holds ordinary events for a moment and writes grave ones at once", () => {
    const { clock, log, written } = logging("info");
    log.info("a");
    expect(written).toEqual([]);
    clock.advance(100);
    expect(written.length).toBe(1);
    log.info("b");
    log.error("c");
    expect(written.length).toBe(2);
    expect(written[1]?.split("\n").length).toBe(3);
  });

  test("leaves out what is less grave than asked for", () => {
    const { log, events } = logging("warn");
    log.info("b");
    log.warn("c");
    log.error("d");
    expect(events().map(({ event }) => event)).toEqual(["c", "d"]);
    const silent = logging("off");
    silent.log.error("a");
    expect(silent.events()).toEqual([]);
  });

  test("tells an error with everything that lies behind it", () => {
    const { log, events } = logging("info");
    const root = new Error("disk on fire");
    log.error("x", { cause: new Problem("store_unavailable", { cause: root }) });
    const [{ cause }] = events();
    expect(cause.map(({ message }: Error) => message)).toEqual([
      "The database cannot be reached. Try again shortly.",
      "disk on fire",
    ]);
    expect(cause[1].stack).toContain("log.test.ts");
  });

  test("a log that cannot be written harms nobody, and says later how much was lost", () => {
    const written: string[] = [];
    let full = true;
    const log = createLog("info", fakeClock(0), (lines) => {
      if (full) throw new Error("ENOSPC");
      written.push(lines);
    });
    log.error("a");
    log.error("b");
    expect(written).toEqual([]);
    full = false;
    log.error("c");
    const events = written
      .join("")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    expect(events.map(({ event, lines }) => [event, lines])).toEqual([
      ["log.lost", 2],
      ["c", undefined],
    ]);
  });

  test("holds no more than 64 Ki characters back", () => {
    const { log, written } = logging("info");
    for (let n = 0; n < 10 && written.length === 0; n++)
      log.info("x", { text: "y".repeat(10_000) });
    expect(written.length).toBe(1);
    expect(written[0]?.length).toBeGreaterThan(64 * 1024);
  });

  test("tells a cause that is no error, too", () => {
    const { log, events } = logging("info");
    log.error("x", { cause: new Error("outer", { cause: "a string" }) });
    expect(events()[0].cause.at(-1)).toBe("a string");
  });

  test("never holds a key, wherever one was put", () => {
    const { log, events } = logging("info");
    const token = mintToken("production", systemClock);
    log.info("x", {
      path: `/${token}/x`,
      cause: new Error(`bad ${token}`),
      deep: { list: [token] },
    });
    expect(JSON.stringify(events())).not.toContain(token.slice(9, 20));
    expect(events()[0].path).toBe("/pet_live_…/x");
  });
});

describe("a pipe that is full for a moment", () => {
  test("gets every line whole and in order, however little it takes at a time", () => {
    let taken = "";
    let room = 0;
    const write = patientWriter((bytes) => {
      if (room === 0) throw Object.assign(new Error("again"), { code: "EAGAIN" });
      const part = bytes.subarray(0, Math.min(7, room));
      room -= part.byteLength;
      taken += Buffer.from(part).toString("latin1");
      return part.byteLength;
    });
    const lines = Array.from({ length: 50 }, (_, n) => `line ${n}\n`);
    for (const [n, text] of lines.entries()) {
      room = n % 3 === 0 ? 0 : 11;
      write(text);
    }
    room = 100_000;
    write("");
    expect(taken).toBe(lines.join(""));
  });

  test("that nobody reads at all loses whole lines past a bound, and not the service", () => {
    const write = patientWriter(() => {
      throw Object.assign(new Error("again"), { code: "EAGAIN" });
    });
    const mebibyte = "x".repeat(1024 * 1024);
    expect(() => {
      for (let n = 0; n < 30; n++) write(mebibyte);
    }).toThrow("The log is not being read.");
  });
});
