/** Evaluates the DNS answers of a host: right, wrong or unknown, with findings for the owner. */

import type { Finding, RecordToCreate } from "./finding.ts";
import {
  aliasNeeded,
  cnameFinding,
  disagreement,
  longestOf,
  missing,
  proofMissing,
  secondsOf,
  silent,
  targetUnknown,
  wildcardMatch,
  withoutAddress,
} from "./finding.ts";
import { isBehindProxy, type Observation, recordsAt, type View, valuesIn } from "./observation.ts";
import { type DnsAnswer, unreachable } from "./resolver.ts";

export interface Verdict {
  /** `unknown` without a definite answer, or while caches may be stale. */
  readonly kind: "right" | "wrong" | "unknown";
  readonly findings: readonly Finding[];
  /** The apex of the zone of the name; undefined if DNS did not tell it. */
  readonly zone?: string | undefined;
  /** Whether the TXT record that proves ownership was found. */
  readonly proven?: true;
  /** Of a domain that is validated by DNS: it points here. */
  readonly pointing?: true;
  /** How it can be validated by DNS. */
  readonly challenge?: "delegated" | "found" | "unproven";
}

export interface Expectation {
  readonly host: string;
  readonly target: string;
  /**
   * The TXT record that proves ownership where the target does not, until it was shown. An apex has
   * only addresses, which are the same for all domains.
   */
  readonly proof: Pick<RecordToCreate, "fullName" | "value"> | undefined;
}

type Judged = Omit<Verdict, "zone">;

export function verify(observation: Observation, expected: Expectation): Verdict {
  const { nameServers, zone } = observation;
  return { ...judge(observation, expected), ...(nameServers.kind === "found" ? { zone } : {}) };
}

function judge(observation: Observation, expected: Expectation): Judged {
  const { proofs, zone } = observation;
  const { host, proof } = expected;
  const pointing = judgePointing(observation, expected);
  if (proof === undefined) return pointing;
  if (isProven(proofs, proof.value)) return { ...pointing, proven: true };
  if (zone !== host) return pointing;
  const findings = [proofMissing(proof, proofs), ...pointing.findings];
  // Without the proof, pointing here is not enough.
  return { kind: pointing.kind === "right" ? "unknown" : pointing.kind, findings };
}

/** Evaluates a name of the platform itself by its public addresses. */
export function verifyOwn(host: string, answers: readonly DnsAnswer[]): Verdict {
  if (answers.some(({ kind }) => kind === "found")) return right;
  const unclear = answers.find((answer) => answer.kind === "unreachable");
  if (unclear !== undefined) return unknown([silent(unclear, [])]);
  return wrong([withoutAddress(host)]);
}

/** At least one name server has it, and none that answers denies it. */
function isProven(answers: readonly DnsAnswer[], wanted: string): boolean {
  const definite = answers.filter(({ kind }) => kind !== "unreachable");
  const has = (answer: DnsAnswer) =>
    answer.kind === "found" &&
    answer.records.some(({ type, value }) => type === "TXT" && value.trim() === wanted);
  return definite.length > 0 && definite.every(has);
}

function judgePointing(observation: Observation, expected: Expectation): Judged {
  const { nameServers, authorities, zone } = observation;
  const apex = zone === expected.host;
  if (nameServers.kind === "unreachable") return unknown([silent(nameServers, [])]);
  if (nameServers.kind === "absent") {
    return wrong([missing(nameServers, expected, { apex, answeredBy: "" })]);
  }
  if (authorities.length === 0) {
    const detail = `${nameServers.zone} has no name server that could be found`;
    return unknown([silent(unreachable("lame", detail), [])]);
  }
  const judged = authorities.map((view) => ({
    at: `${view.server.name} (${view.server.address})`,
    ...(apex
      ? judgeApex(view, observation, expected)
      : judgeSubdomain(view, observation, expected, nameServers.zone)),
  }));
  const of = (kind: Judged["kind"]) => judged.filter((each) => each.kind === kind);
  const unanswered = merge(of("unknown"));
  if (of("right").length === 0 && of("wrong").length === 0) return unknown(unanswered);
  if (of("right").length === 0) return wrong([...merge(of("wrong")), ...unanswered]);
  if (of("wrong").length > 0) {
    return wrong([disagreement(of("right"), of("wrong")), ...merge(of("wrong")), ...unanswered]);
  }
  const seen = judgeRecursor(observation, expected, apex);
  return { kind: seen.kind, findings: [...seen.findings, ...unanswered] };
}

