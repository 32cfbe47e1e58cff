/** Whether CAA records permit an authority to issue for a host (RFC 8659). */
import { usualValidation, type Validation, wildcardBase } from "./certificateAuthority.ts";
import { type Finding, silent, withoutDot } from "./finding.ts";
import { registrableOf, withParents } from "./hostName.ts";
import {
  type DnsAnswer,
  type DnsRecord,
  type NameServers,
  type Resolver,
  unreachable,
} from "./resolver.ts";

export type CaaVerdict =
  | { readonly kind: "permitted" }
  | { readonly kind: "blocked"; readonly finding: Finding }
  | { readonly kind: "unknown"; readonly finding: Finding };

const knownTags = [
  "issue",
  "issuewild",
  "iodef",
  "issuemail",
  "issuevmc",
  "contactemail",
  "contactphone",
];
const linksMax = 8;

/**
 * Climbs from the host to the first name that has CAA records. Queries the authoritative servers, as
 * the authority does: a record that was just fixed must not be evaluated from a cache.
 */
export async function checkCaa(
  host: string,
  identities: readonly string[],
  resolver: Resolver,
  validation: Validation = usualValidation(host),
): Promise<CaaVerdict> {
  const registrable = registrableOf(host) ?? host;
  let zone: NameServers | undefined;
  for (const name of withParents(wildcardBase(host) ?? host)) {
    const zoneHolds =
      zone?.kind === "found" && (name === zone.zone || name.endsWith(`.${zone.zone}`));
    if (!zoneHolds) zone = await resolver.nameServers(name);
    const answers = await caaAt(name, zone as NameServers, resolver, linksMax);
    const verdict = judgeAnswers(name, answers, identities, { host, validation });
    if (verdict !== undefined) return verdict;
    // Above the registrable domain CAA records are rare, and the authority checks them anyway.
    const ours = name === registrable || name.endsWith(`.${registrable}`);
    const silence = answers.every(({ kind }) => kind === "unreachable") ? answers[0] : undefined;
    if (silence?.kind === "unreachable" && ours) {
      if (silence.reason === "bogus") return { kind: "unknown", finding: silent(silence, []) };
      const finding: Finding = {
        code: "CAA_LOOKUP_FAILED",
        message: `The CAA records of ${name} could not be looked up: ${withoutDot(silence.detail)}. No authority issues without that answer.`,
        next: "Nothing to do: it is retried. If it persists, ask your DNS provider why its name servers fail on CAA queries.",
      };
      return { kind: "unknown", finding };
    }
  }
  return { kind: "permitted" };
}

/**
 * Undefined if no name server has records. If they differ, one that forbids is enough: the authority
 * may query that one.
 */
interface Wanted {
  readonly host: string;
  readonly validation: Validation;
}

function judgeAnswers(
  name: string,
  answers: readonly DnsAnswer[],
  identities: readonly string[],
  wanted: Wanted,
): CaaVerdict | undefined {
  const verdicts = answers.flatMap((answer) =>
    answer.kind === "found" ? [judgeRecords(name, answer.records, identities, wanted)] : [],
  );
  return verdicts.find(({ kind }) => kind === "blocked") ?? verdicts[0];
}

/** The answer of each name server for the CAA records of a name, or of its CNAME's target. */
async function caaAt(
  name: string,
  zone: NameServers,
  resolver: Resolver,
  links: number,
): Promise<readonly DnsAnswer[]> {
  if (zone.kind !== "found") return [zone];
  const answers = await Promise.all(
    zone.servers.map((server) => resolver.ask(server, name, "CAA")),
  );
  const leadsTo = answers
    .flatMap((answer) => (answer.kind === "absent" ? answer.records : []))
    .findLast(({ type }) => type === "CNAME")?.value;
  if (leadsTo === undefined)
    return answers.length > 0 ? answers : [unreachable("lame", `${zone.zone} has no name server`)];
  if (links === 0) return [unreachable("lame", `too many CNAMEs at ${name}`)];
  const beyond = await caaAt(leadsTo, await resolver.nameServers(leadsTo), resolver, links - 1);
  return [...answers.filter(({ kind }) => kind === "found"), ...beyond];
}

function judgeRecords(
  name: string,
  answered: readonly DnsRecord[],
  identities: readonly string[],
  { host, validation }: Wanted,
): CaaVerdict {
  const records = answered.filter(({ type }) => type === "CAA");
  const found = records.map(
    ({ name: owner, caa, value }) =>
      `${owner} CAA ${caa?.critical ? 128 : 0} ${caa?.tag} "${value}"`,
  );
  const owner = records[0]?.name ?? name;
  // For a wildcard, "issuewild" takes precedence over "issue" (RFC 8659, section 4.3).
  const forWildcards = records.some(({ caa }) => caa?.tag === "issuewild");
  const tag = wildcardBase(host) !== undefined && forWildcards ? "issuewild" : "issue";
  const permitting = `CAA 0 ${tag} "${identities[0] ?? ""}"`;
  const blocked = (message: string, next: string): CaaVerdict => {
    const expected = [`${owner} ${permitting}`];
    return { kind: "blocked", finding: { code: "CAA_BLOCKS", message, next, found, expected } };
  };
  const unknownTag = records.find(
    ({ caa }) => caa?.critical === true && !knownTags.includes(caa.tag),
  );
  if (unknownTag !== undefined) {
    return blocked(
      `The CAA record of ${owner} with the tag "${unknownTag.caa?.tag}" is marked as critical, and no authority may issue past one that it does not know.`,
      "Remove that record, or its critical flag (use 0 in place of 128).",
    );
  }
  // Without any, every authority may issue.
  const issue = records.filter(({ caa }) => caa?.tag === tag);
  if (issue.length === 0 || issue.some(({ value }) => permits(value, identities, validation)))
    return { kind: "permitted" };
  return blocked(
    `The CAA records of ${owner} do not let our certificate authority issue for ${host}.`,
    `Add this record at ${owner}: ${permitting}. Then re-verify.`,
  );
}

/** `ca.example; validationmethods=http-01` permits that authority with these methods (RFC 8657). */
function permits(value: string, identities: readonly string[], wanted: string): boolean {
  const [issuer = "", ...parameters] = value.split(";").map((part) => part.trim());
  if (!identities.includes(issuer.toLowerCase())) return false;
  const methods = parameters
    .map((parameter) => /^validationmethods\s*=\s*(.*)$/i.exec(parameter)?.[1])
    .find((list) => list !== undefined);
  return methods === undefined || methods.split(",").some((method) => method.trim() === wanted);
}
