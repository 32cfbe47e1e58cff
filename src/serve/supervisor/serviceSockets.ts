/** The listening sockets of a service, which its processes share. */
import type { OpenListener } from "../../wire/listener.ts";

/** By what is answered there. Each has as many sockets as the others. */
export interface ServiceSockets {
  readonly api: OpenListener;
  readonly admin?: OpenListener | undefined;
  readonly edgeHttp?: OpenListener | undefined;
  readonly edgeHttps?: OpenListener | undefined;
}

/** Each process has sockets of its own while there are enough, and each socket a process. */
export function socketsOf(slot: number, processes: number, sockets: number): number[] {
  if (sockets <= processes) return [slot % sockets];
  return Array.from({ length: sockets }, (_, index) => index).filter(
    (index) => index % processes === slot,
  );
}

/** Those at some indexes. */
export function pickSockets(all: ServiceSockets, indexes: readonly number[]): ServiceSockets {
  return changed(all, (sockets) => indexes.map((index) => sockets[index] as number));
}

/** The same sockets under other descriptors. */
export function mapSockets(all: ServiceSockets, map: (socket: number) => number): ServiceSockets {
  return changed(all, (sockets) => sockets.map(map));
}

function changed(
  all: ServiceSockets,
  change: (sockets: readonly number[]) => readonly number[],
): ServiceSockets {
  const listeners = Object.entries(all) as [string, OpenListener | undefined][];
  return Object.fromEntries(
    listeners.map(([name, open]) => [
      name,
      open && { port: open.port, sockets: change(open.sockets) },
    ]),
  ) as unknown as ServiceSockets;
}
