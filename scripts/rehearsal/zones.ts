/** The zones of the rehearsal in memory, and what an authoritative server says from them. */
import { isIPv4, isIPv6 } from "node:net";
import type { CaaAnswer, SoaAnswer, StringAnswer, TxtAnswer } from "dns-packet";

/**
 * The types that people create. SOA and NS records are part of every zone. An ALIAS is none on the
 * wire: the server answers with the addresses of the name that it leads to.
 */
export const recordTypes = ["A", "AAAA", "ALIAS", "CNAME", "TXT", "CAA"] as const;
export type EditableType = (typeof recordTypes)[number];

/** A record as people read and write it. */
export interface ZoneRecord {
  readonly id: number;
  /** Whole, in lower case, without a final dot. */
  readonly name: string;
  readonly type: EditableType;
  /** `192.0.2.7`, `sites.example.com`, `0 issue "ca.example.com"`. */
  readonly value: string;
}

export type DnsRecord = CaaAnswer | SoaAnswer | StringAnswer | TxtAnswer;

export interface Response {
  readonly rcode: "NOERROR" | "NXDOMAIN";
  readonly answers: readonly DnsRecord[];
  /** Of a negative response: the SOA record of the zone that gives it (RFC 2308, section 2). */
  readonly authorities: readonly DnsRecord[];
}

/** A change that is refused. Its message is for the person who asked for it. */
export class ZoneError extends Error {
  override readonly name = "ZoneError";
}

/** So short that a change is seen at once, as it is in no zone outside a rehearsal. */
const ttlSeconds = 5;
const recordsMax = 200;
const valueLengthMax = 1000;
const linksMax = 16;

/** One zone, its start of authority and name server included. */
export class Zone {
  readonly name: string;
  readonly #server: string;
  #serial = 1;
  #lastId = 0;
  #records: readonly ZoneRecord[] = [];

  /** `address` is that of its only name server. The root of all zones is `.`. */
  constructor(name: string, address: string) {
    this.name = name;
    this.#server = name === "." ? "ns1" : `ns1.${name}`;
    this.add({ name: this.#server, type: "A", value: address });
  }

  /** Without the address of the name server, which is not the owner's to edit. */
  get records(): readonly ZoneRecord[] {
    return this.#records.filter(({ name }) => name !== this.#server);
  }

  /** Throws a `ZoneError` for what is no record, or cannot stand beside the others. */
  add(typed: Readonly<Record<"name" | "type" | "value", string>>): ZoneRecord {
    const type = recordTypes.find((each) => each === typed.type.trim().toUpperCase());
    if (type === undefined) throw new ZoneError(`The type is one of ${recordTypes.join(", ")}.`);
    if (typed.value.length > valueLengthMax) throw new ZoneError("This value is too long.");
    const name = this.#nameIn(typed.name);
    const value = canonicalValue(type, typed.value.trim());
    const beside = this.#records.filter((each) => each.name === name);
    if (beside.some((each) => each.type === type && each.value === value)) {
      throw new ZoneError(`${name} has this record already.`);
    }
    if (type === "CNAME" && name === this.name) {
      throw new ZoneError(
        `${name} is the apex of the zone, where its SOA and NS records are. A CNAME cannot stand beside other records (RFC 1034, section 3.6.2): create an ALIAS instead.`,
      );
    }
    const other = beside.find((each) => clash(type, each.type) || clash(each.type, type));
    if (other !== undefined) {
      const both = type === "CNAME" || other.type === "CNAME" ? "a CNAME" : "an ALIAS";
      throw new ZoneError(
        `${name} has the record ${other.type} ${other.value}, and ${both} cannot stand beside it. Delete that one first.`,
      );
    }
    if (this.#records.length >= recordsMax) {
      throw new ZoneError(`A zone of the rehearsal has at most ${recordsMax} records.`);
    }
    this.#lastId += 1;
    const record = { id: this.#lastId, name, type, value };
    this.#change([...this.#records, record]);
    return record;
  }

  delete(id: number): void {
    const rest = this.#records.filter((each) => each.id !== id || each.name === this.#server);
    if (rest.length === this.#records.length) {
      throw new ZoneError("The zone has no such record. It may have been deleted already.");
    }
    this.#change(rest);
  }

  #change(records: readonly ZoneRecord[]): void {
    this.#records = records;
    this.#serial += 1;
  }

  /** `docs`, `docs.acme.test`, `@` or nothing for the zone itself, `*` for a wildcard. */
  #nameIn(text: string): string {
    const typed = text.trim().toLowerCase().replace(/\.$/, "");
    const isWhole = typed === this.name || typed.endsWith(`.${this.name}`);
    const below = this.name === "." ? "" : `.${this.name}`;
    const name = isWhole ? typed : typed === "" || typed === "@" ? this.name : `${typed}${below}`;
    if (name === this.#server && this.#records.length > 0) {
      throw new ZoneError(`${name} is the name server of the zone.`);
    }
    const labels = name.replace(/^\*\./, "").split(".");
    const isLabel = (label: string) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label);
    if (name.length > 253 || !labels.every(isLabel)) {
      throw new ZoneError(`${text} is no name. Write docs, @ for ${this.name} itself, or *.`);
    }
    return name;
  }

