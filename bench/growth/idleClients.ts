// Run as: bun bench/growth/idleClients.ts <port> <count> [<host>]
// Opens so many connections, over TLS if there is a host, sends one request on each, and keeps them.
// Ends when one of them is closed.
import { path as page } from "../edge/site.ts";

const [port, count, host] = process.argv.slice(2);
const atOnce = 64;
const head =
  host === undefined ? "/healthz HTTP/1.1\r\nHost: localhost" : `${page} HTTP/1.1\r\nHost: ${host}`;

function openOne(): Promise<void> {
  return new Promise((resolve, reject) => {
    void Bun.connect({
      hostname: "127.0.0.1",
      port: Number(port),
      ...(host !== undefined && { tls: { serverName: host, rejectUnauthorized: false } }),
      socket: {
        open: (socket) => void socket.write(`GET ${head}\r\n\r\n`),
        data: () => resolve(),
        close: () => {
          console.error("A connection was closed.");
          process.exit(1);
        },
        error: (_, cause) => reject(cause),
      },
    }).catch(reject);
  });
}

let begun = 0;
const openSome = async () => {
  while (begun++ < Number(count)) await openOne();
};
await Promise.all(Array.from({ length: atOnce }, openSome));
console.log("open");
setInterval(() => {}, 60_000);
