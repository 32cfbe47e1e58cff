/** The head of one request while it is received, and what it means. */
import type { WireLimits } from "./limits.ts";
import type { WireError } from "./message.ts";
import { noTarget, type Target, targetOf } from "./target.ts";

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
  readonly #fields: string[] = [];
  #name = "";
  #value: string | undefined;
  #bytes = 0;
  #complete = false;
  #closes = false;

  constructor(method: string) {
    this.method = method;
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
    // Trailers are accepted and dropped (RFC 9110, section 6.5.1).
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

  /** Why what was received so far is too much. */
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

  /** Reads the complete head. Returns why it is not one of a request. */
  interpret(limits: WireLimits): WireError | undefined {
    const { version } = this;
    if (version !== 10 && version !== 11) return "version_unsupported";
    const coding = this.header("transfer-encoding");
    if (coding !== undefined) {
      // RFC 9112, section 6.1: HTTP/1.0 does not have it, so its end cannot be known.
      if (version === 10) return "malformed";
      if (coding.toLowerCase() !== "chunked") return "coding_unsupported";
    }
    const oversize = this.oversize(limits);
    if (oversize !== undefined) return oversize;
    const target = targetOf(this.#targetText, this.#values("host"), version);
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

/** llhttp leaves the white space behind a value in it (RFC 9112, section 5.1). */
function withoutBlanks(value: string): string {
  let end = value.length;
  while (end > 0 && isBlank(value.charCodeAt(end - 1))) end--;
  return end === value.length ? value : value.slice(0, end);
}

const isBlank = (code: number) => code === 0x20 || code === 0x09;
