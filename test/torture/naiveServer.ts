/** A server that reads requests as its own mistake has it, for the rig to find. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

export interface NaiveServer {
  readonly port: number;
  close(): void;
}

export type Handler = (socket: Socket, heard: string) => string;

/** Hands each piece to the handler together with what it left over before. */
export async function startNaiveServer(handle: Handler): Promise<NaiveServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    let heard = "";
    sockets.add(socket);
    socket.on("data", (chunk: Buffer) => {
      heard = handle(socket, heard + chunk.toString("latin1"));
    });
    socket.on("error", () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

export const answerText = (status: number, body = "", headers = "") =>
  `HTTP/1.1 ${status} X\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** Goes by the length alone, where a coding is given too: the mistake that smuggling lives on. */
export function goesByLength(socket: Socket, heard: string): string {
  let rest = heard;
  for (;;) {
    const head = rest.indexOf("\r\n\r\n");
    if (head < 0) return rest;
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(rest.slice(0, head))?.[1] ?? 0);
    if (rest.length < head + 4 + length) return rest;
    const id = /\r\nx-request-id: (\S+)/i.exec(rest.slice(0, head))?.[1];
    socket.write(answerText(400, "", id === undefined ? "" : `X-Request-Id: ${id}\r\n`));
    rest = rest.slice(head + 4 + length);
  }
}
