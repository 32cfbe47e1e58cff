/** Ports that nobody listens on, for a server that is about to start. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

// Below what the system hands out for outgoing connections, so that none of those takes a port
// between its choice and its use.
const portMin = 10_000;
const portMax = 32_000;
const triesMax = 100;

/** A port that is free over TCP and UDP on each of the addresses. */
export async function freePort(addresses: readonly string[] = ["127.0.0.1"]): Promise<number> {
  for (let tries = 0; tries < triesMax; tries++) {
    const port = portMin + Math.floor(Math.random() * (portMax - portMin));
    const free = await Promise.all(addresses.map((address) => isFree(address, port)));
    if (free.every(Boolean)) return port;
  }
  throw new Error(`No free port on ${addresses.join(", ")} after ${triesMax} tries.`);
}

/** Several ports, all different. */
export async function freePorts(count: number, addresses?: readonly string[]): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort(addresses));
  return [...ports];
}

/** Whether nobody listens there, neither over UDP nor over TCP. */
export async function isFree(address: string, port: number): Promise<boolean> {
  return (await isFreeOverUdp(address, port)) && (await isFreeOverTcp(address, port));
}

async function isFreeOverUdp(address: string, port: number): Promise<boolean> {
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  try {
    const bound = once(socket, "listening");
    socket.bind({ address, port, exclusive: true });
    await bound;
    return true;
  } catch {
    return false;
  } finally {
    socket.close();
  }
}

async function isFreeOverTcp(address: string, port: number): Promise<boolean> {
  const server = createServer();
  try {
    const listening = once(server, "listening");
    server.listen({ host: address, port, exclusive: true });
    await listening;
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