  soa(): DnsRecord {
    const data = {
      mname: this.#server,
      rname: this.name === "." ? "hostmaster" : `hostmaster.${this.name}`,
      serial: this.#serial,
      refresh: 3600,
      retry: 600,
      expire: 86_400,
      minimum: ttlSeconds,
    };
    return { name: this.name, type: "SOA", ttl: ttlSeconds, data };
  }

  /** Where the ALIAS at exactly this name leads to, if there is one. */
  aliasAt(name: string): string | undefined {
    return this.#records.find((each) => each.name === name && each.type === "ALIAS")?.value;
  }

  /** All records at exactly this name. */
  at(name: string): readonly DnsRecord[] {
    const here = this.#records.filter((each) => each.name === name).flatMap(asAnswer);
    if (name !== this.name) return here;
    return [this.soa(), { name, type: "NS", ttl: ttlSeconds, data: this.#server }, ...here];
  }

  /** Whether the name has records, or names below it have (RFC 8020). */
  has(name: string): boolean {
    return (
      name === this.name ||
      this.#records.some((each) => each.name === name || each.name.endsWith(`.${name}`))
    );
  }
}

/** All zones of one server. They begin at a root, so that there is an answer for every name. */
export class Zones {
  readonly #zones: readonly Zone[];

  constructor(zones: readonly Zone[]) {
    this.#zones = zones;
  }

  /**
   * `recursive`: CNAMEs are followed into other zones, as a recursor does. Without `aliases`, an
   * ALIAS has no addresses, so that one that leads to another does not go round in circles.
   */
  answer(question: { name: string; type: string }, recursive: boolean, aliases = true): Response {
    const answers: DnsRecord[] = [];
    let name = question.name.toLowerCase();
    const first = this.#zoneOf(name);
    for (let links = 0; ; links++) {
      const zone = this.#zoneOf(name);
      // The server of one zone knows nothing of the others.
      if (zone !== first && !recursive) return { rcode: "NOERROR", answers, authorities: [] };
      const here = this.#recordsAt(name, zone, aliases);
      if (here === undefined) return { rcode: "NXDOMAIN", answers, authorities: [zone.soa()] };
      const alias = here.find(({ type }) => type === "CNAME");
      const wanted = here.filter(({ type }) => type === question.type || question.type === "ANY");
      if (wanted.length > 0) answers.push(...wanted);
      else if (alias !== undefined) answers.push(alias);
      else return { rcode: "NOERROR", answers, authorities: [zone.soa()] };
      const isLoop = answers.some((each) => each.name === alias?.data) || links > linksMax;
      if (wanted.length > 0 || isLoop) return { rcode: "NOERROR", answers, authorities: [] };
      name = String(alias?.data);
    }
  }

  /** The deepest zone that the name is in. */
  #zoneOf(name: string): Zone {
    const holding = this.#zones
      .filter((zone) => zone.name === "." || name === zone.name || name.endsWith(`.${zone.name}`))
      .toSorted((one, other) => other.name.length - one.name.length);
    const [deepest] = holding;
    if (deepest === undefined) throw new Error(`No zone holds ${name}.`);
    return deepest;
  }

  /** Undefined if the name does not exist; empty if it does, without records. */
  #recordsAt(name: string, zone: Zone, aliases: boolean): readonly DnsRecord[] | undefined {
    const expanded = aliases ? this.#addressesFor(name, zone) : [];
    if (this.#has(name, zone)) return [...zone.at(name), ...expanded];
    // The source of synthesis is the wildcard at the closest encloser (RFC 4592, section 3.3.1).
    for (let above = parentOf(name); above !== undefined; above = parentOf(above)) {
      const wildcard = zone.at(`*.${above}`);
      if (wildcard.length > 0) return wildcard.map((record) => ({ ...record, name }));
      if (this.#has(above, zone)) return undefined;
    }
    return undefined;
  }

  /** What an ALIAS at the name answers with. */
  #addressesFor(name: string, zone: Zone): DnsRecord[] {
    const target = zone.aliasAt(name);
    if (target === undefined) return [];
    return ["A", "AAAA"].flatMap((type) =>
      this.answer({ name: target, type }, true, false)
        .answers.filter((answer) => answer.type === type)
        .map((answer) => ({ ...answer, name })),
    );
  }

  /** A zone's own name exists in the zone above it, too. */
  #has(name: string, zone: Zone): boolean {
    const isAbove = this.#zones.some((each) => each.name.endsWith(`.${name}`));
    return zone.has(name) || (isAbove && zone.name === ".");
  }
}

