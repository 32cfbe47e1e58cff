/** HTTP to the authority: one request and its response, both limited in size and time. */
import { X509Certificate } from "node:crypto";
import { type ClientRequest, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import type { Clock } from "../../core/clock.ts";
import { AcmeError } from "./acmeError.ts";

const responseBytesMax = 1024 * 1024;
const urlLengthMax = 2048;

interface AcmeRequest {
  readonly method: "GET" | "HEAD" | "POST";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface AcmeResponse {
  readonly status: number;
  readonly body: string;
  /** By its name in lower case. */
  header(name: string): string | undefined;
}

export interface TransportOptions {
  readonly clock: Clock;
  readonly requestMsMax: number;
  /** A root that is trusted in addition to the usual ones, for a private authority. */
  readonly trustPem: string | undefined;
  /** Without this, every URL must be https. */
  readonly plainHttpAllowed: boolean;
}

/**
 * Every fault is an `AcmeError` with the reason `unavailable`, or the signal's own reason. Redirects
 * are not followed. Each request uses its own connection: an order is a dozen requests, and
 * none of them fails because the authority has just closed an idle connection.
 */
export class Transport {
  readonly #options: TransportOptions;
  /** Created once: reading all roots for each request would double its time. */
  readonly #trust: { secureContext?: SecureContext };

  constructor(options: TransportOptions) {
    this.#options = options;
    const { trustPem } = options;
    // Fails at start-up, not at the first order, if this is not a certificate.
    if (trustPem !== undefined) new X509Certificate(trustPem);
    this.#trust =
      trustPem === undefined
        ? {}
        : { secureContext: createSecureContext({ ca: [...rootCertificates, trustPem] }) };
  }

  /**
   * Which URLs of the authority are used: any host, since it may have several, but only https (or
   * http, if the directory itself is), and no credentials in the URL.
   */
  allows(url: unknown): url is string {
    if (typeof url !== "string" || url.length > urlLengthMax || !URL.canParse(url)) return false;
    const { protocol, username, password } = new URL(url);
    if (username !== "" || password !== "") return false;
    return protocol === "https:" || (protocol === "http:" && this.#options.plainHttpAllowed);
  }

  send(sent: AcmeRequest, signal?: AbortSignal): Promise<AcmeResponse> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason);
      if (!this.allows(sent.url)) {
        return reject(
          new AcmeError("unavailable", "The authority gave an address we do not call."),
        );
      }
      const request = this.#open(sent);
      const stopTimer = this.#options.clock.after(this.#options.requestMsMax, () =>
        fail(tooSlow()),
      );
      const onAbort = () => fail(signal?.reason);
      signal?.addEventListener("abort", onAbort, { once: true });
      const settle = () => {
        stopTimer();
        signal?.removeEventListener("abort", onAbort);
      };
      const fail = (reason: unknown) => {
        settle();
        reject(reason);
        request.destroy();
      };

      request.on("error", (error) => fail(unreachable(error)));
      request.on("response", (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > responseBytesMax) {
            fail(new AcmeError("unavailable", "The authority's response is longer than 1 MiB."));
          } else chunks.push(chunk);
        });
        response.on("error", (error) => fail(unreachable(error)));
        response.on("end", () => {
          settle();
          resolve({
            status: response.statusCode ?? 0,
            body: Buffer.concat(chunks).toString("utf8"),
            header: (name) => [response.headers[name]].flat()[0],
          });
        });
      });
      request.end(sent.body);
    });
  }

  #open({ url, method, headers }: AcmeRequest): ClientRequest {
    const address = new URL(url);
    const send = address.protocol === "https:" ? requestHttps : requestHttp;
    return send(address, {
      method,
      headers: { ...headers, connection: "close", "user-agent": "petstore" },
      agent: false,
      ...this.#trust,
    });
  }
}

export function tooSlow(): AcmeError {
  return new AcmeError("unavailable", "The authority did not respond in time.");
}

/** Only the code: messages may contain addresses and other details of the runtime. */
function unreachable(error: Error & { code?: unknown }): AcmeError {
  const code = typeof error.code === "string" ? ` (${error.code})` : "";
  return new AcmeError("unavailable", `The authority cannot be reached${code}.`);
}

/** Resolves after the delay, or rejects with the signal's reason. */
export function delay(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(delayMs, resolve);
  return unlessAborted(promise, signal).finally(cancel);
}

/** The promise's outcome, or the signal's reason if that comes first. The work is not cancelled. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
