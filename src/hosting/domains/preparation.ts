/** The preconditions of an order, and the findings for a refusal. */
import type { Clock } from "../../core/clock.ts";
import { attemptsOf, budgetFor, orderMsMax } from "./budget.ts";
import { type CaaVerdict, checkCaa } from "./caa.ts";
import {
  type AuthorityRefusal,
  type CertificateAuthority,
  type Challenge,
  type OrderRequest,
  type Reach,
  type RefusalReason,
  refusalOfBoth,
  wildcardBase,
} from "./certificateAuthority.ts";
import { challengeNameOf, challengeValueOf } from "./dnsValidation.ts";
import type { Domain } from "./domain.ts";
import type { DomainStore, Lease } from "./domains.ts";
import { type Edge, type EdgeView, presentEdges } from "./edgeView.ts";
import type { Finding } from "./finding.ts";
import { type OrderFailure, refusedSinceMs } from "./lifecycle.ts";
import type { Resolver } from "./resolver.ts";
import { outageDelayMs } from "./schedule.ts";

/** What an edge serves at the challenge path of a host, requested at the edge's own address. */
export type ProbeOutcome =
  | { readonly kind: "answered"; readonly body: string }
  | { readonly kind: "failed"; readonly detail: string };
export type Probe = (edge: Edge, host: string, token: string) => Promise<ProbeOutcome>;

export interface IssuingContext {
  readonly store: DomainStore;
  readonly edgeView: EdgeView;
  readonly resolver: Resolver;
  readonly authority: CertificateAuthority;
  readonly probe: Probe;
  /** Publishes it as the TXT record of a name. Rejects with the reason if that fails. */
  readonly publishTxt?: ((name: string, value: string) => Promise<void>) | undefined;
  /** Whether our own limits apply, which are below those of a public authority. */
  readonly ownLimits: boolean;
  readonly clock: Clock;
  readonly now: () => number;
  readonly log: Readonly<Record<"info" | "warn" | "error", LogEvent>>;
}

/** `warn`: the operator or the owner has to act. `error`: the service or its store failed. */
type LogEvent = (event: string, fields: Readonly<Record<string, unknown>>) => void;

type Refused = { readonly kind: "refused" } & OrderFailure;
/** `directories`: of the authorities that may take the order. */
type Preparation = { readonly kind: "ready"; readonly directories: readonly string[] } | Refused;

const challengeLifeMs = 3_600_000;

/** The preconditions of an order. One that is resumed was within the budget. */
export async function prepare(
  domain: Domain,
  context: IssuingContext,
  { resume, validation }: Pick<OrderRequest, "resume" | "validation">,
): Promise<Preparation> {
  const { host } = domain;
  if (resume === undefined) {
    const affordable = await withinBudget(domain, context);
    if (affordable.kind === "refused") return affordable;
  }
  const all = await context.authority.reach();
  // A record that the owner created is for the order of one authority.
  const tied =
    validation === "dns-01" ? all.filter((each) => each.directory === resume?.directory) : [];
  const reached = tied.length > 0 ? tied : all;
  const outage = outageIn(reached);
  if (outage !== undefined) return { kind: "refused", ...orderFailureOf(outage, domain, context) };
  const permitted: Reach[] = [];
  let objection: Exclude<CaaVerdict, { kind: "permitted" }> | undefined;
  for (const each of reached) {
    const named = each.caaIdentities;
    const caa =
      named.length > 0 ? await checkCaa(host, named, context.resolver, validation) : undefined;
    if (caa === undefined || caa.kind === "permitted") permitted.push(each);
    else objection ??= caa;
  }
  const refusal = outageIn(permitted);
  if (refusal !== undefined)
    return { kind: "refused", ...orderFailureOf(refusal, domain, context) };
  // One that cannot be reached is included, so that a refusal of the other is not the last word.
  if (permitted.length > 0) {
    return { kind: "ready", directories: permitted.map(({ directory }) => directory) };
  }
  const reason = objection?.kind === "blocked" ? "caa" : "unprepared";
  const findings = objection === undefined ? [] : [objection.finding];
  return { kind: "refused", reason, findings, retryAtMs: undefined };
}

/** Those that CAA records can permit; empty if one of the authorities does not say. */
export function caaIdentitiesOf(reached: readonly Reach[]): readonly string[] {
  const all = reached.map(({ caaIdentities }) => caaIdentities);
  return all.some(({ length }) => length === 0) ? [] : all.flat();
}

/** Why no authority can be reached; undefined if one can. */
export function outageIn(reached: readonly Reach[]): AuthorityRefusal | undefined {
  const refusals = reached.flatMap(({ refusal }) => refusal ?? []);
  if (refusals.length === 0 || refusals.length < reached.length) return undefined;
  return refusals.reduce(refusalOfBoth);
}

/** Why the attempts that exhausted the budget failed: waiting alone would not fix it. */
function failuresOf({ certificate }: Domain): readonly Finding[] {
  const { findings = [] } = certificate.issuance?.refusal ?? {};
  return findings.filter(({ code }) => code === "AUTHORIZATION_FAILED" || code === "CAA_BLOCKS");
}

/** Checked before and after an order is recorded, since others may be recorded concurrently. */
export async function withinBudget(
  domain: Domain,
  context: IssuingContext,
): Promise<{ readonly kind: "ready" } | Refused> {
  if (!context.ownLimits) return { kind: "ready" };
  const { host } = domain;
  const nowMs = context.now();
  const budget = budgetFor(host, await attemptsOf(host, context.store, nowMs), nowMs);
  if (budget.kind === "open") return { kind: "ready" };
  const finding: Finding = {
    code: "OWN_LIMIT",
    message: `Our own limit, which we keep below that of the public certificate authority, is used up: there were ${budget.words}.`,
    next: "Nothing to do: we order as soon as our limit allows it.",
    untilMs: budget.untilMs,
  };
  return {
    kind: "refused",
    reason: "own_limit",
    findings: [finding, ...failuresOf(domain)],
    retryAtMs: budget.untilMs,
  };
}

