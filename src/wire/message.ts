/** A request and its response, whichever protocol and socket they travel on. */
import type { MaybePromise } from "../core/maybePromise.ts";
import type { PreparedResponse } from "./response.ts";

export interface HttpRequest {
  /** As sent: methods are case-sensitive, and unknown ones are passed on too. */
  readonly method: string;
  /** By which the client reached the service: that of the connection, or what trusted proxies say. */
  readonly scheme: "http" | "https";
  /**
   * Host and port, in lower case, by which the client reached the service: those of the request, or
   * what trusted proxies say. Empty where HTTP/1.0 sent none.
   */
  readonly authority: string;
  /**
   * The host that the request is for, whatever proxies say: in lower case, without port and final
   * dot. Undefined where HTTP/1.0 sent none.
   */
  readonly host: string | undefined;
  /** As sent, neither decoded nor normalised; begins with a slash, or is `*`. */
  readonly path: string;
  /** As sent, with its question mark; empty where there is none. */
  readonly query: string;
  /** The address of the client: the other end of the connection, or whom trusted proxies name. */
  readonly client: string | undefined;
  /** The value of a header by its lower-case name. Several are joined (RFC 9110, section 5.3). */
  header(name: string): string | undefined;
  /**
   * The whole body. Throws, or rejects with, a `BodyError` when it is longer than this, does not
   * arrive or is framed wrongly. Asking for it sends `100 Continue` to a client that waits for that.
   */
  body(bytesMax: number): MaybePromise<Uint8Array>;
  /**
   * The whole request as it was sent, where it is short, arrived at once, has no body and means the
   * same whoever sent it. Only while the handler is being called.
   */
  readonly text: string | undefined;
  /** Aborts when the client goes away before it has its response. */
  readonly signal: AbortSignal;
}

export type ResponseBody = string | Uint8Array | AsyncIterable<Uint8Array>;

export interface HttpResponse {
  readonly status: number;
  /** Each once, by lower-case name. `Date`, `Content-Length` and what belongs to the connection are added. */
  readonly headers: Readonly<Record<string, string>>;
  /** Left out of the response to a HEAD request. */
  readonly body?: ResponseBody | undefined;
  /** Closes the connection after this response. */
  readonly close?: boolean | undefined;
}

export type BodyFailure = "too_large" | "too_slow" | "incomplete" | "malformed" | "out_of_memory";

export class BodyError extends Error {
  readonly failure: BodyFailure;

  constructor(failure: BodyFailure) {
    super(`The request body is ${failure.replaceAll("_", " ")}.`);
    this.name = "BodyError";
    this.failure = failure;
  }
}

/** Why a message was refused before it became a request, or a response could not be sent. */
export type WireError =
  | "malformed"
  | "host_invalid"
  | "timeout"
  | "target_too_long"
  | "headers_too_large"
  | "coding_unsupported"
  | "version_unsupported"
  | "overloaded";

export interface HttpHandler {
  /**
   * The response that was prepared for an earlier request of exactly this text, if it still holds.
   * Most requests of a busy client differ in nothing.
   */
  cached?(text: string, client: string | undefined): PreparedResponse | undefined;
  handle(request: HttpRequest): MaybePromise<HttpResponse>;
  /** The response in place of one that `handle` did not give, or that cannot be sent. */
  failed(cause: unknown): HttpResponse;
  /** The response to a message that is not a request. The connection closes after it. */
  refuse(error: WireError, client: string | undefined): HttpResponse;
}

/** What most rules about a request look at. */
export type RequestHeaders = Pick<HttpRequest, "header">;

/** The origin that the client used; empty where HTTP/1.0 named no host. */
export function originOf({ scheme, authority }: Pick<HttpRequest, "scheme" | "authority">): string {
  return authority === "" ? "" : `${scheme}://${authority}`;
}
