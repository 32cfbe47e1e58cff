/** For which host a request is, and for what (RFC 9112, section 3.2; RFC 9110, section 7.2). */
export interface Target {
  /** Host and port in lower case; empty where HTTP/1.0 named none. */
  readonly authority: string;
  readonly path: string;
  /** With its question mark. */
  readonly query: string;
}

export const noTarget: Target = { authority: "", path: "", query: "" };

const name = /^([a-z0-9_](?:[a-z0-9_.-]{0,252}[a-z0-9_-])?)\.?(?::[0-9]{0,5})?$/;
const ipv6 = /^(\[[0-9a-f:.]{2,45}\])(?::[0-9]{0,5})?$/;

/** Nearly every request names the same host as the one before. */
let last: { readonly authority: string; readonly host: string | undefined } = {
  authority: "",
  host: undefined,
};

/** The host in lower case, without port and final dot; undefined when it is not a host. */
export function hostOf(authority: string): string | undefined {
  if (authority === last.authority) return last.host;
  const lower = authority.toLowerCase();
  const host = (name.exec(lower) ?? ipv6.exec(lower))?.[1];
  last = { authority, host };
  return host;
}

const absolute = /^https?:\/\/([^/?#]*)(.*)$/i;
// Anything else would have to be interpreted, or would end a header line that repeats it. A
// fragment is never sent (RFC 9112, section 3.2).
const originForm = /^\/[\x21\x22\x24-\x7e]*$/;

export function targetOf(
  target: string,
  hosts: readonly string[],
  version: number,
): Target | "host_invalid" | "malformed" {
  // Two Host headers are wrong even when they agree (RFC 9112, section 3.2).
  if (hosts.length > 1 || (hosts.length === 0 && version === 11)) return "host_invalid";
  const [, named, rest] = absolute.exec(target) ?? [];
  const authorities = named === undefined ? hosts : [...hosts, named];
  const authority = authorities[0]?.toLowerCase() ?? "";
  const host = hostOf(authority);
  if (authorities.length > 0 && host === undefined) return "host_invalid";
  if (authorities.some((other) => hostOf(other) !== host)) return "host_invalid";
  const path = rest === undefined ? target : rest.startsWith("/") ? rest : `/${rest}`;
  if (path === "*") return { authority, path, query: "" };
  if (!originForm.test(path)) return "malformed";
  const mark = path.indexOf("?");
  if (mark === -1) return { authority, path, query: "" };
  return { authority, path: path.slice(0, mark), query: path.slice(mark) };
}
