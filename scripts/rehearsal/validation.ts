/** Whether an account controls a name, by its challenges (RFC 8555, section 8) and its CAA records. */
import { createHash } from "node:crypto";
import { checkCaa } from "../../src/hosting/domains/caa.ts";
import type { DnsAnswer, RecordType, Resolver } from "../../src/hosting/domains/resolver.ts";

export type ChallengeType = "http-01" | "dns-01";

export interface ValidationOptions {
  readonly resolver: Resolver;
  /** The port at which challenges are fetched, where a public authority takes 80. */
  readonly httpPort: number;
  /** By which CAA records permit the authority. */
  readonly caaIdentity: string;
}

interface ToValidate {
  readonly name: string;
  /** Whether it is for all names directly below. */
  readonly wildcard: boolean;
  readonly type: ChallengeType;
  readonly token: string;
  readonly keyAuthorization: string;
}

/** An error of RFC 8555, section 6.7. */
export interface Problem {
  readonly type: string;
  readonly detail: string;
}

export const problem = (type: string, detail: string): Problem => ({
  type: `urn:ietf:params:acme:error:${type}`,
  detail,
});

const fetchMsMax = 5_000;

/** Undefined if it is valid. */
export async function validate(
  asked: ToValidate,
  options: ValidationOptions,
): Promise<Problem | undefined> {
  const { name, wildcard, type } = asked;
  try {
    const { caaIdentity, resolver } = options;
    const caa = await checkCaa(wildcard ? `*.${name}` : name, [caaIdentity], resolver);
    if (caa.kind !== "permitted") return problem("caa", caa.finding.message);
    return await (type === "http-01" ? fetchProof(asked, options) : lookUpProof(asked, resolver));
  } catch (cause) {
    return problem("serverInternal", String(cause));
  }
}

/** http-01, from the address of the name. */
async function fetchProof(
  { name, token, keyAuthorization }: ToValidate,
  { resolver, httpPort }: ValidationOptions,
): Promise<Problem | undefined> {
  // As public authorities do, with IPv6 first.
  const [address] = [
    ...valuesIn(await resolver.lookUp(name, "AAAA"), "AAAA"),
    ...valuesIn(await resolver.lookUp(name, "A"), "A"),
  ];
  if (address === undefined) return problem("dns", `${name} has no address.`);
  // Whatever a record says, nothing of a rehearsal leaves the machine.
  if (address !== "::1" && !address.startsWith("127.")) {
    const detail = `${name} has the address ${address}, and the authority of a rehearsal connects to this machine alone.`;
    return problem("connection", detail);
  }
  const origin = `http://${address.includes(":") ? `[${address}]` : address}:${httpPort}`;
  const where = `${address} port ${httpPort}`;
  const response = await fetch(`${origin}/.well-known/acme-challenge/${token}`, {
    headers: { host: name },
    redirect: "manual",
    signal: AbortSignal.timeout(fetchMsMax),
  }).catch(() => undefined);
  if (response === undefined) return problem("connection", `${name} does not answer at ${where}.`);
  const text = (await response.text()).trimEnd();
  if (response.status === 200 && text === keyAuthorization) return undefined;
  const detail = `${where} answered ${response.status} for ${name}, and not with the challenge.`;
  return problem("unauthorized", detail);
}

/** dns-01. */
async function lookUpProof(
  { name, keyAuthorization }: ToValidate,
  resolver: Resolver,
): Promise<Problem | undefined> {
  const expected = createHash("sha256").update(keyAuthorization).digest("base64url");
  const record = `_acme-challenge.${name}`;
  if (valuesIn(await resolver.lookUp(record, "TXT"), "TXT").includes(expected)) return undefined;
  return problem("unauthorized", `No TXT record of ${record} has the expected value.`);
}

function valuesIn(answer: DnsAnswer, type: RecordType): string[] {
  if (answer.kind === "unreachable") throw new Error(answer.detail);
  const records = answer.kind === "found" ? answer.records : [];
  return records.filter((each) => each.type === type).map(({ value }) => value);
}
