import type { MaybePromise } from "../maybePromise.ts";
import type { HttpRequest } from "./message.ts";
import type { RequestBody } from "./requestBody.ts";
import type { RequestHead } from "./requestHead.ts";
import type { Transport } from "./transport.ts";

/** The connection that a request came on. */
interface Origin {
  readBody(head: RequestHead, body: RequestBody, bytesMax: number): MaybePromise<Uint8Array>;
  signalOf(head: RequestHead): AbortSignal;
  textOf(head: RequestHead): string | undefined;
}

export class Http1Request implements HttpRequest {
  readonly #connection: Origin;
  readonly #transport: Transport;
  readonly #head: RequestHead;
  readonly #body: RequestBody;

  constructor(connection: Origin, transport: Transport, head: RequestHead, body: RequestBody) {
    this.#connection = connection;
    this.#transport = transport;
    this.#head = head;
    this.#body = body;
  }

  get method() {
    return this.#head.method;
  }
  get scheme() {
    return this.#transport.scheme;
  }
  get authority() {
    return this.#head.target.authority;
  }
  get path() {
    return this.#head.target.path;
  }
  get query() {
    return this.#head.target.query;
  }
  get peer() {
    return this.#transport.peer;
  }
  get text() {
    return this.#connection.textOf(this.#head);
  }
  get signal() {
    return this.#connection.signalOf(this.#head);
  }

  header(name: string) {
    return this.#head.header(name);
  }

  body(bytesMax: number) {
    return this.#connection.readBody(this.#head, this.#body, bytesMax);
  }
}
