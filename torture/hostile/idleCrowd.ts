/** A crowd of connections that say little or nothing and stay. */
import { connect, type Socket } from "node:net";
import type { SeededRandom } from "../../testkit/seededRandom.ts";

export interface Crowd {
  /** How many were let in. */
  readonly connected: number;
  /** How many could not get in. */
  readonly refused: number;
  /** What was heard that is no right answer. */
  readonly faults: readonly string[];
  leave(): void;
}

export interface CrowdOptions {
  readonly port: number;
  readonly token: string;
  readonly size: number;
}

/** At once on their way in: the listener's queue holds some hundred. */
const arriving = 250;
const arrivalMsMax = 20_000;

type Behaviour = (token: string, random: SeededRandom) => string;

const whole: Behaviour = (token) =>
  `GET /v1/pets?limit=1 HTTP/1.1\r\nHost: idle\r\nAuthorization: Bearer ${token}\r\n\r\n`;
const halfBody: Behaviour = (token) =>
  `POST /v1/pets HTTP/1.1\r\nHost: idle\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{"name":`;
const halfHeader: Behaviour = (token, random) =>
  whole(token, random).slice(0, random.between(1, whole(token, random).length - 3));
const silent: Behaviour = () => "";

// Those first that the listener has the most patience with, so that all are there together.
const behaviours = [whole, halfBody, halfHeader, silent];

export async function gather(
  { port, token, size }: CrowdOptions,
  random: SeededRandom,
): Promise<Crowd> {
  const sockets: Socket[] = [];
  const faults: string[] = [];
  let connected = 0;
  let refused = 0;
  const enter = (at: number) =>
    new Promise<void>((resolve) => {
      const behaviour = behaviours[Math.floor((at / size) * behaviours.length)] ?? silent;
      const socket = connect({ port, host: "127.0.0.1", noDelay: true });
      const late = setTimeout(() => socket.destroy(), arrivalMsMax);
      let inside = false;
      socket.on("connect", () => {
        inside = true;
        connected++;
        clearTimeout(late);
        socket.write(behaviour(token, random.fork(`idle ${at}`)));
        resolve();
      });
      socket.on("data", (chunk: Buffer) => {
        const right = behaviour === whole && !/^HTTP\/1\.1 [^2]/.test(chunk.toString("latin1"));
        if (!right) faults.push(chunk.toString("latin1").slice(0, 200));
      });
      socket.on("error", () => {});
      socket.on("close", () => {
        clearTimeout(late);
        if (!inside) refused++;
        resolve();
      });
      sockets.push(socket);
    });
  for (let at = 0; at < size; at += arriving) {
    const count = Math.min(arriving, size - at);
    await Promise.all(Array.from({ length: count }, (_, index) => enter(at + index)));
  }
  return {
    connected,
    refused,
    faults,
    leave() {
      // Without the wait that TCP has for connections that ended in order, or ports would run out.
      for (const socket of sockets) if (!socket.destroyed) socket.resetAndDestroy();
    },
  };
}
