/** The address of a database, which may name several hosts: `postgres://a:5432,b:5432/pets`. */

interface AddressParts {
  readonly scheme: string;
  /** With the `@` that follows it; empty where there is none. */
  readonly credentials: string;
  readonly hosts: readonly string[];
  /** The database and the parameters, from the first `/` or `?` on. */
  readonly rest: string;
}

/** One address for each host, in the order in which they are to be tried. */
export function addressesOf(address: string): readonly string[] {
  const { scheme, credentials, hosts, rest } = partsOf(address);
  return hosts.map((host) => `${scheme}${credentials}${host}${rest}`);
}

/** What may be shown of an address: where it leads, without user, password and parameters. */
export function shownAddress(address: string): string {
  const { scheme, hosts, rest } = partsOf(address);
  return `${scheme}${hosts.join(",")}${rest.replace(/\?.*$/s, "")}`;
}

function partsOf(address: string): AddressParts {
  const [, scheme, credentials = "", hosts = "", rest = ""] =
    /^(postgres(?:ql)?:\/\/)([^/?]*@)?([^/?]*)(.*)$/s.exec(address) ?? [];
  if (scheme === undefined) throw new Error("This is no address of a PostgreSQL database.");
  return { scheme, credentials, hosts: hosts.split(","), rest };
}
