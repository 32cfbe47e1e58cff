/** What those who follow the events of domains know: it must be what is to be seen. */
import {
  type Domain,
  type Standing,
  type Status,
  statusOf,
} from "../../src/hosting/domains/domain.ts";
import { eventsOf, type Milestone } from "../../src/hosting/domains/domainEvents.ts";
import type { Tally } from "./tally.ts";

/** What may have been told last of a domain that shows a status; empty if nothing was told. */
const toldOf: Readonly<Record<Status, readonly string[]>> = {
  pending_dns: ["", "domain.degraded"],
  misconfigured: ["", "domain.degraded"],
  verified: ["domain.verified", "domain.degraded"],
  issuing: ["domain.verified", "domain.degraded"],
  certificate_delayed: ["domain.verified", "domain.degraded"],
  blocked: ["domain.verified", "domain.degraded"],
  prepared: ["domain.verified"],
  live: ["domain.live"],
  renewal_failing: ["domain.live"],
  degraded: ["domain.degraded"],
  suspended: ["", "domain.suspended"],
  abandoned: ["domain.removed"],
  removed: ["domain.removed"],
};

interface Told {
  readonly milestone: Milestone | undefined;
  /** The last event of the domain itself. */
  readonly last: string;
  readonly certificates: number;
}

export class EventBooks {
  readonly #tally: Tally;
  readonly #told = new Map<string, Told>();

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  changed(before: Domain, after: Domain, standing: Standing, nowMs: number): void {
    const known = this.#told.get(after.id) ?? { milestone: undefined, last: "", certificates: 0 };
    const { milestone, events } = eventsOf(
      { milestone: known.milestone, domain: before },
      { domain: after, standing },
      nowMs,
    );
    let { last, certificates } = known;
    for (const { type, resource, data } of events) {
      this.#tally.count(`event: ${type}`);
      if (resource !== `domains/${after.id}` || /sealedKey|keyAuthorization/.test(data)) {
        this.#tally.violated("an event tells of its domain, and no secret", data);
      }
      if (type.startsWith("domain.")) {
        if (type === last || last === "domain.removed") {
          this.#tally.violated(
            "no event is told twice, and none after the end",
            `${last}, ${type}`,
          );
        }
        last = type;
      } else if (type !== "certificate.renewal_failing") {
        if ((type === "certificate.issued") !== (before.certificate.held === undefined)) {
          this.#tally.violated("only a certificate is renewed", `${after.host}: ${type}`);
        }
        certificates++;
      }
    }
    const status = statusOf(after, standing, nowMs);
    if (!toldOf[status].includes(last)) {
      this.#tally.violated("the events of a domain add up to its status", `${last}, ${status}`);
    }
    if (after.certificate.held !== undefined && certificates === 0) {
      this.#tally.violated("every certificate was told", after.host);
    }
    this.#told.set(after.id, { milestone, last, certificates });
  }
}
