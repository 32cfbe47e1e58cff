/** Decides the response to each request, by what the store says at that moment. */
import type { Clock } from "../../core/clock.ts";
import { type MaybePromise, then } from "../../core/maybePromise.ts";
import type { HttpHandler, HttpRequest, HttpResponse } from "../../wire/message.ts";
import type { HstsPolicy } from "../domains/domain.ts";
import type { EdgeView, Route } from "../domains/edgeView.ts";
import type { ThrottledLog } from "./edge.ts";
import { type CachedPage, PageCache } from "./pageCache.ts";
import type { SiteRequest } from "./siteResponse.ts";
import type { CertificateContexts } from "./tlsServer.ts";

/** A request for one host, which is its name in lower case, without port and final dot. */
export type EdgeRequest = SiteRequest & Pick<HttpRequest, "text"> & { readonly host: string };

/** Responds from a deployment of a site. */
export type ServeSite = (request: SiteRequest, deployment: string) => MaybePromise<HttpResponse>;

/** The service itself, under a name of its own. */
export interface OwnName {
  readonly host: string;
  readonly handler: HttpHandler;
}

interface EdgeHandler {
  /** For a request on a connection that was encrypted for a host. */
  secured(request: HttpRequest, serverName: string): MaybePromise<HttpResponse>;
  plain(request: HttpRequest): MaybePromise<HttpResponse>;
  /** The same as `secured` gives to a request of this text, where it is cached. */
  cached(text: string, serverName: string): CachedPage | undefined;
}

/**
 * By default a day, and no subdomains: long enough to protect returning visitors, short enough that
 * an owner who moves to another host is not bound by our policy for long. With zero, browsers forget
 * what they were told before.
 */
const strictTransport: Readonly<Record<HstsPolicy, string>> = {
  off: "max-age=0",
  day: "max-age=86400",
  year: "max-age=31536000",
  subdomains: "max-age=31536000; includeSubDomains",
};
/** Its name is the operator's own: as long as browsers ask for, and no subdomains. */
const ownStrictTransport = "max-age=31536000";
/** Without a limit, browsers cache a redirect forever, even one that was a mistake. */
const redirectCaching = "public, max-age=300";
const retryAfterSeconds = 5;

export function createEdgeHandler({
  view,
  contexts,
  clock,
  log,
  serveSite,
  own,
  publicHttpsPort,
}: {
  readonly view: EdgeView;
  readonly contexts: CertificateContexts;
  readonly clock: Clock;
  readonly log: ThrottledLog;
  readonly serveSite: ServeSite;
  readonly own?: OwnName | undefined;
  readonly publicHttpsPort: number;
}): EdgeHandler {
  const port = publicHttpsPort === 443 ? "" : `:${publicHttpsPort}`;
  const responses = new PageCache(view);
  const originOf = (host: string) => `https://${host}${port}`;
  const redirect = (to: string, status: number, request: EdgeRequest): HttpResponse =>
    plainResponse(status, "This page is at another address.", {
      headers: {
        location: originOf(to) + request.path + request.query,
        "cache-control": redirectCaching,
      },
    });

  async function fromSite(
    request: EdgeRequest,
    { deployment, primary, preview }: Extract<Route, { kind: "site" }>,
  ): Promise<HttpResponse> {
    const response = await serveSite(request, deployment);
    const headers = { ...response.headers };
    // Where a site redirects within itself. Spelt out, an address that begins with two slashes cannot
    // be taken for that of another host.
    if (headers["location"]?.startsWith("/")) {
      headers["location"] = originOf(request.host) + headers["location"];
    }
    if (primary !== undefined && primary !== request.host && isPage(response.status)) {
      const canonical = `<${originOf(primary)}${inLink(request.path)}>; rel="canonical"`;
      headers["link"] = headers["link"] ? `${headers["link"]}, ${canonical}` : canonical;
    }
    if (preview) headers["x-robots-tag"] = "noindex";
    return { ...response, headers };
  }

  function secured(request: EdgeRequest, serverName: string): MaybePromise<HttpResponse> {
    // The other host may well be ours, but this connection proved to be another's.
    if (request.host !== serverName)
      return plainResponse(421, "This connection is for another host.");
    if (!isServable(request))
      return ofAttached(request.host, notAllowed()).then((found) => found ?? notAllowed());
    return responses.get(request, () => routed(request));
  }

  /** Of the service itself, every method is; of a site, those that read. */
  const isServable = ({ method, host }: EdgeRequest) =>
    method === "GET" || method === "HEAD" || host === own?.host;

  async function routed(request: EdgeRequest): Promise<HttpResponse> {
    const route = await view.route(request.host, clock.now());
    if (route === undefined) return unrouted(request.host);
    const response =
      route.kind === "redirect"
        ? redirect(route.to, route.status, request)
        : await fromSite(request, route);
    return withPolicy(response, route.hsts);
  }

  async function plain(request: EdgeRequest): Promise<HttpResponse> {
    if (!isServable(request)) return notAllowed();
    if (request.path.startsWith(challengePrefix)) return challenge(request);
    const isOwn = request.host === own?.host;
    if ((await contexts.of(request.host)) !== undefined) {
      // 301, which every client knows: of sites only GET and HEAD come so far, and there is no method
      // that 308 would have to keep.
      return redirect(request.host, isOwn ? 308 : 301, request);
    }
    return isOwn
      ? plainResponse(503, uncertified, { headers: { "retry-after": "60" } })
      : plainResponse(404, "There is no site here.");
  }

  /** For a host that shows nothing: an attached one for now, another one below ours not at all. */
  async function unrouted(host: string): Promise<HttpResponse> {
    if ((await contexts.of(host)) === undefined) {
      return plainResponse(421, "There is no site here.", { close: true });
    }
    return (
      (await ofAttached(
        host,
        page(503, "This site is not available", "Please come back later."),
      )) ?? page(404, "There is no site here", "Please check the address.")
    );
  }

  /** With the policy of the host; undefined if it is not attached. */
  async function ofAttached(host: string, response: HttpResponse) {
    const certificate = await view.certificate(host);
    return certificate?.host === host ? withPolicy(response, certificate.hsts) : undefined;
  }

  async function challenge({ host, path }: EdgeRequest): Promise<HttpResponse> {
    const token = path.slice(challengePrefix.length);
    const proof = challengeToken.test(token)
      ? await view.challenge(host, token, clock.now())
      : undefined;
    if (proof === undefined) return plainResponse(404, noChallenge);
    return { ...plainResponse(200, ""), headers: challengeHeaders, body: proof };
  }

  /** One way out: the store may fail, and the edge goes on. */
  function guarded(
    request: HttpRequest,
    decide: (request: EdgeRequest) => MaybePromise<HttpResponse>,
  ): MaybePromise<HttpResponse> {
    const { method, host, path, query } = request;
    if (host === undefined)
      return plainResponse(400, "This request names no host.", { close: true });
    const header = (name: string) => request.header(name);
    const failed = (cause: unknown) => {
      log.error("edge.request_failed", { host, cause });
      return unavailable();
    };
    try {
      const { text } = request;
      const response = decide({ method, host, path, query, header, text });
      return response instanceof Promise ? response.catch(failed) : response;
    } catch (cause) {
      return failed(cause);
    }
  }

  return {
    secured: (request, serverName) => guarded(request, (asked) => secured(asked, serverName)),
    plain: (request) => guarded(request, plain),
    cached: (text, serverName) => responses.findByText(text, serverName, clock.now()),
  };
}

