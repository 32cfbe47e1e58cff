/** Whether the service can be reached. */
import { later } from "../../docs/browser/platform.ts";
import { observable } from "./observable.ts";

export type Connection = "connected" | "offline" | "unreachable";

export const connection = observable<Connection>("connected");
/** Grows when the service is reachable again, so that failed requests are retried. */
export const reconnections = observable(0);

const triedAgainMs = 3_000;
let trying: (() => void) | undefined;

export function markReachable(): void {
  trying?.();
  trying = undefined;
  if (connection.get() === "connected") return;
  connection.set("connected");
  reconnections.set(reconnections.get() + 1);
}

export function markUnreachable(): void {
  connection.set(navigator.onLine ? "unreachable" : "offline");
  trying ??= later(triedAgainMs, tryAgain);
}

async function tryAgain(): Promise<void> {
  trying = undefined;
  try {
    await fetch("/healthz", { cache: "no-store" });
    markReachable();
  } catch {
    markUnreachable();
  }
}

export function watchConnection(): void {
  addEventListener("offline", markUnreachable);
  addEventListener("online", () => void tryAgain());
}
