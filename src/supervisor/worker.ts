/** One process of the service, as its supervisor sees it. */
import type { RecentStep } from "../http/dashboardApi/recent.ts";
import type { Family } from "../http/metricsText.ts";

export interface Worker {
  readonly pid: number | undefined;
  /** Resolves once it accepts connections; rejects with the reason why it never will. */
  readonly started: Promise<void>;
  /** Resolves when it has ended, with how. Never rejects. */
  readonly ended: Promise<Ending>;
  families(): Promise<readonly Family[]>;
  recent(): Promise<readonly RecentStep[]>;
  /** Accepts on the sockets at these indexes too. */
  accept(indexes: readonly number[]): Promise<void>;
  /** Accepts no more, finishes what is under way and ends. Others go on where it is `replaced`. */
  stop(how: { readonly replaced: boolean }): void;
  kill(): void;
}

export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  /** What it had counted, where it could still say so. */
  readonly families?: readonly Family[] | undefined;
  readonly recent?: readonly RecentStep[] | undefined;
}
