import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { type Listener, listen } from "../wire/listener.ts";
import type { HttpRequest, HttpResponse } from "../wire/message.ts";
import { type Family, metricsText, metricsType } from "./metricsText.ts";
import { createWireHandler } from "./wireHandler.ts";

/** Metrics have a listener of their own, so that whoever reaches the API does not reach them. */
export async function listenForMetrics(
  at: { readonly host: string; readonly port: number },
  families: () => Promise<readonly Family[]>,
  clock: Clock,
  log: Log,
): Promise<Listener> {
  const handle = async ({ path }: HttpRequest): Promise<HttpResponse> => {
    if (path !== "/metrics") return { status: 404, headers: textType, body: "See /metrics.\n" };
    try {
      const body = metricsText(await families());
      return { status: 200, headers: { "content-type": metricsType }, body };
    } catch (cause) {
      log.error("metrics.failed", { cause });
      return { status: 500, headers: {} };
    }
  };
  try {
    return await listen(at, createWireHandler({ handle }, { clock, log }), clock);
  } catch (cause) {
    // The system does not say which of the two listeners it refused.
    throw Object.assign(cause as Error, { metrics: true });
  }
}

const textType = { "content-type": "text/plain; charset=utf-8" } as const;
