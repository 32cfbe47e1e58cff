import { afterEach, describe, expect, test } from "bun:test";
import { createSocket } from "node:dgram";
import { readdirSync, readlinkSync } from "node:fs";
import type { Socket as TcpSocket } from "node:net";
import { TRUNCATED_RESPONSE } from "dns-packet";
import fc from "../../testkit/fastCheck.ts";
import {
  a,
  attemptMs,
  closeAll,
  pass,
  passedMs,
  type Query,
  reply,
  resolverOf,
  type StartedServer,
  serverOf,
  startServer,
  startSilentServer,
  turns,
} from "./servers.ts";
import { bytes, uint16 } from "./wire.ts";

afterEach(closeAll);

/** Turns in which a packet on loopback is surely read. */
const readingTurns = 20;
const good = { answers: [a("shop.example", "198.51.100.7")] };
const forged = { answers: [a("shop.example", "203.0.113.66")] };

describe("a forged answer is passed over and the true one heard", () => {
  const forgeries: [what: string, forge: (query: Query) => Uint8Array][] = [
    ["with another id", (query) => reply({ ...query, id: query.id ^ 1 }, forged)],
    ["to another name", (query) => reply({ ...query, name: "other.example" }, forged)],
    ["to another type", (query) => reply({ ...query, type: "AAAA" }, forged)],
    ["without a question", (query) => withoutQuestion(reply(query))],
    ["of random bytes", () => bytes("not a message at all")],
    ["of no bytes", () => bytes()],
  ];
  for (const [what, forge] of forgeries) {
    test(what, async () => {
      const server = await startServer({
        udp: (query, send) => {
          send(forge(query));
          send(reply(query, good));
        },
      });
      expect(await resolverOf([server]).lookUp("shop.example", "A")).toMatchObject({
        kind: "found",
        records: [{ value: "198.51.100.7" }],
      });
    });

    test(`${what}, and without a true one nothing is learnt`, async () => {
      const server = await startServer({
        udp: (query, send) => {
          send(forge(query));
          turns(readingTurns).then(() => pass(attemptMs));
        },
      });
      expect(await resolverOf([server]).lookUp("shop.example", "A")).toMatchObject({
        kind: "unreachable",
        reason: "malformed",
      });
    });
  }

  for (const address of ["127.0.0.2", "127.0.0.1"]) {
    test(`from another socket at ${address}`, async () => {
      const stranger = createSocket("udp4");
      await new Promise<void>((bound) => stranger.bind(0, address, bound));
      const server = await startServer({
        udp: (query, send) =>
          stranger.send(reply(query, forged), query.fromPort, "127.0.0.1", () => {
            send(reply(query, good));
          }),
      });
      const answer = await resolverOf([server]).lookUp("shop.example", "A");
      stranger.close();
      expect(answer).toMatchObject({ kind: "found", records: [{ value: "198.51.100.7" }] });
    });
  }

  const withoutQuestion = (message: Buffer) => {
    const header = Buffer.from(message.subarray(0, 12));
    header.writeUInt16BE(0, 4);
    return header;
  };
});

describe("a server that cannot be heard", () => {
  test("is silent for as long as an attempt may take, and no longer", async () => {
    const silent = await startSilentServer();
    const resolver = resolverOf([silent], { attempts: 3 });
    const answer = await resolver.lookUp("shop.example", "A");
    expect(answer).toMatchObject({ kind: "unreachable", reason: "timeout" });
    expect(silent.heard).toHaveLength(3);
    expect(passedMs()).toBe(3 * attemptMs);
  });

  test("is known at once where its host refuses", async () => {
    const gone = await startServer({});
    closeAll();
    const answer = await resolverOf([gone]).lookUp("shop.example", "A");
    expect(answer).toEqual({
      kind: "unreachable",
      reason: "timeout",
      detail: "Recursor 1 cannot be reached: ECONNREFUSED.",
    });
    expect(passedMs()).toBe(0);
  });

  test("nearly, at each step, cannot stretch the time that a question has", async () => {
    const stepMs = 0.8 * attemptMs;
    const server = await startServer({
      udp: (query, send) => {
        pass(stepMs);
        const next = query.udpBytes === undefined ? { flags: TRUNCATED_RESPONSE } : { rcode: 1 };
        send(reply(query, next));
      },
      tcp: () => pass(attemptMs),
    });
    const resolver = resolverOf([server], { attempts: 8 });
    expect(await resolver.lookUp("shop.example", "A")).toMatchObject({ reason: "timeout" });
    // Eight attempts of three steps would take twice as long.
    expect(passedMs()).toBeLessThan((8 + 1) * attemptMs + stepMs);
  });
});

