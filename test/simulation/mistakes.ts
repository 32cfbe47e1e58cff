/** What owners write into DNS before they get it right. */
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import { type NameData, sitesHost, targetAddresses, type Zones } from "./zones.ts";

const blank: NameData = { cname: undefined, a: undefined, aaaa: undefined };

export function rightRecord(host: string, target: string): NameData {
  return isApexHost(host) ? { ...blank, ...targetAddresses } : { ...blank, cname: target };
}

export const isApexHost = (host: string) => host.split(".").length === 2;

/** Each writes one mistake into the zone of a host. */
export const mistakes: Readonly<
  Record<string, (host: string, zones: Zones, target: string) => void>
> = {
  "an A left over": (host, zones) => zones.write(host, { ...blank, a: ["203.0.113.7"] }),
  "an AAAA left over": (host, zones) => zones.write(host, { ...blank, aaaa: ["2001:db8:ffff::7"] }),
  "behind a proxy": (host, zones) => zones.write(host, { ...blank, a: ["104.16.1.1"] }),
  "another CNAME": (host, zones) =>
    zones.write(host, { ...blank, cname: "sites.elsewhere.example" }),
  "a suffix": (host, zones, target) =>
    zones.write(host, { ...blank, cname: `${target}.${zones.of(host)?.name}` }),
  "a chain": (host, zones, target) => {
    const middle = `hop.${zones.of(host)?.name}`;
    zones.write(middle, { ...blank, cname: target });
    zones.write(host, { ...blank, cname: middle });
  },
  "a loop": (host, zones) => {
    const middle = `round.${zones.of(host)?.name}`;
    zones.write(middle, { ...blank, cname: host });
    zones.write(host, { ...blank, cname: middle });
  },
  "the host of the sites itself": (host, zones) =>
    zones.write(host, { ...blank, cname: sitesHost }),
  "half of an alias": (host, zones) =>
    zones.write(host, { ...blank, a: ["203.0.113.7", ...targetAddresses.a] }),
  "nothing at all": (host, zones) => zones.write(host, blank),
};

export function someMistake(random: SeededRandom): string {
  return random.oneOf(Object.keys(mistakes));
}

export const foreignCaa = [{ tag: "issue", value: "other-authority.example", critical: false }];
export const permittingCaa = [
  { tag: "issue", value: "other-authority.example", critical: false },
  { tag: "issue", value: "authority.example", critical: false },
];
export const strangeCaa = [{ tag: "unheardof", value: "1", critical: true }];
