/** Several certificate authorities as one: the next one issues what the first cannot. */
import {
  type AuthorityRefusal,
  type CertificateAuthority,
  type OrderOutcome,
  type OrderRequest,
  type Reach,
  type RenewalWindow,
  refusalOfBoth,
} from "../domains/certificateAuthority.ts";
import type { AcmeAuthority } from "./authority.ts";

/** A firewall may let through the first one alone, and drop what is sent to another. */
const fallbackWaitMsMax = 2_000;

export class Authorities implements CertificateAuthority {
  readonly #members: readonly AcmeAuthority[];

  /** The preferred one first. */
  constructor(members: readonly AcmeAuthority[]) {
    this.#members = members;
  }

  /** While the first one can be reached, its orders do not wait for the others. */
  async reach(): Promise<readonly Reach[]> {
    const [first, ...others] = this.#members;
    if (first === undefined) return [];
    const reached = await first.reach();
    const waitMsMax = reached.refusal === undefined ? fallbackWaitMsMax : undefined;
    return [reached, ...(await Promise.all(others.map((other) => other.reach(waitMsMax))))];
  }

  /** Each is tried until one decides, first the one that has the order to resume. */
  async order(request: OrderRequest, directories: readonly string[]): Promise<OrderOutcome> {
    let refusal: AuthorityRefusal | undefined;
    const resuming = ({ directory }: AcmeAuthority) =>
      Number(directory === request.resume?.directory);
    const members = this.#members
      .filter(({ directory }) => directories.includes(directory))
      .toSorted((one, other) => resuming(other) - resuming(one));
    for (const member of members) {
      const outcome = await member.order(request);
      if (outcome.kind === "issued" || isFinal(outcome.refusal, refusal)) return outcome;
      refusal = refusal === undefined ? outcome.refusal : refusalOfBoth(refusal, outcome.refusal);
    }
    const detail = "No certificate authority can take the order.";
    return { kind: "refused", refusal: refusal ?? { ...unavailable, detail } };
  }

  async renewalWindow(renewalName: string, directory: string | undefined): Promise<RenewalWindow> {
    const issuer = this.#members.find((member) => member.directory === directory);
    // Its authority is in the settings no more, or the certificate is older than this record of it.
    const member = issuer ?? this.#members[0];
    return member === undefined ? { kind: "not_offered" } : member.renewalWindow(renewalName);
  }
}

const unavailable = { reason: "unavailable", retryAtMs: undefined } as const;

/** A refusal to serve us at all says nothing of the name, once another authority was tried. */
function isFinal({ reason }: AuthorityRefusal, before: AuthorityRefusal | undefined): boolean {
  if (reason === "unavailable" || reason === "rate_limited") return false;
  return before === undefined || reason !== "policy";
}
