/** What workers saw of DNS, judged by other rules than theirs, so that both can be compared. */
import type { DnsAnswer, DnsRecord } from "../../src/hosting/domains/resolver.ts";
import { isTarget } from "./zones.ts";

/** Longer than one question takes, shorter than the time between two looks. */
const lookMs = 12_000;
const weights = ["unknown", "absent", "permitted", "blocked"];
type CaaSeen = "absent" | "permitted" | "blocked" | "unknown";

interface ServerLook {
  readonly silent: boolean;
  readonly names: readonly string[];
  readonly addresses: readonly string[];
  readonly asked: readonly string[];
}

const nothingYet: ServerLook = { silent: false, names: [], addresses: [], asked: [] };

export class Sightings {
  readonly #addresses: readonly string[];
  readonly #authority: string;
  readonly #now: () => number;
  readonly #looks = new Map<string, Map<string, ServerLook>>();
  readonly #rightAtMs = new Map<string, number>();
  /** What the recursor was last seen to point each name to. */
  readonly #byRecursor = new Map<string, string>();
  readonly #caa = new Map<string, { atMs: number; verdict: CaaSeen }>();
  readonly #texts = new Map<string, number>();

  constructor(addresses: readonly string[], authority: string, now: () => number) {
    this.#addresses = addresses;
    this.#authority = authority;
    this.#now = now;
  }

  begin(host: string): void {
    this.#looks.set(host, new Map());
    this.#byRecursor.delete(host);
  }

  asked(server: string, name: string, type: string, answer: DnsAnswer): void {
    if (type === "CAA") this.#askedCaa(name, answer);
    else if (type === "TXT") this.#sawTexts(name, answer);
    else this.#sawPointing(server, name, type, answer);
  }

  lookedUp(name: string, answer: DnsAnswer): void {
    const look = seen(nothingYet, name, "", answer);
    if (look.names.length > 0 || look.addresses.length > 0) {
      this.#byRecursor.set(name, this.#judge(look, name));
    }
    this.#settle(name);
  }

  #sawPointing(server: string, name: string, type: string, answer: DnsAnswer): void {
    const looks = this.#looks.get(name);
    looks?.set(server, seen(looks.get(server) ?? nothingYet, name, type, answer));
    this.#settle(name);
  }

  #settle(name: string): void {
    const seen = this.#byRecursor.get(name);
    if (!seen?.startsWith("to ")) return;
    const verdicts = [...(this.#looks.get(name)?.values() ?? [])].map((look) =>
      this.#judge(look, name),
    );
    const heard = verdicts.filter((each) => each !== "silent");
    if (heard.length > 0 && heard.every((each) => each === seen)) {
      this.#rightAtMs.set(`${name} ${seen}`, this.#now());
    }
  }

  /** `to` and a target, or nothing more where addresses are ours; `wrong`; or `silent`. */
  #judge({ silent, names, addresses, asked }: ServerLook, name: string): string {
    const [first = ""] = names;
    if (first !== "") {
      return isTarget(first) && names.every((each) => each === first) ? `to ${first}` : "wrong";
    }
    const apex = name.split(".").length === 2;
    if (!apex && (asked.includes("CNAME") || addresses.length > 0)) return "wrong";
    if (silent) return "silent";
    const ours = addresses.every((each) => this.#addresses.includes(each));
    if (addresses.length > 0) return ours ? "to " : "wrong";
    return asked.length === 3 ? "wrong" : "silent";
  }

  #askedCaa(name: string, answer: DnsAnswer): void {
    if (answer.kind === "unreachable") {
      this.#sawCaa(name, "unknown");
      return;
    }
    const records: readonly DnsRecord[] =
      answer.kind === "found" ? answer.records.filter(({ type }) => type === "CAA") : [];
    if (records.length === 0) {
      this.#sawCaa(name, "absent");
      return;
    }
    const permitted = records.some(
      ({ value, caa }) => caa?.tag === "issue" && value === this.#authority,
    );
    this.#sawCaa(name, permitted ? "permitted" : "blocked");
  }

  /** All name servers are asked at once: who forbids is heard before who permits, and silence last. */
  #sawCaa(name: string, verdict: CaaSeen): void {
    const before = this.#caa.get(name);
    const atMs = this.#now();
    const sameLook = before !== undefined && atMs - before.atMs < lookMs;
    const outdone = sameLook && weights.indexOf(before.verdict) > weights.indexOf(verdict);
    if (!outdone) this.#caa.set(name, { atMs, verdict });
  }

  #sawTexts(name: string, answer: DnsAnswer): void {
    if (answer.kind !== "found") return;
    for (const { value } of answer.records) this.#texts.set(`${name} ${value}`, this.#now());
  }

  /** When the whole of DNS was last seen to be right for a target; undefined for never. */
  rightAtMs({ host, target }: { host: string; target: string }): number | undefined {
    const apex = host.split(".").length === 2;
    return this.#rightAtMs.get(`${host} to ${apex ? "" : target}`);
  }

  textAtMs(name: string, value: string): number | undefined {
    return this.#texts.get(`${name} ${value}`);
  }

  /** What the last climb from a host said of CAA; undefined where nobody asked. */
  caaOf(names: readonly string[]): CaaSeen | undefined {
    let last: CaaSeen | undefined;
    for (const name of names) {
      last = this.#caa.get(name)?.verdict;
      if (last !== "absent") break;
    }
    return last;
  }
}

function seen(look: ServerLook, name: string, type: string, answer: DnsAnswer): ServerLook {
  if (answer.kind === "unreachable") return { ...look, silent: true };
  const at = answer.kind === "found" ? answer.records.filter((each) => each.name === name) : [];
  const values = (types: readonly string[]) =>
    at.filter((each) => types.includes(each.type)).map(({ value }) => value);
  return {
    silent: look.silent,
    names: [...look.names, ...values(["CNAME"])],
    addresses: [...look.addresses, ...values(["A", "AAAA"])],
    asked: type === "" ? look.asked : [...look.asked, type],
  };
}