const right: Judged = { kind: "right", findings: [] };
const wrong = (findings: readonly Finding[]): Judged => ({ kind: "wrong", findings });
const unknown = (findings: readonly Finding[]): Judged => ({ kind: "unknown", findings });

/** A subdomain is right if its only record is exactly the CNAME that the owner has to create. */
function judgeSubdomain(
  view: View,
  observation: Pick<Observation, "chain" | "sibling">,
  { host, target }: Pick<Expectation, "host" | "target">,
  zone: string,
): Judged {
  const { cname } = view;
  if (cname.kind === "unreachable") return unknown([silent(cname, [])]);
  const values = valuesIn(cname, "CNAME", host);
  if (values.length === 1 && values[0] === target) return right;
  const wildcard = sameAsSibling(view, observation, host)
    ? [wildcardMatch(view, host, target)]
    : [];
  if (values.length > 0) {
    return wrong([...wildcard, cnameFinding(values, observation.chain, host, target, zone)]);
  }
  const addresses = addressFindings(view, host, target);
  if (addresses.length > 0) return wrong([...wildcard, ...addresses]);
  const silence = [view.a, view.aaaa].find((answer) => answer?.kind === "unreachable");
  // A conflicting record cannot be ruled out, but the CNAME is definitely missing.
  if (cname.kind === "absent")
    return wrong([missing(cname, { host, target }, { apex: false, answeredBy: zone })]);
  return unknown(silence?.kind === "unreachable" ? [silent(silence, [])] : []);
}

const turnProxyOff =
  "Turn the proxy off for this record at your DNS provider, so that it is DNS only. To keep it on, remove the domain here and add it again as one behind a proxy.";

function addressFindings(view: View, host: string, target: string): Finding[] {
  const a = valuesIn(view.a, "A", host);
  const aaaa = valuesIn(view.aaaa, "AAAA", host);
  const all = [...a, ...aaaa];
  const expected = [`CNAME ${target}`];
  if (all.length > 0 && all.every(isBehindProxy)) {
    return [
      {
        code: "PROXIED",
        message: `${host} answers with addresses of a proxy (${all.join(", ")}), which hides the CNAME behind it.`,
        next: turnProxyOff,
        found: [...a.map((each) => `A ${each}`), ...aaaa.map((each) => `AAAA ${each}`)],
        expected,
      },
    ];
  }
  const conflict = (code: "CONFLICTING_A" | "CONFLICTING_AAAA", type: string, found: string[]) => ({
    code,
    message: `${host} has ${type} ${found.join(", ")}, where the CNAME belongs. A name with a CNAME can have no other record.`,
    next: `Delete the ${type} record of ${host}, then create the CNAME.`,
    found: found.map((each) => `${type} ${each}`),
    expected,
    ...secondsOf(type === "A" ? view.a : view.aaaa),
  });
  return [
    ...(a.length > 0 ? [conflict("CONFLICTING_A", "A", a)] : []),
    ...(aaaa.length > 0 ? [conflict("CONFLICTING_AAAA", "AAAA", aaaa)] : []),
  ];
}

