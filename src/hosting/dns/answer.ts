/** Interprets a response to a question: pure, and the same for UDP and TCP. */
import {
  type Absent,
  type DnsAnswer,
  type DnsRecord,
  type Unreachable,
  unreachable,
} from "../domains/resolver.ts";
import { isWithin, type Message, type Question, rcodes } from "./message.ts";

/** An answer and, if it is negative and without a CNAME, the zone that it comes from. */
export interface LookUpResult {
  readonly answer: DnsAnswer;
  readonly zone: string | undefined;
}

export const linksMax = 16;

/** `server` is the title of the server in the detail. */
export function interpret(message: Message, question: Question, server: string): LookUpResult {
  const fault = faultOf(message, question, server);
  if (fault !== undefined) return { answer: fault, zone: undefined };
  const links = chainFrom(question, message.answers);
  if (!Array.isArray(links)) return { answer: links.fault, zone: undefined };
  const last = links.at(-1)?.value ?? question.name;
  const records = message.answers.filter(
    ({ name, type }) => name === last && type === question.type,
  );
  if (records.length > 0) {
    return { answer: { kind: "found", records: [...links, ...records] }, zone: undefined };
  }
  return absence(message, links, last, server);
}

function faultOf(message: Message, question: Question, server: string): Unreachable | undefined {
  const { rcode } = message;
  if (rcode !== rcodes.NOERROR && rcode !== rcodes.NXDOMAIN) {
    const disowns = rcode === rcodes.REFUSED || rcode === rcodes.NOTAUTH;
    const reason = disowns && !question.recursive ? "lame" : "servfail";
    return unreachable(reason, `${server} answered ${rcodeName(rcode)}.`);
  }
  if (question.recursive && !message.recursionAvailable && !message.authoritative) {
    return unreachable("lame", `${server} does not ask others on our behalf.`);
  }
  if (!question.recursive && !message.authoritative) {
    return unreachable("lame", `${server} answered without authority.`);
  }
  return undefined;
}

/** The chain of CNAMEs from the question, in order, regardless of the order of the records. */
function chainFrom(
  { name, type }: Question,
  records: readonly DnsRecord[],
): DnsRecord[] | { fault: Unreachable } {
  const links: DnsRecord[] = [];
  const visited = new Set([name]);
  let at = name;
  for (;;) {
    const here = at;
    const owned = records.filter((record) => record.name === here);
    if (owned.some((record) => record.type === type)) return links;
    const link = owned.find((record) => record.type === "CNAME");
    if (link === undefined) return links;
    links.push(link);
    at = link.value;
    if (visited.has(at)) {
      const path = [name, ...links.map(({ value }) => value)].join(" → ");
      return { fault: unreachable("servfail", `The CNAME records form a loop: ${path}.`) };
    }
    if (links.length > linksMax) {
      return { fault: unreachable("servfail", `More than ${linksMax} CNAMEs follow ${name}.`) };
    }
    visited.add(at);
  }
}

/** Distinguishes a negative answer from a referral (RFC 2308, section 2.2). */
function absence(message: Message, links: DnsRecord[], last: string, server: string): LookUpResult {
  const missing = message.rcode === rcodes.NXDOMAIN;
  // A zone is authoritative only for names within it.
  const soa =
    message.soa !== undefined && isWithin(last, message.soa.zone) ? message.soa : undefined;
  if (!missing && links.length === 0 && soa === undefined && message.namesServers) {
    const detail = `${server} only names other servers.`;
    return { answer: unreachable("lame", detail), zone: undefined };
  }
  const answer: Absent = {
    kind: "absent",
    reason: missing ? "nxdomain" : "nodata",
    records: links,
    rememberedSeconds: soa?.rememberedSeconds,
  };
  return { answer, zone: links.length === 0 ? soa?.zone : undefined };
}

function rcodeName(rcode: number): string {
  const [name] = Object.entries(rcodes).find(([, each]) => each === rcode) ?? [];
  return name ?? `with code ${rcode}`;
}
