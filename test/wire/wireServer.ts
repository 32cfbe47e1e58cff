/** A listener with a handler that says what it was given, and clients on raw sockets. */
import { afterEach } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import type { WireLimits } from "../../src/wire/limits.ts";
import { type Listener, type ListenOptions, listen } from "../../src/wire/listener.ts";
import {
  BodyError,
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
} from "../../src/wire/message.ts";
import { RawClient } from "./rawClient.ts";

export const bodyBytesMax = 65_536;
export const host = "Host: a.example\r\n";
export const get = (path: string) => `GET ${path} HTTP/1.1\r\n${host}\r\n`;
export const post = (path: string, headers: string, body = "") =>
  `POST ${path} HTTP/1.1\r\n${host}${headers}\r\n${body}`;

/** Says what arrived; `/large/N` has a body of N bytes. */
export async function echo(request: HttpRequest): Promise<HttpResponse> {
  const [, large] = /^\/large\/(\d+)$/.exec(request.path) ?? [];
  if (large !== undefined) return { status: 200, headers: {}, body: new Uint8Array(Number(large)) };
  if (request.path === "/refused") return { status: 401, headers: {}, body: "refused" };
  try {
    const body = Buffer.from(await request.body(bodyBytesMax)).toString("latin1");
    const { method, path, query } = request;
    return { status: 200, headers: {}, body: `${method} ${path}${query} ${body}`.trimEnd() };
  } catch (cause) {
    if (!(cause instanceof BodyError)) throw cause;
    return { status: cause.failure === "too_large" ? 413 : 400, headers: {}, body: cause.failure };
  }
}

/** Of the test that runs. */
export const server: {
  listener: Listener | undefined;
  refused: string[];
  failures: unknown[];
} = { listener: undefined, refused: [], failures: [] };
const clients: RawClient[] = [];

export async function start(
  handle: HttpHandler["handle"] = echo,
  limits: Partial<WireLimits> = {},
  clock = systemClock,
  options: Pick<ListenOptions, "proxies" | "proxyProtocol"> = {},
): Promise<() => Promise<RawClient>> {
  server.refused = [];
  server.failures = [];
  const handler: HttpHandler = {
    handle,
    failed(cause) {
      server.failures.push(cause);
      return { status: 500, headers: {}, body: "failed" };
    },
    refuse(error) {
      server.refused.push(error);
      return { status: 400, headers: {}, body: error };
    },
  };
  const listening = await listen(
    { host: "127.0.0.1", port: 0, limits, ...options },
    handler,
    clock,
  );
  server.listener = listening;
  return async () => {
    const client = await RawClient.open(listening.port);
    clients.push(client);
    return client;
  };
}

export async function open(...given: Parameters<typeof start>): Promise<RawClient> {
  return (await start(...given))();
}

export function useWireServer(): void {
  afterEach(async () => {
    for (const client of clients.splice(0)) client.leave();
    await server.listener?.stop(0);
    server.listener = undefined;
  });
}
