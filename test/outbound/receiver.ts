/** A server that answers with the given bytes, whatever it is sent. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";

export type Answer = (request: string, socket: Socket, number: number) => void;

export class Receiver implements AsyncDisposable {
  readonly requests: string[] = [];
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(answer: Answer, tls?: TlsOptions) {
    const accept = (socket: Socket) => {
      this.connections++;
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("error", () => {});
      let received = "";
      socket.on("data", (chunk) => {
        received += chunk.toString("latin1");
        for (;;) {
          const head = received.indexOf("\r\n\r\n") + 4;
          const length = Number(/content-length: (\d+)/i.exec(received)?.[1]);
          if (head < 4 || received.length < head + length) return;
          const request = received.slice(0, head + length);
          received = received.slice(head + length);
          this.requests.push(request);
          answer(request, socket, this.requests.length);
        }
      });
    };
    this.#server = tls === undefined ? createServer(accept) : createTlsServer(tls, accept);
    this.#server.on("tlsClientError", () => {});
  }

  /** How many connections are open. */
  get open(): number {
    return this.#sockets.size;
  }

  async listen(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Closes the connections that are open, as a server does that restarts. */
  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.hangUp();
    this.#server.close();
  }
}

export const response = (status: number, body = "", headers = "") =>
  `HTTP/1.1 ${status} Said\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
export const answering =
  (text: string): Answer =>
  (_request, socket) =>
    void socket.write(text);