describe("over TCP", () => {
  /** A server whose UDP sends everyone to TCP. */
  const serverOverTcp = (tcp: (query: Query, connection: TcpSocket) => void) =>
    startServer({
      udp: (query, send) => send(reply(query, { flags: TRUNCATED_RESPONSE })),
      tcp,
    });
  const prefixed = (message: Uint8Array) => bytes(uint16(message.byteLength), message);
  const lookUp = (server: StartedServer) => resolverOf([server]).lookUp("shop.example", "A");

  test("an answer may come byte by byte", async () => {
    const server = await serverOverTcp((query, connection) => {
      connection.setNoDelay(true);
      for (const byte of prefixed(reply(query, good))) connection.write(bytes(byte));
    });
    expect(await lookUp(server)).toMatchObject({ kind: "found" });
  });

  test("what follows an answer is left unread", async () => {
    const server = await serverOverTcp((query, connection) => {
      connection.write(bytes(prefixed(reply(query, good)), Buffer.alloc(500_000)));
    });
    expect(await lookUp(server)).toMatchObject({ kind: "found" });
  });

  test("an answer may be as long as its prefix can say", async () => {
    const server = await serverOverTcp((query, connection) => {
      const whole = Buffer.alloc(0xffff);
      whole.set(reply(query, good));
      connection.write(prefixed(whole));
    });
    expect(await lookUp(server)).toMatchObject({ kind: "found" });
  });

  const bad: [what: string, tcp: (query: Query, connection: TcpSocket) => void][] = [
    ["a connection that ends at once", (_, connection) => connection.end()],
    ["a connection that ends early", (_, connection) => connection.end(bytes(0, 90, "short"))],
    ["an empty message", (_, connection) => connection.write(bytes(0, 0))],
    ["garbage", (_, connection) => connection.write(prefixed(bytes("garbage")))],
    [
      "an answer to another question",
      (query, connection) =>
        connection.write(prefixed(reply({ ...query, id: query.id ^ 1 }, forged))),
    ],
    [
      "an answer that is cut again",
      (query, connection) =>
        connection.write(prefixed(reply(query, { ...good, flags: TRUNCATED_RESPONSE }))),
    ],
  ];
  for (const [what, tcp] of bad) {
    test(`${what} is no answer, and known to be none at once`, async () => {
      expect(await lookUp(await serverOverTcp(tcp))).toMatchObject({
        kind: "unreachable",
        reason: "malformed",
      });
      expect(passedMs()).toBe(0);
    });
  }

  test("a server that sends one byte now and then is not waited for", async () => {
    const server = await serverOverTcp(async (_, connection) => {
      while (passedMs() < attemptMs) {
        connection.write(bytes(1));
        await turns(readingTurns);
        pass(attemptMs / 20);
      }
    });
    expect(await lookUp(server)).toMatchObject({ reason: "timeout" });
  });
});

describe("many questions at once", () => {
  test("are 256 on the wire at most, and all are answered in the end", async () => {
    const asked = 600;
    const held: (() => void)[] = [];
    let answered = 0;
    let mostHeld = 0;
    const releaseAll = () => {
      answered += held.length;
      for (const release of held.splice(0)) release();
    };
    const server = await startServer({
      udp: (query, send) => {
        held.push(() => send(reply(query, good)));
        mostHeld = Math.max(mostHeld, held.length);
        // Held for a while at the limit, so that one beyond it would be seen.
        if (held.length === 256 || answered + held.length === asked) turns(50).then(releaseAll);
      },
    });
    const resolver = resolverOf([server]);
    const answers = await Promise.all(
      Array.from({ length: asked }, () => resolver.lookUp("shop.example", "A")),
    );
    expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(["found"]));
    expect(mostHeld).toBe(256);
  });

  test("come from many ports with many ids", async () => {
    const server = await serverOf(good);
    const resolver = resolverOf([server]);
    await Promise.all(Array.from({ length: 100 }, () => resolver.lookUp("shop.example", "A")));
    expect(new Set(server.heard.map(({ id }) => id)).size).toBeGreaterThan(90);
    expect(new Set(server.heard.map(({ fromPort }) => fromPort)).size).toBeGreaterThan(90);
  });
});

