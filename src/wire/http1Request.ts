import type { MaybePromise } from "../core/maybePromise.ts";
import type { HttpRequest } from "./message.ts";
import type { RequestBody } from "./requestBody.ts";
import { hostOf, type RequestHead } from "./requestHead.ts";
import type { Transport } from "./transport.ts";
import {
  namesOrigin,
  type RequestOrigin,
  requestOrigin,
  type TrustedProxies,
} from "./trustedProxies.ts";

/** The connection that a request came on. */
interface Connection {
  readBody(head: RequestHead, body: RequestBody, bytesMax: number): MaybePromise<Uint8Array>;
  signalOf(head: RequestHead): AbortSignal;
  textOf(head: RequestHead): string | undefined;
}

/** The client that sent a head, and the scheme and authority it used. */
export function originOfHead(
  { peer: client, scheme }: Transport,
  head: RequestHead,
  proxies: TrustedProxies,
): RequestOrigin {
  const direct = { client, scheme, authority: head.target.authority };
  return requestOrigin(direct, (name) => head.header(name), proxies);
}

export class Http1Request implements HttpRequest {
  readonly #connection: Connection;
  readonly #transport: Transport;
  readonly #proxies: TrustedProxies;
  readonly #head: RequestHead;
  readonly #body: RequestBody;
  #known: RequestOrigin | undefined;

  constructor(
    connection: Connection,
    transport: Transport,
    head: RequestHead,
    body: RequestBody,
    proxies: TrustedProxies,
  ) {
    this.#connection = connection;
    this.#transport = transport;
    this.#proxies = proxies;
    this.#head = head;
    this.#body = body;
  }

  get method() {
    return this.#head.method;
  }
  get scheme() {
    return this.#origin.scheme;
  }
  get authority() {
    return this.#origin.authority;
  }
  get host() {
    return hostOf(this.#head.target.authority);
  }
  get path() {
    return this.#head.target.path;
  }
  get query() {
    return this.#head.target.query;
  }
  get client() {
    return this.#origin.client;
  }
  get text() {
    const independent = !namesOrigin((name) => this.#head.header(name));
    return independent ? this.#connection.textOf(this.#head) : undefined;
  }
  get signal() {
    return this.#connection.signalOf(this.#head);
  }

  get #origin(): RequestOrigin {
    this.#known ??= originOfHead(this.#transport, this.#head, this.#proxies);
    return this.#known;
  }

  header(name: string) {
    return this.#head.header(name);
  }

  body(bytesMax: number) {
    return this.#connection.readBody(this.#head, this.#body, bytesMax);
  }
}
