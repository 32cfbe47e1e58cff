/** What a message says about the question: pure, and the same for UDP and TCP. */
import {
  type Absent,
  type DnsAnswer,
  type DnsRecord,
  type Unreachable,
  unreachable,
} from "../domains/resolver.ts";
import { isWithin, type Message, type Question, rcodes } from "./message.ts";

/** An answer and, where it is a plain no, the zone that says so. */
export interface Learnt {
  readonly answer: DnsAnswer;
  readonly zone: string | undefined;
}

export const linksMax = 16;

/** `server` is how the detail names who said it. */
export function learn(message: Message, question: Question, server: string): Learnt {
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

/** The CNAMEs that lead to what was asked for, in their order, whatever order they came in. */
function chainFrom(
  { name, type }: Question,
  records: readonly DnsRecord[],
): DnsRecord[] | { fault: Unreachable } {
  const links: DnsRecord[] = [];
  const met = new Set([name]);
  let at = name;
  for (;;) {
    const here = at;
    const owned = records.filter((record) => record.name === here);
    if (owned.some((record) => record.type === type)) return links;
    const link = owned.find((record) => record.type === "CNAME");
    if (link === undefined) return links;
    links.push(link);
    at = link.value;
    if (met.has(at)) {
      const way = [name, ...links.map(({ value }) => value)].join(" → ");
      return { fault: unreachable("servfail", `The CNAMEs go round in a circle: ${way}.`) };
    }
    if (links.length > linksMax) {
      return { fault: unreachable("servfail", `More than ${linksMax} CNAMEs follow ${name}.`) };
    }
    met.add(at);
  }
}

/** Tells a no from a mere pointer to other servers as RFC 2308, section 2.2, does. */
function absence(message: Message, links: DnsRecord[], last: string, server: string): Learnt {
  const missing = message.rcode === rcodes.NXDOMAIN;
  // A zone speaks only for what is in it.
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