describe("closing", () => {
  test("ends what is under way, and takes no more", async () => {
    const silent = await startServer({});
    const resolver = resolverOf([silent], { attempts: 5 });
    const underWay = Array.from({ length: 300 }, () => resolver.lookUp("shop.example", "A"));
    const seeking = resolver.nameServers("shop.example");
    resolver.close();
    for (const answer of await Promise.all([...underWay, seeking])) {
      expect(answer).toMatchObject({ kind: "unreachable", reason: "timeout" });
    }
    const heardBefore = silent.heard.length;
    expect(await resolver.lookUp("shop.example", "A")).toMatchObject({ reason: "timeout" });
    expect(silent.heard).toHaveLength(heardBefore);
  });
});

describe("sockets", () => {
  const openSockets = () =>
    readdirSync("/proc/self/fd").filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith("socket:");
      } catch {
        return false;
      }
    }).length;

  test.skipIf(process.platform !== "linux")(
    "are all closed, however the questions ended (counted in /proc, so on Linux only)",
    async () => {
      let openMeanwhile = 0;
      const server: StartedServer = await startServer({
        udp: (query, send) => {
          if (server.heard.length === 1) openMeanwhile = openSockets();
          if (query.name.startsWith("good")) send(reply(query, good));
          if (query.name.startsWith("cut")) send(reply(query, { flags: TRUNCATED_RESPONSE }));
          if (query.name.startsWith("bad")) send(bytes("garbage"));
        },
        // It leaves the connection open, so that closing it is up to us.
        tcp: (_, connection) => connection.write(bytes(0, 0)),
      });
      const resolver = resolverOf([server]);
      const before = openSockets();
      const ask = (kind: string) =>
        Promise.all(Array.from({ length: 30 }, () => resolver.lookUp(`${kind}.example`, "A")));
      const [answered, unanswered] = [["good", "cut"].map(ask), ["bad", "silent"].map(ask)];
      await Promise.all(answered);
      pass(attemptMs);
      await Promise.all(unanswered);
      expect(openMeanwhile).toBeGreaterThan(before + 50);
      expect(server.heard.some(({ over }) => over === "tcp")).toBe(true);
      // The kernel is told a turn or two later.
      for (let tries = 0; tries < 100 && openSockets() > before; tries++) await turns(10);
      expect(openSockets()).toBeLessThanOrEqual(before);
    },
  );
});

describe("random bytes", () => {
  const tail = fc.uint8Array({ maxLength: 200 });
  const kinds = ["found", "absent", "unreachable"];

  test("as an answer over UDP never throw and never hang", async () => {
    let random: Uint8Array = bytes();
    let sent = () => {};
    const server = await startServer({
      // The id and the question are right, so that what follows is looked at.
      udp: (query, send) => {
        const start = reply(query);
        start.set(random.subarray(0, 10), 2);
        start.writeUInt16BE(1, 4);
        send(bytes(start, random.subarray(10)));
        sent();
      },
      tcp: (_, connection) => connection.end(random),
    });
    const resolver = resolverOf([server]);
    await fc.assert(
      fc.asyncProperty(tail, fc.constantFrom("A" as const, "CAA" as const), async (drawn, type) => {
        random = drawn;
        const sending = new Promise<void>((resolve) => {
          sent = resolve;
        });
        const looking = resolver.lookUp("shop.example", type);
        await sending;
        await turns(readingTurns);
        pass(attemptMs);
        expect(kinds).toContain((await looking).kind);
      }),
      { numRuns: 100 },
    );
  });

  test("as an answer over TCP never throw and never hang", async () => {
    let random: Uint8Array = bytes();
    const server = await startServer({
      udp: (query, send) => send(reply(query, { flags: TRUNCATED_RESPONSE })),
      tcp: (_, connection) => connection.end(random),
    });
    const resolver = resolverOf([server]);
    await fc.assert(
      fc.asyncProperty(tail, async (drawn) => {
        random = drawn;
        expect(kinds).toContain((await resolver.lookUp("shop.example", "TXT")).kind);
      }),
      { numRuns: 100 },
    );
  });
});
