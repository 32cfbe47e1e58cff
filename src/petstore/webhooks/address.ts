/** Which URLs an endpoint may have, and which addresses are dialled for it. */
import { isIP } from "node:net";
import { canonicalAddress, isPublicAddress } from "../../core/networks.ts";

const urlLengthMax = 2_048;

/** Whether the operator allows an address, in its canonical spelling, though it is not public. */
export type AllowedNetworks = (address: string) => boolean;

/**
 * Without encryption only into a network that the operator allows: nobody else sees what is sent
 * there. Anything else must be public and is authenticated by its certificate.
 */
export function mayDial(address: string, protocol: string, isAllowed: AllowedNetworks): boolean {
  const canonical = canonicalAddress(address);
  if (canonical === undefined) return false;
  return isAllowed(canonical) || (protocol === "https:" && isPublicAddress(canonical));
}

/** What is wrong with a URL, in words that follow it; undefined if nothing is. */
export function urlError(text: string, isAllowed: AllowedNetworks | undefined): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return "must be an https URL, such as https://example.com/webhooks";
  }
  if (url.href.length > urlLengthMax) return `must have at most ${urlLengthMax} characters`;
  if (url.username !== "" || url.password !== "") {
    return "must not have a username or a password: check the signature instead";
  }
  if (url.hash !== "") return "must not have a fragment (#…), which is never sent";
  if (url.port === "0") return "must not have the port 0";
  if (url.protocol === "http:" && isAllowed === undefined) {
    return "must begin with https://, unless PETSTORE_WEBHOOK_NETWORKS allows its network";
  }
  const host = bareHost(url);
  if (isIP(host) !== 0 && !mayDial(host, url.protocol, isAllowed ?? (() => false))) {
    return "has an address that is not public. PETSTORE_WEBHOOK_NETWORKS allows networks of your own";
  }
  return undefined;
}

/** Without the brackets of an IPv6 address. */
export const bareHost = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, "");
