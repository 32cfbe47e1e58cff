// A client that asks for much and is then stopped by a signal: its machine still takes what comes,
// but nobody ever reads or closes. It takes the port, and the key on its standard input.
import { connect } from "node:net";
import { text } from "node:stream/consumers";

const port = Number(process.argv[2]);
const connections = Number(process.argv[3]);
const token = (await text(process.stdin)).trim();
const request = `GET /v1/openapi.json HTTP/1.1\r\nHost: gone\r\nAuthorization: Bearer ${token}\r\n\r\n`;
const begun = `POST /v1/pets HTTP/1.1\r\nHost: gone\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{`;

let ready = 0;
for (let at = 0; at < connections; at++) {
  const socket = connect(port, "127.0.0.1", () => {
    socket.write(at % 2 === 0 ? request.repeat(20) : begun);
    if (++ready === connections) console.log("ready");
  });
  socket.on("error", () => {});
}
setTimeout(() => process.exit(0), 600_000);
