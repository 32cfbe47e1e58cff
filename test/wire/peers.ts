/** Servers that say how they read a request: ours, nginx in front of ours, and `node:http`. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/core/clock.ts";
import { createLog } from "../../src/core/log.ts";
import { createWireHandler } from "../../src/http/listeners.ts";
import { listen } from "../../src/wire/listener.ts";
import { eventually } from "../../testkit/eventually.ts";
import { freePort } from "../../testkit/freePorts.ts";
import { RawClient } from "./rawClient.ts";
import { echo } from "./wireServer.ts";

export interface Peer {
  readonly port: number;
  stop(): Promise<unknown>;
}

export async function startOurs(): Promise<Peer> {
  const clock = systemClock;
  const handler = createWireHandler(
    { handle: echo },
    { clock, log: createLog("error", clock, () => {}) },
  );
  const listener = await listen({ host: "127.0.0.1", port: 0 }, handler, clock);
  return { port: listener.port, stop: () => listener.stop(0) };
}

/** What nginx passes on is what it has read, and the service behind it says what that was. */
export async function startNginx(program: string): Promise<Peer> {
  const behind = await startOurs();
  const folder = mkdtempSync(join(tmpdir(), "petstore-nginx-"));
  const port = await freePort();
  const file = join(folder, "nginx.conf");
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(" ");
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
    events {}
    http {
      access_log off; ${temporary}
      server {
        listen 127.0.0.1:${port};
        location / { proxy_pass http://127.0.0.1:${behind.port}; proxy_http_version 1.1; proxy_set_header Connection ""; }
      }
    }`,
  );
  const child = spawn(program, ["-p", folder, "-e", `${folder}/error.log`, "-c", file], {
    stdio: "ignore",
  });
  await eventually(async () => {
    const client = await RawClient.open(port).catch(() => undefined);
    client?.leave();
    return client !== undefined;
  });
  return {
    port,
    async stop() {
      await ended(child);
      await behind.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

const nodeProgram = `
  const server = require("node:http").createServer(async (request, response) => {
    let body = "";
    try {
      for await (const chunk of request) body += chunk.toString("latin1");
    } catch {
      return;
    }
    response.end([request.method, request.url, body].join(" ").trimEnd());
  });
  // Whoever it reads nothing more from is waited for otherwise.
  server.keepAliveTimeout = 100;
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

/** The one of Node.js itself: Bun has another under the same name. */
export async function startNode(program: string): Promise<Peer> {
  const child = spawn(program, ["--eval", nodeProgram], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(child.stdout ?? child, "data");
  return { port: Number(String(line)), stop: () => ended(child) };
}

async function ended(child: ChildProcess): Promise<void> {
  const exited = once(child, "exit");
  child.kill();
  await exited;
}

const end = "GET /end HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n";

/**
 * How a peer reads bytes and a last request behind them: what it says of each request, or the status
 * of its refusal. The last request, which asks to close the connection, is left out where it was
 * answered as itself; `closed` stands for the end of a connection before that.
 */
export async function readingOf({ port }: Peer, bytes: string): Promise<string> {
  const client = await RawClient.open(port);
  try {
    client.send(bytes + end);
    await client.closed();
    const heard = responsesIn(client.received);
    if (heard.at(-1) === "GET /end") heard.pop();
    else heard.push("closed");
    return heard.join(", ");
  } finally {
    client.leave();
  }
}

function responsesIn(text: string): string[] {
  const heard: string[] = [];
  let rest = text;
  while (rest !== "") {
    const [, status = "", head = ""] =
      /^HTTP\/1\.1 (\d{3}) [^\r]*\r\n(.*?)\r\n\r\n/s.exec(rest) ?? [];
    if (status === "") {
      heard.push(`bare ${rest}`);
      break;
    }
    rest = rest.slice(rest.indexOf("\r\n\r\n") + 4);
    if (status.startsWith("1")) {
      heard.push(status);
      continue;
    }
    const body = /^transfer-encoding: chunked$/im.test(head)
      ? chunksOf(rest)
      : bodyOf(rest, Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? rest.length));
    rest = rest.slice(body.bytes);
    heard.push(status === "200" ? body.text : status);
  }
  return heard;
}

const bodyOf = (text: string, bytes: number) => ({ text: text.slice(0, bytes), bytes });

function chunksOf(text: string): { text: string; bytes: number } {
  let body = "";
  for (let at = 0; ; ) {
    const lineEnd = text.indexOf("\r\n", at);
    const size = Number.parseInt(text.slice(at, lineEnd), 16);
    if (!Number.isInteger(size)) throw new Error(`No chunk: ${JSON.stringify(text.slice(at, 80))}`);
    body += text.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 2 + size + 2;
    if (size === 0) return { text: body, bytes: at };
  }
}