/** Whether an order for this name is in progress, according to the recorded attempts. */
export async function isOrdered(host: string, { store, now }: IssuingContext): Promise<boolean> {
  const attempts = await attemptsOf(host, store, now());
  const last = attempts.findLast((attempt) => attempt.host === host);
  return last?.kind === "order" && now() - last.atMs < orderMsMax;
}

/** Publishes the response to a challenge to all edges, and checks that they serve it. */
export async function publishChallenge(
  challenge: Challenge,
  lease: Lease,
  context: IssuingContext,
): Promise<void> {
  const { host, token, keyAuthorization } = challenge;
  const nowMs = context.now();
  const expiresAtMs = nowMs + challengeLifeMs;
  const published = await context.store.publishChallenge({ ...challenge, lease, expiresAtMs });
  if (!published) throw new Error("Another worker has taken this domain over.");
  const edges = await presentEdges(context.edgeView, nowMs);
  if (edges.length === 0)
    throw new NotReadyError(
      "No server of ours is running that could respond to the certificate authority.",
    );
  for (const edge of edges) {
    const answer = await context.probe(edge, host, token);
    if (answer.kind === "answered" && answer.body === keyAuthorization) continue;
    const detail = answer.kind === "failed" ? answer.detail : "it answered something else";
    context.log.warn("edge.probe_failed", { host, edge: edge.id, detail });
    throw new NotReadyError("One of our servers does not serve the challenge yet.");
  }
}

/** Publishes it where we can, or makes sure that the owner has. */
export async function publishInDns(
  { host, delegation, dns, certificate, validation }: Domain,
  { keyAuthorization }: Challenge,
  { publishTxt }: IssuingContext,
): Promise<void> {
  const value = challengeValueOf(keyAuthorization);
  if (validation !== undefined && delegation === undefined) {
    const { challenge } = certificate.issuance?.order ?? {};
    if (dns.challenge === "found" && challenge === value) return;
    throw new ChallengeAwaited(value);
  }
  if (publishTxt === undefined) throw new NotReadyError("Updates of DNS are not set up.");
  try {
    await publishTxt(delegation ?? challengeNameOf(wildcardBase(host) ?? host), value);
  } catch (cause) {
    throw new NotReadyError(
      (cause as Error).message,
      "The operator checks PETSTORE_DNS_UPDATE and its key; we will retry.",
    );
  }
}

/** The owner has to create the TXT record first; empty if the owner has to prove the name instead. */
export class ChallengeAwaited extends Error {
  readonly value: string;

  constructor(value: string) {
    super("The record of the challenge is not there yet.");
    this.name = "ChallengeAwaited";
    this.value = value;
  }
}

/** Our own side is not ready, so validation is not requested. */
export class NotReadyError extends Error {
  readonly finding: Finding;

  constructor(detail: string, next?: string) {
    super(detail);
    this.name = "NotReadyError";
    this.finding = {
      code: "HTTP_UNREACHABLE",
      message: detail,
      ...(next === undefined ? {} : { next }),
    };
  }
}

/** Why there is no certificate, for the owner. */
export function orderFailureOf(
  { reason, detail, retryAtMs }: AuthorityRefusal,
  domain: Domain,
  { now, clock }: Pick<IssuingContext, "now" | "clock">,
): OrderFailure {
  if (reason !== "unavailable") {
    return { reason, retryAtMs, findings: [findingOf(reason, detail, retryAtMs)] };
  }
  const nowMs = now();
  const [chance = 0] = clock.random(1);
  const untilMs = nowMs + outageDelayMs(chance / 256);
  const sinceMs = refusedSinceMs(domain, reason) ?? nowMs;
  const since = new Date(sinceMs).toISOString().slice(0, 16).replace("T", " ");
  const finding: Finding = {
    code: "CA_UNAVAILABLE",
    message: `The certificate authority has been unavailable since ${since} UTC: ${detail}`,
    next: "Nothing to do: we retry every one to two minutes.",
    untilMs,
  };
  return { reason, retryAtMs: untilMs, findings: [finding] };
}

function findingOf(
  reason: Exclude<RefusalReason, "unavailable">,
  detail: string,
  untilMs: number | undefined,
): Finding {
  const until = untilMs === undefined ? {} : { untilMs };
  switch (reason) {
    case "caa":
      return {
        code: "CAA_BLOCKS",
        message: `The certificate authority refused because of a CAA record: ${detail}`,
        next: "Change the CAA records of your domain to permit the authority, then re-verify.",
      };
    case "rate_limited":
      return {
        code: "RATE_LIMITED",
        message: `The certificate authority asks to wait: ${detail}`,
        next: "Nothing to do: we retry as soon as it is allowed.",
        ...until,
      };
    case "policy":
      return {
        code: "CA_REFUSED",
        message: `The certificate authority will not issue for this name: ${detail}`,
        next: "Use another name. The operator of the service can ask the authority for the reason.",
      };
    default:
      return {
        code: "AUTHORIZATION_FAILED",
        message: `The certificate authority could not confirm the name: ${detail}`,
        next: "Make sure that the name reaches us from everywhere, without a proxy in between, then re-verify.",
      };
  }
}
