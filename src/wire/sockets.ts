/**
 * Sockets as transports: those of `Bun.listen` where the program runs on Bun, which take half the
 * processor time, and those of `node:net` and `node:tls`.
 */
import type { Socket } from "node:net";
import type { Socket as BunSocket } from "bun";
import type { Connections } from "./connections.ts";
import type { Http1Connection } from "./http1.ts";
import type { Transport } from "./transport.ts";
import { plainAddress } from "./trustedProxies.ts";

const peerOf = Symbol("peer");
type Tagged = Socket & { [peerOf]?: string | undefined; readonly _parent?: Tagged | null };

/** Sets the client's address of a connection if that is not its peer's. */
export function setPeer(socket: Socket, peer: string | undefined): void {
  (socket as Tagged)[peerOf] = peer;
}

/** An encrypted socket on top of another one has the same peer. */
export function peerAt(socket: Socket): string | undefined {
  const { [peerOf]: own, _parent: parent } = socket as Tagged;
  return own ?? parent?.[peerOf] ?? plainAddress(socket.remoteAddress ?? "");
}

/** What is sent is counted. */
type Sent = Pick<Connections, "sentBytes">;

export function nodeTransport(socket: Socket, scheme: Transport["scheme"], sent: Sent): Transport {
  return {
    peer: peerAt(socket),
    scheme,
    write(bytes) {
      sent.sentBytes += bytes.byteLength;
      return socket.write(bytes);
    },
    writeText(text) {
      sent.sentBytes += Buffer.byteLength(text);
      return socket.write(text);
    },
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
  };
}

/** Passes what happens on a socket to its connection. */
export function attach(socket: Socket, connection: Http1Connection): void {
  socket.on("data", (chunk: Buffer) => connection.receive(chunk));
  socket.on("drain", () => connection.drained());
  socket.on("end", () => connection.ended());
  socket.on("close", () => connection.closed());
  // `close` follows. A client that disconnects is not an error of the service.
  socket.on("error", () => {});
  // It is paused if something was read from it before.
  socket.resume();
}

/** Sends the pending TCP acknowledgement of a connection at once. */
export type Acknowledge = (socket: Socket) => void;

const [tcpLevel, quickAck] = [6, 12];

/**
 * For servers of TLS 1.3, where the client sends the last message of the handshake. The kernel delays
 * its acknowledgement by 40 ms, to send it along with data, but there is none; and a client that uses
 * Nagle's algorithm holds back its first request until then, whatever TCP_NODELAY is on our side.
 * (OpenSSL sends its session tickets at that moment. BoringSSL sends them with the first response.)
 */
export async function openAcknowledge(): Promise<Acknowledge> {
  if (process.platform !== "linux" || process.versions["bun"] === undefined) return () => {};
  try {
    const { dlopen } = await import("bun:ffi");
    const { setsockopt } = dlopen("libc.so.6", {
      setsockopt: { args: ["i32", "i32", "i32", "ptr", "u32"], returns: "i32" },
    }).symbols;
    const on = Int32Array.of(1);
    return (socket) => {
      const { fd = -1 } = (socket as { _handle?: { fd?: number } | null })._handle ?? {};
      if (fd >= 0) setsockopt(fd, tcpLevel, quickAck, on, on.byteLength);
    };
  } catch {
    // Another C library: these clients have the delay.
    return () => {};
  }
}

/** Text is encoded here: allocating a buffer for each response would cost as much as copying. */
const encoded = Buffer.allocUnsafeSlow(64 * 1024);
const bytesPerCharacterMax = 3;

/** A socket of `Bun.listen`, which does not buffer what the kernel does not take. */
export class BunTransport implements Transport {
  readonly scheme = "http";
  readonly peer: string | undefined;
  readonly #socket: BunSocket<unknown>;
  readonly #sent: Sent;
  #unsent: Uint8Array[] = [];
  #ending = false;

  constructor(socket: BunSocket<unknown>, sent: Sent) {
    this.#socket = socket;
    this.#sent = sent;
    this.peer = plainAddress(socket.remoteAddress);
  }

  write(bytes: Uint8Array): boolean {
    return this.#write(bytes, bytes.byteLength);
  }

  writeText(text: string): boolean {
    return text.length * bytesPerCharacterMax > encoded.byteLength
      ? this.write(Buffer.from(text))
      : this.#write(encoded, encoded.write(text));
  }

  #write(bytes: Uint8Array, length: number): boolean {
    this.#sent.sentBytes += length;
    const taken = this.#unsent.length > 0 ? 0 : Math.max(0, this.#socket.write(bytes, 0, length));
    if (taken >= length) return true;
    // A copy: the bytes may become another response before the rest is taken.
    this.#unsent.push(new Uint8Array(bytes.subarray(taken, length)));
    return false;
  }

  /** Writes the rest. True once nothing is left. */
  flush(): boolean {
    let first = this.#unsent[0];
    while (first !== undefined) {
      const taken = this.#socket.write(first);
      if (taken < first.byteLength) {
        this.#unsent[0] = first.subarray(Math.max(0, taken));
        return false;
      }
      this.#unsent.shift();
      first = this.#unsent[0];
    }
    if (this.#ending) this.#socket.shutdown();
    return true;
  }

  end(): void {
    this.#ending = true;
    if (this.#unsent.length === 0) this.#socket.shutdown();
  }

  destroy(): void {
    const discardsUnsent = this.#unsent.length > 0;
    this.#unsent = [];
    // A reset also discards what the peer has not read yet.
    if (discardsUnsent) this.#socket.terminate();
    else this.#socket.close();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }
}
