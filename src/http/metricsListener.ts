import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Log } from "../log.ts";
import type { Metrics } from "./metrics.ts";

export interface MetricsListener {
  readonly port: number;
  stop(): void;
}

/** Metrics have a listener of their own, so that whoever reaches the API does not reach them. */
export function listenForMetrics(
  { host, port }: { readonly host: string; readonly port: number },
  metrics: Metrics,
  log: Log,
): Promise<MetricsListener> {
  const server = createServer(async (request, response) => {
    if (request.url?.split("?")[0] !== "/metrics")
      return response.writeHead(404).end("See /metrics.\n");
    try {
      const { text, contentType } = await metrics.render();
      response.writeHead(200, { "content-type": contentType }).end(text);
    } catch (cause) {
      log.error("metrics.failed", { cause });
      response.writeHead(500).end();
    }
  });
  return new Promise((resolve, reject) => {
    // The system does not say which of the two listeners it refused.
    server.once("error", (cause) => reject(Object.assign(cause, { metrics: true })));
    server.listen(port, host, () =>
      resolve({
        port: (server.address() as AddressInfo).port,
        stop() {
          server.close();
          server.closeAllConnections();
        },
      }),
    );
  });
}
