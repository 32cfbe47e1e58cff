/** Findings for the owner of a domain: a code, the values seen, and the next step. */
import type { Domain } from "./domain.ts";
import { likelyZone, registrableOf } from "./hostName.ts";
import { recordsAt, type View, valuesIn } from "./observation.ts";
import type { Absent, DnsAnswer, Unreachable } from "./resolver.ts";
import type { Expectation } from "./verification.ts";

export const findingCodes = [
  "NXDOMAIN",
  "NO_CNAME",
  "CNAME_MISMATCH",
  "CNAME_SUFFIXED",
  "CNAME_CHAINED",
  "CNAME_LOOP",
  "CONFLICTING_A",
  "CONFLICTING_AAAA",
  "APEX_NEEDS_ALIAS",
  "ALIAS_STALE",
  "NS_DISAGREE",
  "STALE_CACHE",
  "LAME_NS",
  "SERVFAIL",
  "DNSSEC_BROKEN",
  "WILDCARD_MATCH",
  "PROXIED",
  "PROOF_MISSING",
  "CHALLENGE_MISSING",
  "SWITCH_PENDING",
  "PROVEN_ELSEWHERE",
  "TARGET_UNKNOWN",
  "CAA_BLOCKS",
  "CAA_LOOKUP_FAILED",
  "HTTP_UNREACHABLE",
  "RATE_LIMITED",
  "OWN_LIMIT",
  "CA_REFUSED",
  "CA_UNAVAILABLE",
  "AUTHORIZATION_FAILED",
  "PROPAGATION_OVERDUE",
  "CERTIFICATE_OVERDUE",
  "SUSPENDED",
  "DANGLING",
] as const;
export type FindingCode = (typeof findingCodes)[number];

export interface Finding {
  readonly code: FindingCode;
  /** What happened and why, in a sentence or two. */
  readonly message: string;
  /** What the owner can do; undefined if only waiting helps. */
  readonly next?: string;
  /** The records or values found, as in a zone file. */
  readonly found?: readonly string[];
  readonly expected?: readonly string[];
  /** The name servers that returned it. */
  readonly at?: readonly string[];
  /** How long caches may still return it, from when it was found. */
  readonly seconds?: number;
  /** When the next attempt is made at the earliest. */
  readonly untilMs?: number;
}

const recordTtlSeconds = 3600;

/** A record that an owner has to create. The same functions display it and check it. */
export interface RecordToCreate {
  readonly type: "CNAME" | "ALIAS" | "TXT";
  /** Relative to the zone, as most providers expect it: docs, or @ for its apex. */
  readonly name: string;
  /** The full name, for providers that expect it. */
  readonly fullName: string;
  readonly value: string;
  readonly ttlSeconds: number;
  readonly note?: string;
}

/** The apex of a zone has other records, so it cannot have a CNAME (RFC 1034, section 3.6.2). */
export function recordFor(
  host: string,
  target: string,
  zone: string = likelyZone(host),
): RecordToCreate {
  const name = relative(host, zone);
  const pointing = { name, fullName: host, value: target, ttlSeconds: recordTtlSeconds };
  if (host !== zone) return { type: "CNAME", ...pointing };
  return {
    type: "ALIAS",
    ...pointing,
    note: "Some providers call it ANAME, or flatten a CNAME at the apex. If yours has none of them, attach a subdomain such as www instead.",
  };
}

/** It names the target, which no other domain has. */
export function proofFor(
  host: string,
  target: string,
  zone: string = likelyZone(host),
): RecordToCreate {
  const fullName = `_petstore-proof.${host}`;
  return {
    type: "TXT",
    name: relative(fullName, zone),
    fullName,
    value: `petstore-proof=${target}`,
    ttlSeconds: recordTtlSeconds,
  };
}

export function relative(name: string, zone: string): string {
  if (name === zone) return "@";
  return name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name;
}

