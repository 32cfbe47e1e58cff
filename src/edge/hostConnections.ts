import type { ManagedConnection } from "../wire/connections.ts";

/** The open connections by the host that they were encrypted for. */
export class HostConnections {
  readonly #byHost = new Map<string, Set<ManagedConnection>>();

  add(host: string, connection: ManagedConnection): void {
    const others = this.#byHost.get(host);
    if (others === undefined) this.#byHost.set(host, new Set([connection]));
    else others.add(connection);
  }

  delete(host: string, connection: ManagedConnection): void {
    const others = this.#byHost.get(host);
    others?.delete(connection);
    if (others?.size === 0) this.#byHost.delete(host);
  }

  hosts(): readonly string[] {
    return [...this.#byHost.keys()];
  }

  /** Ends every connection for a host at once, whatever it is at. */
  closeHost(host: string): void {
    for (const connection of [...(this.#byHost.get(host) ?? [])]) connection.destroy();
  }
}
