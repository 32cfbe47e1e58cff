/** Servers of the test bed start, fail loudly, and never stay behind. */

import { describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { verdictOn } from "../../../../testkit/describeUnless.ts";
import { eventually } from "../../../../testkit/eventually.ts";
import { freePort, isFree } from "../../../../testkit/freePorts.ts";
import { oneAtATime, startChild } from "../../../../testkit/testBed/processes.ts";
import { describeWithTestBed, howToInstall } from "../../../../testkit/testBed/tools.ts";
import { rejectionOf } from "../../../store/rejection.ts";

/** One that has ended and was not yet collected by its parent is not alive. */
const alive = (pid: number) => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

const always = async () => true;

describe("a child", () => {
  test("that ends before it is ready takes its words into the error", async () => {
    const args = ["-c", "echo no such zone >&2; exit 3"];
    const fault = await rejectionOf(startChild({ tool: "sh", args, ready: async () => false }));
    expect(fault.message).toContain("no such zone");
    expect(`${fault.cause}`).toContain("ended with 3");
  });

  test("is gone when stop resolves, and may be stopped twice", async () => {
    const child = await startChild({ tool: "sleep", args: ["60"], ready: always });
    expect(alive(child.pid)).toBe(true);
    await child.stop();
    expect(alive(child.pid)).toBe(false);
    await child.stop();
  });

  test("that does not listen to SIGTERM is killed", async () => {
    const args = ["-c", "trap '' TERM; echo deaf; while :; do sleep 0.1; done"];
    const child = await startChild({ tool: "sh", args, ready: always });
    await eventually(async () => child.output().includes("deaf"));
    await child.stop();
    expect(alive(child.pid)).toBe(false);
  });
});

describeWithTestBed("a process that is killed", () => {
  test("leaves no child behind", async () => {
    const module = fileURLToPath(
      new URL("../../../../testkit/testBed/processes.ts", import.meta.url),
    );
    const script = `
      const { startChild } = await import(${JSON.stringify(module)});
      const child = await startChild({ tool: "sleep", args: ["60"], ready: async () => true });
      console.log(child.pid);
    `;
    const parent = spawn(process.execPath, ["-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(parent.stdout, "data");
    const pid = Number(line);
    expect(alive(pid)).toBe(true);
    parent.kill("SIGKILL");
    await eventually(async () => !alive(pid));
  });
});

describe("a free port", () => {
  test("is one that nobody has over UDP", async () => {
    const port = await freePort();
    expect(await isFree("127.0.0.1", port)).toBe(true);
    const socket = createSocket("udp4");
    const bound = once(socket, "listening");
    socket.bind({ address: "127.0.0.1", port });
    await bound;
    expect(await isFree("127.0.0.1", port)).toBe(false);
    socket.close();
  });

  test("is one that nobody has over TCP", async () => {
    const port = await freePort();
    const server = createServer();
    const listening = once(server, "listening");
    server.listen(port, "127.0.0.1");
    await listening;
    expect(await isFree("127.0.0.1", port)).toBe(false);
    server.close();
  });

  test("is looked for in vain on an address that is not of this machine", async () => {
    expect((await rejectionOf(freePort(["192.0.2.1"]))).message).toMatch(/192\.0\.2\.1/);
  });
});

describe("one at a time", () => {
  test("a failure does not hold up what comes after it", async () => {
    const inTurn = oneAtATime();
    const order: string[] = [];
    const first = inTurn(async () => {
      await eventually(always);
      order.push("first");
      throw new Error("first");
    });
    const second = inTurn(async () => void order.push("second"));
    expect((await rejectionOf(first)).message).toBe("first");
    await second;
    expect(order).toEqual(["first", "second"]);
  });
});

describe("a missing tool", () => {
  test("skips the tests at home and fails them in CI", () => {
    expect(verdictOn("no pebble here", "")).toBe("skip");
    expect(verdictOn("no pebble here", "true")).toBe("fail");
    expect(verdictOn(undefined, "true")).toBe("run");
  });

  test("is named, with the command that installs it", () => {
    expect(howToInstall(["pdns_server", "kdig"])).toBe(
      "Not installed: pdns_server, kdig. apt-get install pdns-server pdns-backend-bind knot-dnsutils",
    );
  });
});
