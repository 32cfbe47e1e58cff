import { parseJson } from "../../src/contract/json.ts";
import { judge } from "../../testkit/contractJudge.ts";

export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** With integers beyond the safe range as bigints. */
  readonly body: unknown;
}

export interface Sent {
  readonly headers?: Record<string, string>;
  /** A string or bytes go as they are, anything else as JSON. */
  readonly body?: unknown;
}

/** Calls the service and has every answer judged by the contract. */
export class Client {
  readonly base: string;
  readonly #token: string | undefined;

  constructor(base: string, token?: string) {
    this.base = base;
    this.#token = token;
  }

  get(path: string, sent: Sent = {}): Promise<Seen> {
    return this.send("GET", path, sent);
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Seen> {
    return this.send("POST", path, {
      body,
      headers: { "content-type": "application/json", ...headers },
    });
  }

  async send(method: string, path: string, { headers = {}, body }: Sent = {}): Promise<Seen> {
    const url = path.startsWith("http") ? path : this.base + path;
    const authorization =
      this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` };
    const raw =
      typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
    const response = await fetch(url, {
      method,
      headers: { ...authorization, ...headers },
      redirect: "manual",
      ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
    });
    const text = await response.text();
    const seen = { status: response.status, headers: response.headers, text };
    judge(method, url, seen);
    return { ...seen, body: text === "" ? undefined : parseJson(text) };
  }
}

export function nextPage(headers: Headers): string | undefined {
  return /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
}