/** `answeredBy` is the zone of the negative answer; empty for the root. */
export function missing(
  absent: Absent,
  { host, target }: Pick<Expectation, "host" | "target">,
  { apex, answeredBy }: { readonly apex: boolean; readonly answeredBy: string },
): Finding {
  const remembered = absent.rememberedSeconds;
  const type = apex ? "ALIAS" : "CNAME";
  const registrable = registrableOf(host) ?? host;
  const unregistered =
    absent.reason === "nxdomain" && (answeredBy === "" || registrable.endsWith(`.${answeredBy}`));
  const code = absent.reason === "nxdomain" ? "NXDOMAIN" : apex ? "APEX_NEEDS_ALIAS" : "NO_CNAME";
  return {
    code,
    message: unregistered
      ? `${registrable} itself is not in DNS: it is not registered, or has no name servers yet.`
      : absent.reason === "nxdomain"
        ? `There is no such name as ${host} in DNS.`
        : `${host} has no ${type} record.`,
    next: unregistered
      ? `Check the spelling of ${registrable}, and its registration.`
      : `Create the ${type} record at your DNS provider, with the value ${target}.`,
    expected: [`${type} ${target}`],
    ...(remembered === undefined ? {} : { seconds: remembered }),
  };
}

export function aliasNeeded(view: View, host: string, target: string, found: string[]): Finding {
  return {
    code: "APEX_NEEDS_ALIAS",
    message:
      found.length > 0
        ? `${host} has ${found.join(" and ")}, but a name at the top of a zone cannot have a CNAME.`
        : `${host} has no address.`,
    next: `Create an ALIAS or ANAME record to ${target}. If your DNS provider has neither, attach a subdomain such as www.${host} instead.`,
    found,
    expected: [`ALIAS ${target}`],
    ...longestOf([view.cname, view.a, view.aaaa]),
  };
}

export const withoutDot = (sentence: string) => sentence.replace(/\.$/, "");

export function silent({ reason, detail }: Unreachable, at: readonly string[]): Finding {
  const sentence = withoutDot(detail);
  if (reason === "lame" || reason === "forbidden_address") {
    return {
      code: "LAME_NS",
      message: `A name server of this zone does not answer for it: ${sentence}.`,
      next: "Correct the NS records at your registrar, or ask your DNS provider.",
      at,
    };
  }
  if (reason === "bogus") {
    return {
      code: "DNSSEC_BROKEN",
      message: `DNSSEC is broken: ${sentence}. Certificate authorities and many visitors reject every answer of this zone.`,
      next: "Compare the DS record at your registrar with the key of your DNS provider: correct it, or delete it if that provider does not sign the zone.",
      at,
    };
  }
  return {
    code: "SERVFAIL",
    message: `DNS returned no usable answer: ${sentence}. This says nothing about your records; we will retry.`,
    at,
  };
}

/** For the operator, about a name of the platform itself. */
export function withoutAddress(host: string): Finding {
  return {
    code: "NXDOMAIN",
    message: `${host} has no address in DNS.`,
    next: `Create an A or AAAA record for ${host} with the address of this machine.`,
  };
}

export function wildcardMatch(view: View, host: string, target: string): Finding {
  const parent = host.slice(host.indexOf(".") + 1);
  return {
    code: "WILDCARD_MATCH",
    message: `${host} has no record of its own: the wildcard *.${parent} answers for it.`,
    next: `Create the CNAME for ${host} itself. The wildcard may stay.`,
    found: recordsAt(view, host),
    expected: [`CNAME ${target}`],
  };
}

export function proofMissing(
  { fullName, value }: Pick<RecordToCreate, "fullName" | "value">,
  answers: readonly DnsAnswer[],
): Finding {
  const found = answers.flatMap((answer) => valuesIn(answer, "TXT")).map((text) => `TXT ${text}`);
  return {
    code: "PROOF_MISSING",
    message: `The addresses of an apex do not show whose it is, so we need a proof that it is yours: a TXT record at ${fullName}.`,
    next: `Create the TXT record ${fullName} with the value ${value}.`,
    found: [...new Set(found)],
    expected: [`TXT ${value}`],
  };
}

export const propagationOverdue: Finding = {
  code: "PROPAGATION_OVERDUE",
  message: "DNS is not right after 48 hours, which is longer than any change takes.",
  next: "Compare the record at your DNS provider with the one shown, character by character.",
};

