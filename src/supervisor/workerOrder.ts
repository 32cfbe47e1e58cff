/** What a process is told when it is started to be one of several. */
import type { ServiceSockets } from "./serviceSockets.ts";

/**
 * Raised when the two sides stop understanding each other: after an upgrade, a supervisor of the old
 * release may start processes of the new one.
 */
export const protocol = 1;
export const orderVariable = "PETSTORE_WORKER";

export interface WorkerOrder {
  readonly protocol: number;
  /** Which of the processes it is, from 0. */
  readonly slot: number;
  /** All listening sockets of the service. */
  readonly sockets: ServiceSockets;
  /** Which of them it accepts on, by their index. */
  readonly accepts: readonly number[];
  readonly salt: string;
  /** False where processes of another release may still be serving: it may need other tables. */
  readonly migrates: boolean;
}

/** Undefined for a process that nobody supervises. */
export function readOrder(variables: NodeJS.ProcessEnv): WorkerOrder | undefined {
  const text = variables[orderVariable];
  return text === undefined ? undefined : (JSON.parse(text) as WorkerOrder);
}
