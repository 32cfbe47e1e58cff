import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeUnless } from "../../testkit/describeUnless.ts";
import { RawClient } from "./rawClient.ts";
import { get, host, post } from "./wireServer.ts";

const node = Bun.which("node");

describeUnless(node === null ? "not installed: node" : undefined, "on Node.js", () => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-node-"));
  let child: ChildProcess;
  let port = 0;
  beforeAll(async () => {
    const built = await Bun.build({
      entrypoints: [join(import.meta.dir, "nodeServer.ts")],
      target: "node",
      outdir: folder,
      naming: "[name].mjs",
    });
    child = spawn(node ?? "", [built.outputs[0]?.path ?? ""], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(child.stdout ?? child, "data");
    const [first, runtime] = String(line).trim().split(" ");
    expect(runtime).toBe("undefined");
    port = Number(first);
  });
  afterAll(async () => {
    const exited = once(child, "exit");
    child.kill();
    await exited;
    rmSync(folder, { recursive: true });
  });

  test("messages are framed and refused alike", async () => {
    const client = await RawClient.open(port);
    const chunked = post("/1", "Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\nX-T: 1\r\n\r\n");
    client.send(`\r\n${chunked}BREW /2 HTTP/1.1\r\n${host}\r\n${get("/3")}nonsense\r\n\r\n`);
    const bodies = [];
    for (let n = 0; n < 4; n++) bodies.push((await client.response()).body.trim());
    expect(bodies).toEqual(["POST /1 abc", "BREW /2", "GET /3", "malformed"]);
    await client.closed();
    client.leave();
  });

  test("a response arrives although its client goes on sending", async () => {
    const client = await RawClient.open(port);
    client.send(post("/", "Content-Length: 3\r\nContent-Length: 4\r\n", "x".repeat(1_000_000)));
    expect((await client.response()).body).toBe("malformed");
    await client.closed();
    client.leave();
  });
});
