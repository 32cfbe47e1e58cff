import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { type Listener, listen } from "./listener.ts";
import type { Metrics } from "./metrics.ts";

/** Metrics have a listener of their own, so that whoever reaches the API does not reach them. */
export function listenForMetrics(
  at: { readonly host: string; readonly port: number },
  metrics: Metrics,
  clock: Clock,
  log: Log,
): Listener {
  const handle = async ({ url }: Request) => {
    if (new URL(url, "http://localhost").pathname !== "/metrics") {
      return new Response("See /metrics.\n", { status: 404 });
    }
    try {
      const { text, contentType } = await metrics.render();
      return new Response(text, { headers: { "content-type": contentType } });
    } catch (cause) {
      log.error("metrics.failed", { cause });
      return new Response(null, { status: 500 });
    }
  };
  try {
    return listen(at, handle, clock, log);
  } catch (cause) {
    // The system does not say which of the two listeners it refused.
    throw Object.assign(cause as Error, { metrics: true });
  }
}
