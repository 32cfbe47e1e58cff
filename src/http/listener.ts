/** The only place that knows Bun's server. */
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { MaybePromise } from "../maybePromise.ts";
import { Problem } from "../problems.ts";
import { errorText, refusalHeaders } from "./answer.ts";

export interface Listener {
  readonly port: number;
  /** The other end of the connection of a request that is not answered yet. */
  peer(request: Request): string | undefined;
  /** Takes no new connection, lets requests under way finish, closes idle ones; then resolves. */
  stop(withinMs: number): Promise<void>;
}

// A client that sends or reads nothing for this long is let go.
const idleSeconds = 30;
// The listener's own refusal of a large body has no Error body, so ours must come first: this only
// bounds what a request may still send while it is being refused.
const transferBytesMax = 1024 ** 3;

export function listen(
  { host, port }: { readonly host: string; readonly port: number },
  handle: (request: Request) => MaybePromise<Response>,
  clock: Clock,
  log: Log,
): Listener {
  const server = Bun.serve({
    hostname: host,
    port,
    // Bun shares a port that is taken unless told otherwise: a second service would start in
    // silence and answer every other request of the first.
    reusePort: false,
    development: false,
    idleTimeout: idleSeconds,
    maxRequestBodySize: transferBytesMax,
    fetch: handle,
    error(cause) {
      log.error("request.failed", { cause });
      const problem = new Problem("internal");
      const headers = { "content-type": "application/json", ...refusalHeaders(problem) };
      return new Response(errorText(problem), { status: problem.status, headers });
    },
  });
  return {
    port: server.port ?? port,
    peer: (request) => server.requestIP(request)?.address,
    async stop(withinMs) {
      const inTime = clock.after(withinMs, () => {
        // None may be left where no time was given: then only connections are closed.
        const { pendingRequests: requestsUnderWay } = server;
        if (requestsUnderWay > 0) log.warn("shutdown.forced", { requestsUnderWay });
        void server.stop(true);
      });
      await server.stop();
      inTime();
    },
  };
}
