/** Reads for whom a request is and what it asks, or says why it cannot be read. */

export interface EdgeRequest {
  readonly method: string;
  /** Lower case, without port and final dot. */
  readonly host: string;
  /** As it was sent: it begins with a slash and is printable ASCII. */
  readonly path: string;
  /** With its question mark, as it was sent, or empty. */
  readonly query: string;
  header(name: string): string | undefined;
}

/** What a client sent, in whichever protocol. */
export interface SentRequest {
  readonly method: string;
  readonly target: string;
  /** Every Host, and :authority. */
  readonly hosts: readonly string[];
  header(name: string): string | undefined;
}

export type ReadRequest =
  | { readonly kind: "request"; readonly request: EdgeRequest }
  | { readonly kind: "unreadable"; readonly why: string };

const name = /^([a-z0-9_](?:[a-z0-9_.-]{0,252}[a-z0-9_-])?)\.?(?::[0-9]{0,5})?$/;
const ipv6 = /^(\[[0-9a-f:.]{2,45}\])(?::[0-9]{0,5})?$/;

/** The host that is looked up; undefined when it is no host at all. */
export function hostOf(authority: string): string | undefined {
  const lower = authority.toLowerCase();
  return (name.exec(lower) ?? ipv6.exec(lower))?.[1];
}

const absolute = /^https?:\/\/([^/?#]*)(.*)$/i;
// Whatever is not printable would have to be guessed at, or would end a header line that repeats it.
const printable = /^\/[\x21\x22\x24-\x7e]*$/;

export function readRequest(sent: SentRequest): ReadRequest {
  const [authority, ...others] = sent.hosts;
  const host = authority === undefined ? undefined : hostOf(authority);
  if (host === undefined) return unreadable("It needs one Host header with a host name.");
  const [, targetAuthority, rest] = absolute.exec(sent.target) ?? [];
  const named = targetAuthority === undefined ? others : [...others, targetAuthority];
  if (named.some((other) => hostOf(other) !== host)) {
    return unreadable("It names more than one host.");
  }
  const target = rest === undefined ? sent.target : rest.startsWith("/") ? rest : `/${rest}`;
  if (!printable.test(target)) return unreadable("Its address cannot be read.");
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  const { method } = sent;
  const query = target.slice(path.length);
  const header = (name: string) => sent.header(name);
  return { kind: "request", request: { method, host, path, query, header } };
}

function unreadable(why: string): ReadRequest {
  return { kind: "unreadable", why };
}
