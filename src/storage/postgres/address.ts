/** Addresses of databases, read without the driver. */

/** One address for each host, in the order in which to try them. */
export function addressesOf(address: string): readonly string[] {
  const { scheme, credentials, hosts, rest } = partsOf(address);
  return hosts.map((host) => `${scheme}${credentials}${host}${rest}`);
}

/** An address without user, password and parameters, which may be shown. */
export function shownAddress(address: string): string {
  const { scheme, hosts, rest } = partsOf(address);
  return `${scheme}${hosts.join(",")}${rest.replace(/\?.*$/s, "")}`;
}

/**
 * An address may name several hosts: `postgres://a:5432,b:5432/pets`. The credentials include the `@`
 * that follows them; the rest is the database and the parameters, from the first `/` or `?` on.
 */
function partsOf(address: string) {
  const [, scheme, credentials = "", hosts = "", rest = ""] =
    /^(postgres(?:ql)?:\/\/)([^/?]*@)?([^/?]*)(.*)$/s.exec(address) ?? [];
  if (scheme === undefined) throw new Error("This is no address of a PostgreSQL database.");
  return { scheme, credentials, hosts: hosts.split(","), rest };
}
