/** The records that an owner is asked to create. The same functions say them and look for them. */
import { isApex, registrableOf } from "./hostName.ts";

export const recordTtlSeconds = 3600;

export interface RecordToCreate {
  readonly type: "CNAME" | "ALIAS" | "TXT";
  /** As providers ask for it, relative to the registered domain: docs, or @ for the apex. */
  readonly name: string;
  /** The whole name, for providers that ask for that. */
  readonly fullName: string;
  readonly value: string;
  readonly ttlSeconds: number;
  readonly note?: string;
}

export function recordFor(host: string, target: string): RecordToCreate {
  const pointing = { fullName: host, value: target, ttlSeconds: recordTtlSeconds };
  if (!isApex(host)) return { type: "CNAME", name: relative(host), ...pointing };
  return {
    type: "ALIAS",
    name: "@",
    ...pointing,
    note: "Some providers call it ANAME, or flatten a CNAME at the apex. If yours has none of them, attach a subdomain such as www instead.",
  };
}

export function proofFor(host: string, token: string): RecordToCreate {
  const fullName = `_petstore-proof.${host}`;
  return {
    type: "TXT",
    name: relative(fullName),
    fullName,
    value: `petstore-proof=${token}`,
    ttlSeconds: recordTtlSeconds,
  };
}

function relative(name: string): string {
  const registrable = registrableOf(name);
  return registrable === undefined ? name : name.slice(0, -registrable.length - 1);
}
