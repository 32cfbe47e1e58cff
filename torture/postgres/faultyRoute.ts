/** A way to a server on loopback that stalls, delays, tears and cuts what passes on it. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { pause } from "../load.ts";

interface Link {
  readonly client: Socket;
  readonly server: Socket;
}

export class FaultyRoute {
  readonly #target: number;
  readonly #listener: Server;
  readonly #links = new Set<Link>();
  readonly #forgotten = new WeakSet<Link>();
  #open = Promise.withResolvers<void>();
  #delayMs = 0;
  #refusing = false;
  /** How many bytes of the next answer pass before its connection ends. */
  #tearAfter: number | undefined;

  private constructor(target: number) {
    this.#target = target;
    this.#open.resolve();
    this.#listener = createServer((client) => this.#connect(client));
  }

  static async to(port: number): Promise<FaultyRoute> {
    const route = new FaultyRoute(port);
    route.#listener.listen(0, "127.0.0.1");
    await once(route.#listener, "listening");
    return route;
  }

  get port(): number {
    return (this.#listener.address() as AddressInfo).port;
  }

  /** How long nothing passes, without either side noticing. */
  async stall(ms: number): Promise<void> {
    const stalled = Promise.withResolvers<void>();
    this.#open = stalled;
    await pause(ms);
    stalled.resolve();
  }

  async delay(ms: number, forMs: number): Promise<void> {
    this.#delayMs = ms;
    await pause(forMs);
    this.#delayMs = 0;
  }

  /** How many were cut. */
  cut(): number {
    const count = this.#links.size;
    for (const link of this.#links) this.#end(link);
    return count;
  }

  /** Both ends think that their connection is there, and hear nothing on it any more. */
  forget(): number {
    const count = this.#links.size;
    for (const link of this.#links) this.#forgotten.add(link);
    return count;
  }

  /** The next answer breaks off after so many bytes. */
  tear(bytes: number): void {
    this.#tearAfter = bytes;
  }

  /** Cuts all, and lets nobody in for as long as this. */
  async refuse(ms: number): Promise<void> {
    this.#refusing = true;
    this.cut();
    await pause(ms);
    this.#refusing = false;
  }

  close(): void {
    this.cut();
    this.#listener.close();
  }

  #connect(client: Socket): void {
    if (this.#refusing) {
      client.destroy();
      return;
    }
    const link = { client, server: connect(this.#target, "127.0.0.1") };
    this.#links.add(link);
    this.#pass(link, link.client, link.server, (chunk) => chunk);
    this.#pass(link, link.server, link.client, (chunk) => this.#torn(link, chunk));
  }

  /** In order, one piece after the other. */
  #pass(link: Link, from: Socket, to: Socket, change: (chunk: Buffer) => Buffer | undefined): void {
    let passed = Promise.resolve();
    const after = (action: () => void) => {
      passed = passed.then(async () => {
        await this.#open.promise;
        if (this.#delayMs > 0) await pause(this.#delayMs);
        action();
      });
    };
    from.on("data", (chunk: Buffer) =>
      after(() => {
        const isThere = this.#links.has(link) && !this.#forgotten.has(link);
        const left = isThere ? change(chunk) : undefined;
        if (left !== undefined) to.write(left);
      }),
    );
    from.on("end", () => after(() => to.end()));
    from.on("error", () => this.#end(link));
    from.on("close", () => after(() => this.#end(link)));
  }

  /** Its first bytes leave before the end does. */
  #torn(link: Link, chunk: Buffer): Buffer | undefined {
    const bytes = this.#tearAfter;
    if (bytes === undefined || chunk.length <= bytes) return chunk;
    this.#tearAfter = undefined;
    link.client.end(chunk.subarray(0, bytes));
    link.server.destroy();
    this.#links.delete(link);
    return undefined;
  }

  #end(link: Link): void {
    this.#links.delete(link);
    link.client.destroy();
    link.server.destroy();
  }
}