/** Whether the first cannot stand beside the second. */
function clash(one: EditableType, other: EditableType): boolean {
  return one === "CNAME" || (one === "ALIAS" && ["A", "AAAA", "ALIAS"].includes(other));
}

function parentOf(name: string): string | undefined {
  const dot = name.indexOf(".");
  return dot === -1 ? undefined : name.slice(dot + 1);
}

/** Throws a `ZoneError` that shows what a value of the type looks like. */
function canonicalValue(type: EditableType, text: string): string {
  switch (type) {
    case "A":
      if (isIPv4(text)) return text;
      throw new ZoneError("The value of an A record is an IPv4 address, such as 192.0.2.7.");
    case "AAAA":
      if (isIPv6(text) && !text.includes("%"))
        return new URL(`http://[${text}]`).hostname.slice(1, -1);
      throw new ZoneError("The value of an AAAA record is an IPv6 address, such as 2001:db8::7.");
    case "ALIAS":
    case "CNAME": {
      const name = text.toLowerCase().replace(/\.$/, "");
      if (/^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/.test(name)) return name;
      throw new ZoneError(`The value of this type is a host name, such as sites.example.com.`);
    }
    case "TXT": {
      const inside = /^"(.*)"$/s.exec(text)?.[1] ?? text;
      if (inside !== "") return inside;
      throw new ZoneError("The value of a TXT record is a text.");
    }
    case "CAA": {
      const [, flags, tag = "", quoted, bare] = caaForm.exec(text) ?? [];
      if (Number(flags) <= 255) return `${flags} ${tag.toLowerCase()} "${quoted ?? bare}"`;
      throw new ZoneError(
        'The value of a CAA record is a flag, a tag and a text, such as 0 issue "ca.example.com".',
      );
    }
  }
}

const caaForm = /^(\d{1,3})\s+([a-z0-9]{1,15})\s+(?:"([^"]*)"|([^\s"]+))$/i;
const stringBytesMax = 255;

function asAnswer({ name, type, value }: ZoneRecord): DnsRecord | [] {
  const rest = { name, ttl: ttlSeconds };
  if (type === "ALIAS") return [];
  if (type === "TXT") return { ...rest, type, data: stringsOf(value) };
  if (type !== "CAA") return { ...rest, type, data: value };
  const [, flags, tag = "", text = ""] = caaForm.exec(value) ?? [];
  // The whole value of the flags, of which the library names one.
  return { ...rest, type, data: { flags: Number(flags), tag, value: text } as CaaAnswer["data"] };
}

/** The strings of a TXT record, which are joined by whoever reads it. */
function stringsOf(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const count = Math.ceil(bytes.byteLength / stringBytesMax);
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * stringBytesMax, (index + 1) * stringBytesMax),
  );
}
