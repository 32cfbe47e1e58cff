/** Parses host names as people write them into canonical form. */
import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { parse } from "tldts";

/** `host` is in lower-case ASCII, without a final dot. */
type ParsedHost =
  | { readonly kind: "host"; readonly host: string }
  | { readonly kind: "refused"; readonly why: string };

const hostLengthMax = 253;
/** Every label needs another query for CAA records. */
const labelsMax = 12;
const labelForm = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Names that no public authority certifies (RFC 6761, RFC 6762, RFC 7686, RFC 9476). */
const notPublic = ["localhost", "local", "internal", "invalid", "onion", "alt", "arpa"];

const noHostWhy =
  "This is not a host name. A host name has two or more parts of letters, digits and hyphens, such as docs.example.com.";
const addressWhy = "This is an IP address. Attach a host name, such as docs.example.com.";

/** `reserved` are the platform's own hosts: neither they nor names below them can be attached. */
export function parseHost(text: string, reserved: readonly string[] = []): ParsedHost {
  const typed = text.trim();
  // Limited because normalising takes quadratic time in the number of combining marks.
  if (typed.length > 4 * hostLengthMax) return refused(noHostWhy);
  if (isIP(typed.replace(/^\[(.*)\]$/, "$1")) !== 0) return refused(addressWhy);
  if (/[/:@?#\s]/.test(typed)) {
    return refused(
      "Write the host name alone, such as docs.example.com, with no https://, path or port.",
    );
  }
  if (typed.includes("*")) {
    return refused("A wildcard cannot be attached. Attach each name separately.");
  }
  // Percent signs would be decoded. The final dot may be a non-ASCII one, so it is removed last.
  const ascii = typed.includes("%") ? "" : domainToASCII(typed);
  const host = ascii.toLowerCase().replace(/\.$/, "");
  if (isIP(host) !== 0) return refused(addressWhy);
  const labels = host.split(".");
  if (
    labels.length < 2 ||
    labels.length > labelsMax ||
    host.length > hostLengthMax ||
    !labels.every((label) => labelForm.test(label))
  ) {
    return refused(noHostWhy);
  }
  const top = host.slice(host.lastIndexOf(".") + 1);
  if (notPublic.includes(top)) {
    return refused(
      `Names that end in .${top} are not public, so no certificate can be issued for them.`,
    );
  }
  const near = (own: string) =>
    host === own || host.endsWith(`.${own}`) || own.endsWith(`.${host}`);
  if (reserved.some(near)) {
    return refused("This name belongs to the platform itself. Attach a name of your own.");
  }
  if (registrableOf(host) === undefined) {
    return refused(
      `${host} is a public suffix, under which others register their names. Attach a name below it that is yours.`,
    );
  }
  return { kind: "host", host };
}

function refused(why: string): ParsedHost {
  return { kind: "refused", why };
}

/** The registrable domain: example.co.uk for docs.example.co.uk; undefined for a public suffix. */
export function registrableOf(host: string): string | undefined {
  return parse(host, { allowPrivateDomains: true }).domain ?? undefined;
}

/** The apex of the zone that the name is probably in, before DNS was asked. */
export function likelyZone(host: string): string {
  return registrableOf(host) ?? host;
}

/** www.example.com for example.com, and the other way round; undefined for a name that has none. */
export function wwwTwin(host: string): string | undefined {
  if (host.startsWith("www.")) return host.slice("www.".length);
  return likelyZone(host) === host ? `www.${host}` : undefined;
}

/** docs.example.com, example.com, com. */
export function withParents(host: string): string[] {
  const labels = host.split(".");
  return labels.map((_, index) => labels.slice(index).join("."));
}
