/**
 * Listening sockets that one process opens and others accept on. The process that opened them keeps
 * them open: a queued connection is lost only when the last process with its socket closes it, so
 * none is lost when an accepting process exits or crashes.
 */
import { dlopen } from "bun:ffi";
import type { ListenAddress } from "./listener.ts";

export interface ListeningSockets {
  readonly port: number;
  readonly sockets: readonly number[];
}

/**
 * Several sockets of one address share its connections evenly, by a hash of the client's address; of
 * one socket, one process may get nearly all. Only Linux supports this: elsewhere there is one
 * socket.
 */
export function openListeningSockets(at: ListenAddress, countWanted: number): ListeningSockets {
  const count = process.platform === "linux" ? countWanted : 1;
  if (count === 1) {
    const only = open({ hostname: at.host, port: at.port, exclusive: true });
    return { port: only.port, sockets: [only.socket] };
  }
  // A second service must not silently share the port of the first, as SO_REUSEPORT would allow.
  const probe = listenBriefly({ hostname: at.host, port: at.port, exclusive: true });
  const { port } = probe;
  probe.stop();
  const sockets: number[] = [];
  try {
    while (sockets.length < count) {
      sockets.push(open({ hostname: at.host, port, reusePort: true }).socket);
    }
  } catch (cause) {
    for (const socket of sockets) closeSocket(socket);
    throw cause;
  }
  return { port, sockets };
}

interface Address {
  readonly hostname: string;
  readonly port: number;
  readonly exclusive?: true;
  readonly reusePort?: true;
}

/** Within one turn of the event loop nothing is accepted. */
function open(address: Address): { readonly port: number; readonly socket: number } {
  const listener = listenBriefly(address);
  try {
    return { port: listener.port, socket: duplicate((listener as unknown as { fd: number }).fd) };
  } finally {
    listener.stop();
  }
}

function listenBriefly(address: Address) {
  return Bun.listen({ ...address, socket: { data() {} } });
}

/** Another descriptor of the same socket, which stays open when the first one is closed. */
export function duplicate(socket: number): number {
  const copy = library().dup(socket);
  if (copy === -1) throw new Error(`The socket ${socket} cannot be duplicated.`);
  return copy;
}

export function closeSocket(socket: number): void {
  library().close(socket);
}

let loaded: { dup(descriptor: number): number; close(descriptor: number): number } | undefined;

function library() {
  const name = process.platform === "darwin" ? "libSystem.B.dylib" : "libc.so.6";
  const one = { args: ["i32"], returns: "i32" } as const;
  loaded ??= dlopen(name, { dup: one, close: one }).symbols;
  return loaded;
}
