/** What the edges need of the domains: who answers for a host, with which certificate. */
import type { MaybePromise } from "../../core/maybePromise.ts";
import type { StoredCertificate } from "./domains.ts";
import type { Redirect } from "./routing.ts";
import { edgeSilentMaxMs } from "./schedule.ts";

export type Route =
  | {
      readonly kind: "site";
      readonly project: string;
      /** The deployment that is shown. */
      readonly deployment: string;
      /** The address is that of one deployment, which no search engine is to keep. */
      readonly preview?: true;
      /** The project's primary domain, which is announced as canonical. */
      readonly primary: string | undefined;
    }
  | ({ readonly kind: "redirect" } & Pick<Redirect, "to" | "status">);

/** Its id is never used for another certificate: a context made for an id stays right. */
export type ServedCertificate = Pick<StoredCertificate, "id" | "host" | "chainPem" | "sealedKey">;

/** One process that answers for attached hosts. */
export interface Edge {
  readonly id: string;
  /** Where the other processes reach its HTTP listener. */
  readonly address: string;
  readonly httpPort: number;
  /** The state of the domains that it has acted on: connections of what was removed are closed. */
  readonly revision: number;
  readonly seenAtMs: number;
}

/** One that was seen in the future was seen before the clock was set back, and may be gone. */
export async function presentEdges(
  view: Pick<EdgeView, "edges">,
  nowMs: number,
): Promise<readonly Edge[]> {
  const seen = await view.edges(nowMs - edgeSilentMaxMs);
  return seen.filter(({ seenAtMs }) => Math.abs(nowMs - seenAtMs) <= edgeSilentMaxMs);
}

/** Hosts are lower-case ASCII without port and final dot; each look-up is exact. */
export interface EdgeView {
  /**
   * Undefined unless the host is attached, was verified, has a certificate, its owner's plan is
   * paid and its project is deployed: all of it as it is now.
   */
  route(host: string): MaybePromise<Route | undefined>;
  /** For as long as the name is held, so that visitors can be told that there is nothing to see now. */
  certificate(host: string): MaybePromise<ServedCertificate | undefined>;
  /** The key authorization to answer with, by whichever worker it was published. */
  challenge(host: string, token: string, nowMs: number): MaybePromise<string | undefined>;
  /** A number that grows with every change to what is served, by any process. Cheap. */
  revision(): MaybePromise<number>;
  /** The same, where it can be known at once and without a query. */
  revisionNow?(): number;
  reportEdge(edge: Edge): Promise<void>;
  /** The edges that were seen since an instant. */
  edges(sinceMs: number): MaybePromise<readonly Edge[]>;
  /** For an edge that stops. */
  forgetEdge(id: string): Promise<void>;
}
