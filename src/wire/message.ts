/** A request and its response, independent of protocol and socket. */
import type { MaybePromise } from "../core/maybePromise.ts";
import type { PreparedResponse } from "./response.ts";

export interface HttpRequest {
  /** As sent: methods are case-sensitive, and unknown ones are passed on too. */
  readonly method: string;
  /** The scheme that the client used: that of the connection, or what trusted proxies report. */
  readonly scheme: "http" | "https";
  /**
   * Host and port, in lower case, that the client used: those of the request, or what trusted
   * proxies report. Empty if HTTP/1.0 sent none.
   */
  readonly authority: string;
  /**
   * The host that the request is for, regardless of proxies: in lower case, without port and final
   * dot. Undefined if HTTP/1.0 sent none.
   */
  readonly host: string | undefined;
  /** As sent, neither decoded nor normalised; begins with a slash, or is `*`. */
  readonly path: string;
  /** As sent, with its question mark; empty if there is none. */
  readonly query: string;
  /** The address of the client: the peer of the connection, or what trusted proxies report. */
  readonly client: string | undefined;
  /** The value of a header by its lower-case name. Several are joined (RFC 9110, section 5.3). */
  header(name: string): string | undefined;
  /**
   * The whole body. Throws, or rejects with, a `BodyError` if it is longer than this, does not
   * arrive or is framed wrongly. Sends `100 Continue` to a client that waits for it.
   */
  body(bytesMax: number): MaybePromise<Uint8Array>;
  /**
   * The whole request as sent, if it is short, arrived in one piece, has no body and does not depend
   * on the client's address. Valid only while the handler is being called.
   */
  readonly text: string | undefined;
  /** Aborts when the client disconnects before it has its response. */
  readonly signal: AbortSignal;
}

export type ResponseBody = string | Uint8Array | AsyncIterable<Uint8Array>;

export interface HttpResponse {
  readonly status: number;
  /** Each once, by lower-case name. `Date`, `Content-Length` and connection headers are added. */
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
   * The response that was prepared for an earlier request of exactly this text, if it is still
   * valid. Most requests of a busy client are identical.
   */
  cached?(text: string, client: string | undefined): PreparedResponse | undefined;
  handle(request: HttpRequest): MaybePromise<HttpResponse>;
  /** The response in place of one that `handle` did not give, or that cannot be sent. */
  failed(cause: unknown): HttpResponse;
  /** The response to a message that is not a request. The connection closes after it. */
  refuse(error: WireError, client: string | undefined): HttpResponse;
}

/** The part of a request that most rules use. */
export type RequestHeaders = Pick<HttpRequest, "header">;

/** The origin that the client used; empty if HTTP/1.0 sent no host. */
export function originOf({ scheme, authority }: Pick<HttpRequest, "scheme" | "authority">): string {
  return authority === "" ? "" : `${scheme}://${authority}`;
}