export function challengeMissing(about: {
  readonly host: string;
  readonly name: string;
  readonly type: "TXT" | "CNAME";
  readonly value: string;
  readonly found: readonly string[];
}): Finding {
  const { host, name, type, value, found } = about;
  return {
    code: "CHALLENGE_MISSING",
    message:
      found.length === 0
        ? `There is no ${type} record at ${name} yet, by which the certificate authority validates ${host}.`
        : `The ${type} record at ${name}, by which the certificate authority validates ${host}, has another value.`,
    next: `Create the ${type} record ${name} with the value ${value}.`,
    found: found.map((each) => `${type} ${each}`),
    expected: [`${type} ${value}`],
  };
}

/** From what was found instead of the record that points here. */
export function switchPending(
  { host, proxied }: Pick<Domain, "host" | "proxied">,
  instead: readonly Finding[],
): Finding {
  const found = [...new Set(instead.flatMap((finding) => finding.found ?? []))];
  const [expected] = instead.flatMap((finding) => finding.expected ?? []);
  return {
    code: "SWITCH_PENDING",
    message: `The certificate of ${host} is ready: whoever reaches us is served. DNS ${proxied ? "has no record of it yet" : "still points elsewhere"}.`,
    next: proxied
      ? `Create the record that is shown, with the proxy on.`
      : `Switch now: replace the records of ${host} by ${expected ?? "the one that is shown"}.`,
    found,
    ...(expected === undefined ? {} : { expected: [expected] }),
  };
}

export function targetUnknown(target: string): Finding {
  return {
    code: "TARGET_UNKNOWN",
    message: `The addresses of ${target} could not be looked up, so yours could not be compared. This is a fault on our side; we will retry.`,
  };
}

export function disagreement(
  rights: readonly { at: string }[],
  wrongs: readonly { at: string }[],
): Finding {
  return {
    code: "NS_DISAGREE",
    message: `Your name servers disagree: ${rights.map(({ at }) => at).join(", ")} has the expected record, ${wrongs.map(({ at }) => at).join(", ")} does not.`,
    next: "If you just changed it, wait until all of them have it. Otherwise, ask your DNS provider why they differ.",
    at: wrongs.map(({ at }) => at),
  };
}

/** How long caches may keep this answer. */
export function secondsOf(answer: DnsAnswer | undefined): { seconds?: number } {
  if (answer?.kind === "found") {
    return { seconds: Math.max(...answer.records.map(({ ttlSeconds }) => ttlSeconds)) };
  }
  return answer?.kind === "absent" && answer.rememberedSeconds !== undefined
    ? { seconds: answer.rememberedSeconds }
    : {};
}

export function cnameFinding(
  values: readonly string[],
  followed: readonly string[],
  host: string,
  target: string,
  zone: string,
): Finding {
  const finding = (code: FindingCode, message: string, next: string): Finding => {
    const found = values.map((value) => `CNAME ${value}`);
    return { code, message, next, found, expected: [`CNAME ${target}`] };
  };
  const [value = ""] = values;
  // The chain may have been followed from the value of another name server.
  const chain = values.includes(followed[1] ?? "") ? followed : [];
  if (value.startsWith(`${target}.`)) {
    return finding(
      "CNAME_SUFFIXED",
      `The CNAME of ${host} is ${value}: the provider added ${value.slice(target.length + 1)} to the value.`,
      value === `${target}.${zone}`
        ? `End the value with a dot: ${target}.`
        : `Change the value to ${target}, with a trailing dot if the provider requires one.`,
    );
  }
  const pointDirectly = `Point ${host} directly to ${target}.`;
  if (chain.length > 1 && chain.indexOf(chain.at(-1) ?? "") < chain.length - 1) {
    const message = `The CNAME of ${host} is a loop: ${chain.join(" to ")}.`;
    return finding("CNAME_LOOP", message, pointDirectly);
  }
  if (chain.at(-1) === target) {
    const message = `The CNAME of ${host} reaches ${target} through ${chain.slice(1, -1).join(" and ")}. The holder of that name could point yours elsewhere.`;
    return finding("CNAME_CHAINED", message, pointDirectly);
  }
  const message = `The CNAME of ${host} is ${values.join(" and ")}, not ${target}.`;
  return finding("CNAME_MISMATCH", message, `Change its value to ${target}.`);
}

/** How long caches may keep any of these answers. */
export function longestOf(answers: readonly (DnsAnswer | undefined)[]): { seconds?: number } {
  const all = answers.flatMap((answer) => secondsOf(answer).seconds ?? []);
  return all.length === 0 ? {} : { seconds: Math.max(...all) };
}
