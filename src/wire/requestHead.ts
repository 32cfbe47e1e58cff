/** The head of one request while it is received, and what it means. */
import type { WireLimits } from "./limits.ts";
import type { WireError } from "./message.ts";

const closeToken = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;

export class RequestHead {
  readonly method: string;
  target: Target = noTarget;
  version = 11;
  keepAlive = false;
  /** `Expect: 100-continue` was sent, and `100 Continue` was not. */
  awaitsContinue = false;
  #targetText = "";
  /** Lower-case names and values, alternating. */
  readonly #fields: string[];
  #name = "";
  #value: string | undefined;
  #bytes = 0;
  #complete = false;
  #closes = false;

  constructor(method: string, fields: string[] = []) {
    this.method = method;
    this.#fields = fields;
  }

  /** The head of a request with the same headers. Undefined for a target not in origin form. */
  withTarget(text: string): RequestHead | undefined {
    const target = originTarget(text, this.target.authority);
    if (target === undefined) return undefined;
    const head = new RequestHead(this.method, this.#fields);
    head.#targetText = text;
    head.#bytes = this.#bytes - this.#targetText.length + text.length;
    head.#complete = true;
    head.target = target;
    head.keepAlive = this.keepAlive;
    return head;
  }

  addTarget(text: string): void {
    this.#bytes += text.length;
    this.#targetText += text;
  }

  addName(text: string): void {
    this.#bytes += text.length;
    if (this.#value !== undefined) this.#endField();
    this.#name += text;
  }

  addValue(text: string): void {
    this.#bytes += text.length;
    this.#value = (this.#value ?? "") + text;
  }

  #endField(): void {
    // Trailers are accepted and discarded (RFC 9110, section 6.5.1).
    if (!this.#complete) {
      const name = this.#name.toLowerCase();
      const text = this.#value ?? "";
      const value = withoutBlanks(text);
      this.#fields.push(name, value);
      // llhttp does not recognise `close` before a tab.
      if (value !== text && name === "connection") this.#closes ||= closeToken.test(value);
    }
    this.#name = "";
    this.#value = undefined;
  }

  /** Which limit is exceeded by what was received so far. */
  oversize(limits: WireLimits): WireError | undefined {
    if (this.#targetText.length > limits.targetBytesMax) return "target_too_long";
    const tooMany = this.#fields.length > 2 * limits.headersMax;
    return tooMany || this.#bytes > limits.headBytesMax ? "headers_too_large" : undefined;
  }

  end(version: number, keepAlive: boolean): void {
    if (this.#name !== "") this.#endField();
    this.#complete = true;
    this.version = version;
    this.keepAlive = keepAlive && !this.#closes;
  }

  /** Interprets the complete head. Returns why it is not a valid request. */
  interpret(limits: WireLimits): WireError | undefined {
    const { version } = this;
    if (version !== 10 && version !== 11) return "version_unsupported";
    const coding = this.header("transfer-encoding");
    if (coding !== undefined) {
      // RFC 9112, section 6.1: HTTP/1.0 does not have it, so the end of the body is unknown.
      if (version === 10) return "malformed";
      if (coding.toLowerCase() !== "chunked") return "coding_unsupported";
    }
    const oversize = this.oversize(limits);
    if (oversize !== undefined) return oversize;
    const target = targetOf(this.#targetText, this.#values("host"), version, this.method);
    if (typeof target === "string") return target;
    this.target = target;
    // HTTP/1.0 does not have the expectation (RFC 9110, section 10.1.1).
    this.awaitsContinue = version === 11 && this.header("expect")?.toLowerCase() === "100-continue";
    return undefined;
  }

  header(name: string): string | undefined {
    const fields = this.#fields;
    for (let at = 0; at < fields.length; at += 2) {
      if (fields[at] !== name) continue;
      const value = fields[at + 1] ?? "";
      for (let later = at + 2; later < fields.length; later += 2) {
        // RFC 9110, section 5.3; a Cookie is not a list of commas (RFC 6265, section 5.4).
        if (fields[later] === name) return this.#values(name).join(name === "cookie" ? "; " : ", ");
      }
      return value;
    }
    return undefined;
  }

  #values(name: string): string[] {
    const fields = this.#fields;
    return fields.filter((_value, at) => at % 2 === 1 && fields[at - 1] === name);
  }
}

/** llhttp does not remove trailing white space (RFC 9112, section 5.1). */
function withoutBlanks(value: string): string {
  let end = value.length;
  while (end > 0 && isBlank(value.charCodeAt(end - 1))) end--;
  return end === value.length ? value : value.slice(0, end);
}

const isBlank = (code: number) => code === 0x20 || code === 0x09;

/** The target of a request (RFC 9112, section 3.2; RFC 9110, section 7.2). */
interface Target {
  /** Host and port in lower case; empty if HTTP/1.0 sent none. */
  readonly authority: string;
  readonly path: string;
  /** With its question mark. */
  readonly query: string;
}

const noTarget: Target = { authority: "", path: "", query: "" };

const name = /^([a-z0-9_](?:[a-z0-9_.-]{0,252}[a-z0-9_-])?)\.?(?::[0-9]{0,5})?$/;
const ipv6 = /^(\[[0-9a-f:.]{2,45}\])(?::[0-9]{0,5})?$/;

/** Nearly every request has the same host as the previous one. */
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
  method: string,
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
  // The server itself is a target of OPTIONS alone (RFC 9112, section 3.2.4).
  if (path === "*" && method === "OPTIONS") return { authority, path, query: "" };
  return originTarget(path, authority) ?? "malformed";
}

/** Undefined for a target that is not in origin form. */
function originTarget(target: string, authority: string): Target | undefined {
  if (!originForm.test(target)) return undefined;
  const mark = target.indexOf("?");
  if (mark === -1) return { authority, path: target, query: "" };
  return { authority, path: target.slice(0, mark), query: target.slice(mark) };
}

const start = "GET ";

/**
 * Recognises a request that differs from an earlier one of its connection only in its target, as
 * most requests of a client do. The bytes after the target are the same, so they need not be parsed
 * again.
 */
export class RepeatedHead {
  readonly #limits: WireLimits;
  #head: RequestHead | undefined;
  /** The earlier request, from the end of its target on. */
  #rest = "";

  constructor(limits: WireLimits) {
    this.#limits = limits;
  }

  /** `text` is that of a whole request without a body, after which the connection stays open. */
  remember(text: string | undefined, head: RequestHead): void {
    if (text === undefined || head.method !== "GET") return;
    this.#head = head;
    this.#rest = text.slice(text.indexOf(" ", start.length));
  }

  /** The head of a request that is this whole text. */
  find(text: string): RequestHead | undefined {
    if (!text.endsWith(this.#rest) || !text.startsWith(start)) return undefined;
    const target = text.slice(start.length, text.length - this.#rest.length);
    const head = this.#head?.withTarget(target);
    return head?.oversize(this.#limits) === undefined ? head : undefined;
  }
}
