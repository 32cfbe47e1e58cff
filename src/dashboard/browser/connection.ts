/** Whether the service can be reached, as far as the page can tell. */

import { observable } from "./observable.ts";
import { later } from "./platform.ts";

export type Connection = "connected" | "offline" | "unreachable";

export const connection = observable<Connection>("connected");
/** Grows when the service is back, so that what failed is asked for again. */
export const reconnections = observable(0);

const triedAgainMs = 3_000;
let trying: (() => void) | undefined;

export function reached(): void {
  trying?.();
  trying = undefined;
  if (connection.get() === "connected") return;
  connection.set("connected");
  reconnections.set(reconnections.get() + 1);
}

export function unreached(): void {
  connection.set(navigator.onLine ? "unreachable" : "offline");
  trying ??= later(triedAgainMs, tryAgain);
}

async function tryAgain(): Promise<void> {
  trying = undefined;
  try {
    await fetch("/healthz", { cache: "no-store" });
    reached();
  } catch {
    unreached();
  }
}

export function watchConnection(): void {
  addEventListener("offline", unreached);
  addEventListener("online", () => void tryAgain());
}