/** Answers on connections that are encrypted for the name of the service itself. */
export function securedOwn({ host, handler }: OwnName): HttpHandler {
  // Without what it has prepared, which lacks the header.
  const { cached: _, ...uncached } = handler;
  return {
    ...uncached,
    handle: (request) =>
      request.host === host
        ? then(handler.handle(request), (response) => ({
            ...response,
            headers: { ...response.headers, "strict-transport-security": ownStrictTransport },
          }))
        : plainResponse(421, "This connection is for another host."),
  };
}

function withPolicy(response: HttpResponse, hsts: HstsPolicy = "day"): HttpResponse {
  const headers = { ...response.headers, "strict-transport-security": strictTransport[hsts] };
  return { ...response, headers };
}

const notAllowed = () =>
  plainResponse(405, "Only GET and HEAD are served here.", { headers: { allow: "GET, HEAD" } });

const uncertified = "This service has no certificate yet. Try again in a minute.";

const challengeHeaders = {
  "content-type": "application/octet-stream",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

export function unavailable(): HttpResponse {
  return plainResponse(503, "This page is temporarily unavailable. Please try again in a moment.", {
    headers: { "retry-after": String(retryAfterSeconds) },
  });
}

const isPage = (status: number) => status === 200 || status === 304;

/** A path may have characters that would end the address within a Link header. */
function inLink(path: string): string {
  return path.replace(/[<>"\\^`{|}]/g, (character) => encodeURIComponent(character));
}

/** A page of our own, in place of one of the site's. */
function page(status: number, title: string, words: string): HttpResponse {
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<h1>${title}</h1>
<p>${words}</p>
`;
  const headers = { "content-type": "text/html; charset=utf-8", "x-robots-tag": "noindex" };
  const { headers: plain } = plainResponse(status, "");
  return { status, headers: { ...plain, ...headers }, body };
}

/** A response in plain text, for people. */
export function plainResponse(
  status: number,
  words: string,
  { headers = {}, close = false }: { headers?: Record<string, string>; close?: boolean } = {},
): HttpResponse {
  const plain = {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
  return { status, headers: { ...plain, ...headers }, body: `${words}\n`, close };
}

/** Where a certificate authority asks for the proof that a host is ours (RFC 8555, section 8.3). */
export const challengePrefix = "/.well-known/acme-challenge/";

/** By which `petstore doctor` knows an edge. */
export const noChallenge = "There is no such challenge.";

/** The base64url alphabet, and longer than any authority's. */
export const challengeToken = /^[A-Za-z0-9_-]{1,256}$/;