/** An apex has no CNAME; it must have addresses, and all of them must be the target's. */
function judgeApex(
  view: View,
  observation: Pick<Observation, "target" | "nameServers">,
  { host, target }: Pick<Expectation, "host" | "target">,
): Judged {
  const { nameServers } = observation;
  const ours = ourAddresses(observation.target);
  if (ours === undefined) return unknown([targetUnknown(target)]);
  const silence = [view.cname, view.a, view.aaaa].find((answer) => answer?.kind === "unreachable");
  if (silence?.kind === "unreachable") return unknown([silent(silence, [])]);
  const found = recordsAt(view, host);
  const addresses = [...valuesIn(view.a, "A", host), ...valuesIn(view.aaaa, "AAAA", host)];
  if (addresses.length === 0) {
    const answeredBy = nameServers.kind === "found" ? nameServers.zone : "";
    const absent = view.cname.kind === "absent" && view.cname.reason === "nxdomain";
    return absent
      ? wrong([missing(view.cname, { host, target }, { apex: true, answeredBy })])
      : wrong([aliasNeeded(view, host, target, found)]);
  }
  const foreign = addresses.filter((address) => !ours.has(address));
  if (foreign.length === 0) return right;
  const proxied = foreign.every(isBehindProxy);
  const some = foreign.length < addresses.length;
  const type = foreign.some((address) => !address.includes(":")) ? "A" : "AAAA";
  return wrong([
    {
      code: proxied
        ? "PROXIED"
        : some
          ? "ALIAS_STALE"
          : type === "A"
            ? "CONFLICTING_A"
            : "CONFLICTING_AAAA",
      message: some
        ? `${host} also answers with ${foreign.join(", ")}, which is not ${target}: some visitors would end up elsewhere.`
        : `${host} answers with ${foreign.join(", ")}, which is not ${target}.`,
      next: proxied
        ? turnProxyOff
        : `Delete the A and AAAA records of ${host}, and create an ALIAS or ANAME record to ${target}.`,
      found,
      expected: [`ALIAS ${target}`],
      ...longestOf([view.a, view.aaaa]),
    },
  ]);
}

function ourAddresses(target: Observation["target"]): Set<string> | undefined {
  if (target === undefined) return undefined;
  const { a, aaaa } = target;
  // With only one family of our addresses, those of the other would look foreign.
  if (a.kind === "unreachable" || aaaa.kind === "unreachable") return undefined;
  const all = [...valuesIn(a, "A"), ...valuesIn(aaaa, "AAAA")];
  return all.length === 0 ? undefined : new Set(all);
}

function judgeRecursor(observation: Observation, expected: Expectation, apex: boolean): Judged {
  const { recursor } = observation;
  const judged = apex
    ? judgeApex(recursor, observation, expected)
    : judgeSubdomain(recursor, { chain: [], sibling: undefined }, expected, "");
  if (judged.kind !== "wrong") return judged;
  const { seconds = 0 } = longestOf([recursor.cname, recursor.a, recursor.aaaa]);
  return unknown([
    {
      code: "STALE_CACHE",
      message: `Your name servers are correct, but resolvers still cache the previous records${seconds > 0 ? `, for at most ${seconds} seconds` : ""}.`,
      found: recordsAt(recursor, expected.host),
      expected: [`${apex ? "ALIAS" : "CNAME"} ${expected.target}`],
      seconds,
    },
  ]);
}

function sameAsSibling(
  view: View,
  { sibling }: Pick<Observation, "sibling">,
  host: string,
): boolean {
  if (sibling === undefined) return false;
  const mine = recordsAt(view, host);
  const answers = [sibling.cname, sibling.a, sibling.aaaa];
  const theirs = answers.flatMap((answer) =>
    answer?.kind === "found" ? answer.records.map(({ type, value }) => `${type} ${value}`) : [],
  );
  return mine.length > 0 && mine.every((record) => theirs.includes(record));
}

/** Merges the same finding of several name servers. */
function merge(judged: readonly (Judged & { readonly at: string })[]): Finding[] {
  const merged = new Map<string, Finding>();
  for (const { at, findings } of judged) {
    for (const finding of findings) {
      const same = `${finding.code} ${finding.found?.join()}`;
      const before = merged.get(same) ?? finding;
      merged.set(same, { ...before, at: [...new Set([...(before.at ?? []), at])] });
    }
  }
  return [...merged.values()];
}
