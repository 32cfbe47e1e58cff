/** Every open connection: for which host it was encrypted, what it is at, and since when. */
import type { Socket } from "node:net";
import type { Clock } from "../clock.ts";
import type { EdgeLimits } from "./limits.ts";

/** An answer under way. */
export interface Exchange {
  /** Something of it was sent. */
  progress(): void;
  /** Counts what it holds in memory. False when that is too much, together with all others. */
  hold(bytes: number): boolean;
  end(): void;
}

export class Connection {
  /** The one that requests come from: once it is encrypted, that which decrypts. */
  socket: Socket;
  /** The host that it was encrypted for; undefined on plain HTTP and during the handshake. */
  serverName: string | undefined;
  state: "handshake" | "first_request" | "idle" | "answering";
  /** When it came into this state. */
  sinceMs: number;
  /** The answers under way, each with how to break it off when it makes no progress. */
  readonly underWay = new Map<Exchange, { progressAtMs: number; readonly breakOff: () => void }>();
  /** Takes no further request and closes once the answers under way are sent. */
  finish: () => void;
  /** Was asked to finish. */
  finishing = false;

  constructor(socket: Socket, state: Connection["state"], sinceMs: number) {
    this.socket = socket;
    this.state = state;
    this.sinceMs = sinceMs;
    this.finish = () => this.socket.destroy();
  }
}

const connectionOf = Symbol("connection");
type Tagged = Socket & { [connectionOf]?: Connection; readonly _parent?: Tagged | null };

/** The connection of a socket that was let in. HTTP/2 shows its socket only through a proxy. */
export function connectionBehind(socket: Socket): Connection | undefined {
  // On Bun the encrypted socket is the one that was let in; on Node it has that one as its parent.
  const { [connectionOf]: own, _parent: parent } = socket as Tagged;
  return own ?? parent?.[connectionOf];
}

export class Connections {
  readonly #clock: Clock;
  readonly #limits: EdgeLimits;
  readonly #all = new Set<Connection>();
  /** Those that nothing is being sent to, the longest idle first. */
  readonly #idle = new Set<Connection>();
  readonly #byHost = new Map<string, Set<Connection>>();
  #heldBytes = 0;
  #stopping = false;
  #emptied = () => {};

  constructor(clock: Clock, limits: EdgeLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get size(): number {
    return this.#all.size;
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  /** Undefined, with the socket destroyed, when there is no room. */
  admit(socket: Socket, state: "handshake" | "first_request"): Connection | undefined {
    // Whoever goes away in the middle of something is no fault of ours.
    socket.on("error", () => socket.destroy());
    if (this.#all.size >= this.#limits.connectionsMax) this.#makeRoom();
    if (this.#stopping || this.#all.size >= this.#limits.connectionsMax) {
      socket.destroy();
      return undefined;
    }
    const connection = new Connection(socket, state, this.#clock.elapsed());
    (socket as Tagged)[connectionOf] = connection;
    this.#all.add(connection);
    this.#idle.add(connection);
    socket.once("close", () => this.#forget(connection));
    return connection;
  }

  /** The handshake is done. */
  secured(connection: Connection, host: string, socket: Socket): void {
    connection.serverName = host;
    connection.socket = socket;
    (socket as Tagged)[connectionOf] = connection;
    const others = this.#byHost.get(host);
    if (others === undefined) this.#byHost.set(host, new Set([connection]));
    else others.add(connection);
    this.#enter(connection, "first_request");
  }

  begin(connection: Connection, breakOff: () => void): Exchange {
    let held = 0;
    const standing = { progressAtMs: this.#clock.elapsed(), breakOff };
    const exchange: Exchange = {
      progress: () => {
        standing.progressAtMs = this.#clock.elapsed();
      },
      hold: (bytes) => {
        // Its reader left before the answer came: it will be let go of without anybody's doing.
        if (!this.#all.has(connection) || !connection.underWay.has(exchange)) return true;
        if (this.#heldBytes + bytes > this.#limits.answerBytesMax) return false;
        held += bytes;
        this.#heldBytes += bytes;
        return true;
      },
      end: () => {
        if (!connection.underWay.delete(exchange)) return;
        this.#heldBytes -= held;
        if (connection.underWay.size > 0) return;
        this.#enter(connection, "idle");
        if (this.#stopping) this.#finish(connection);
      },
    };
    connection.underWay.set(exchange, standing);
    this.#enter(connection, "answering");
    return exchange;
  }

  /** Ends what has taken too long. */
  sweep(): void {
    const nowMs = this.#clock.elapsed();
    for (const connection of this.#all) {
      const lasted = nowMs - connection.sinceMs;
      if (connection.state !== "answering") {
        if (lasted < this.#grantedMs(connection.state)) continue;
        // A client that has been served before is told, so that it sends nothing into the void.
        if (connection.state === "idle" && !connection.finishing) this.#finish(connection);
        else this.#destroy(connection);
        continue;
      }
      for (const { progressAtMs, breakOff } of connection.underWay.values()) {
        if (nowMs - progressAtMs >= this.#limits.stallMsMax) breakOff();
      }
    }
  }

  /** The hosts that connections are open for. */
  hosts(): readonly string[] {
    return [...this.#byHost.keys()];
  }

  /** Ends every connection for a host at once, whatever it is at. */
  closeHost(host: string): number {
    const connections = [...(this.#byHost.get(host) ?? [])];
    for (const connection of connections) this.#destroy(connection);
    return connections.length;
  }

  /** Lets nobody in, lets answers under way finish within the time, then ends what is left. */
  async drain(graceMs: number): Promise<void> {
    this.#stopping = true;
    for (const connection of [...this.#all]) {
      if (connection.state === "handshake") this.#destroy(connection);
      else this.#finish(connection);
    }
    if (this.#all.size === 0) return;
    await new Promise<void>((resolve) => {
      const endAll = () => {
        for (const connection of [...this.#all]) this.#destroy(connection);
      };
      const inTime = this.#clock.after(graceMs, endAll);
      this.#emptied = () => {
        inTime();
        resolve();
      };
    });
  }

  #grantedMs(state: Exclude<Connection["state"], "answering">): number {
    if (state === "handshake") return this.#limits.handshakeMsMax;
    return state === "first_request" ? this.#limits.firstRequestMsMax : this.#limits.keepAliveMsMax;
  }

  #enter(connection: Connection, state: Connection["state"]): void {
    if (!this.#all.has(connection)) return;
    connection.state = state;
    connection.sinceMs = this.#clock.elapsed();
    this.#idle.delete(connection);
    if (state !== "answering") this.#idle.add(connection);
  }

  #finish(connection: Connection): void {
    connection.finishing = true;
    connection.finish();
  }

  #makeRoom(): void {
    const [longestIdle] = this.#idle;
    if (longestIdle !== undefined) this.#destroy(longestIdle);
  }

  /** Forgotten at once: the socket's own farewell may come late. */
  #destroy(connection: Connection): void {
    connection.socket.destroy();
    this.#forget(connection);
  }

  #forget(connection: Connection): void {
    if (!this.#all.delete(connection)) return;
    this.#idle.delete(connection);
    for (const exchange of [...connection.underWay.keys()]) exchange.end();
    const host = connection.serverName;
    const others = host === undefined ? undefined : this.#byHost.get(host);
    others?.delete(connection);
    if (host !== undefined && others?.size === 0) this.#byHost.delete(host);
    if (this.#all.size === 0) this.#emptied();
  }
}
