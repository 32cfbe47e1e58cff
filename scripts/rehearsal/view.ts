/** What the screen of a rehearsal shows. */
import type { ZoneRecord } from "./zones.ts";

/** Beside the domains of the project, which come from the service itself. */
export interface RehearsalView {
  readonly zone: string;
  /** The name to attach. */
  readonly host: string;
  readonly project: string;
  /** With which the result can be looked at. */
  readonly commands: Commands;
  readonly records: readonly ZoneRecord[];
}

export interface Commands {
  readonly curl: string;
  readonly chromium: string;
}

/** How far a visit to a site came. */
export interface Visit {
  readonly url: string;
  /** From the name to an address, one record a line. */
  readonly records: readonly string[];
  readonly certificate?: { readonly issuer: string; readonly validUntilMs: number };
  readonly response?: { readonly status: number; readonly title: string };
  /** Why it ended early. */
  readonly failure?: string;
}
