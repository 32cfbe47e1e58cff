// Run as: bun bench/receiver.ts <port>
// Receives webhooks at any path and does as little as it can, since it shares the machine.
// What it has received is at `GET /received`. From `GET /hold` to `GET /release` it answers none.
import type { Received } from "./parts/webhooks.ts";

const answer = "HTTP/1.1 204 No Content\r\n\r\n";
const ids = new Set<string>();
const waiting = new Set<{ write(text: string): unknown }>();
let isHeld = false;
let lastAtMs = 0;

Bun.listen<{ received: string }>({
  hostname: "127.0.0.1",
  port: Number(process.argv[2]),
  socket: {
    open(socket) {
      socket.data = { received: "" };
    },
    data(socket, chunk) {
      socket.data.received += chunk.toString("latin1");
      const { received } = socket.data;
      const end = received.indexOf("\r\n\r\n") + 4;
      const bytes = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
      if (end < 4 || received.length < end + bytes) return;
      socket.data.received = "";
      const id = /webhook-id: (\S+)/.exec(received)?.[1];
      if (id === undefined) return void socket.write(told(received.split(" ")[1] ?? ""));
      // Each once for each endpoint, which has a path of its own.
      ids.add(`${received.split(" ")[1]} ${id}`);
      lastAtMs = Date.now();
      if (isHeld) waiting.add(socket);
      else socket.write(answer);
    },
    close(socket) {
      waiting.delete(socket);
    },
  },
});

function told(path: string): string {
  if (path === "/hold") isHeld = true;
  if (path === "/release") {
    isHeld = false;
    for (const socket of waiting) socket.write(answer);
    waiting.clear();
  }
  const received: Received = { events: ids.size, lastAtMs, nowMs: Date.now() };
  const text = JSON.stringify(received);
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
}
