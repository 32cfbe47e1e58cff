/**
 * Stands before pebble, so that a test can see what is asked of a certificate authority, have it
 * fail, and offer renewal information, which pebble 2.4 does not know.
 *
 * The Host header goes through unchanged. Pebble makes its URLs from it and checks the signed `url`
 * against it, so all that a client does goes through here, and no body needs rewriting.
 */

import { freePort } from "../freePorts.ts";
import {
  badNonce,
  type CaFaults,
  type CaKind,
  type CaRequest,
  makeFaults,
  type Refusal,
} from "./caFaults.ts";
import type { ApiCertificate } from "./certificate.ts";

export interface RenewalWindow {
  readonly start: Date;
  readonly end: Date;
  readonly explanationURL?: string;
  /** When to ask again; six hours if it is not said. */
  readonly retryAfterSeconds?: number;
}

export interface CaProxy {
  /** What the product is told: `https://127.0.0.1:14001/dir`. */
  readonly directory: string;
  readonly faults: CaFaults;
  /** Every request so far, oldest first. */
  readonly requests: readonly CaRequest[];
  count(kind: CaKind): number;
  /** The names of all orders that reached the proxy, refused or not, oldest first. */
  hostsOrdered(): string[];
  /** The certificates that orders said they replace, oldest first. */
  replaced(): string[];
  /**
   * Offers renewal information with this window, for one certificate (its RFC 9773 id) or for all
   * that have no window of their own. `undefined` takes the window back; without any window the
   * directory says nothing of renewal.
   */
  setRenewalWindow(window: RenewalWindow | undefined, certificateId?: string): void;
  stop(): Promise<void>;
}

const kindsByPath: readonly [prefix: string, kind: CaKind][] = [
  ["/dir", "directory"],
  ["/nonce-plz", "newNonce"],
  ["/sign-me-up", "newAccount"],
  ["/order-plz", "newOrder"],
  ["/my-order/", "order"],
  ["/authZ/", "authorization"],
  ["/chalZ/", "challenge"],
  ["/finalize-order/", "finalize"],
  ["/certZ/", "certificate"],
  ["/renewal-info/", "renewalInfo"],
];

const anyCertificate = "*";
const sixHoursSeconds = 6 * 3600;

export async function startCaProxy(options: {
  /** `https://127.0.0.1:14000` */
  readonly upstream: string;
  readonly certificate: ApiCertificate;
}): Promise<CaProxy> {
  const { upstream, certificate } = options;
  const faults = makeFaults();
  const requests: CaRequest[] = [];
  const windows = new Map<string, RenewalWindow>();

  const forward = (request: Request, body: string) =>
    fetch(upstream + pathOf(request), {
      method: request.method,
      headers: request.headers,
      redirect: "manual",
      tls: { ca: certificate.pem },
      ...(body === "" ? {} : { body }),
    });

  async function answer(seen: CaRequest, request: Request, body: string): Promise<Response> {
    const refusal = faults.refusalOf(seen);
    if (refusal !== undefined) return refuse(refusal, await freshNonce(request));
    if (seen.kind === "renewalInfo") return renewalInfo(seen.path, windows);
    const response = await forward(request, body);
    if (seen.kind === "directory" && windows.size > 0) return withRenewalInfo(request, response);
    if (seen.kind === "newOrder" && (await isAuthorizedAlready(response))) {
      requests.splice(requests.indexOf(seen), 1);
      return refuse({ ...badNonce, kind: seen.kind }, await freshNonce(request));
    }
    return handOn(response);
  }

  /** Every refusal of a signed request carries one (RFC 8555, section 6.5). */
  async function freshNonce(request: Request): Promise<string> {
    const { host = "" } = Object.fromEntries(request.headers);
    const answer = await fetch(`${upstream}/nonce-plz`, {
      method: "HEAD",
      headers: { host },
      tls: { ca: certificate.pem },
    }).catch(() => undefined);
    return answer?.headers.get("replay-nonce") ?? "";
  }

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: await freePort(),
    idleTimeout: 0,
    tls: { cert: certificate.pem, key: certificate.keyPem },
    async fetch(request) {
      const body = await request.text();
      const seen = describe(request, body);
      requests.push(seen);
      const response = await answer(seen, request, body);
      seen.status = response.status;
      await faults.held(seen);
      return response;
    },
    // Pebble has been stopped, or ended.
    error: () => new Response(null, { status: 502 }),
  });

  return {
    directory: `https://127.0.0.1:${server.port}/dir`,
    faults,
    requests,
    count: (kind) => requests.filter((request) => request.kind === kind).length,
    hostsOrdered: () => requests.flatMap(({ hosts }) => hosts),
    replaced: () => requests.flatMap(({ replaces }) => replaces ?? []),
    setRenewalWindow(window, certificateId = anyCertificate) {
      if (window === undefined) windows.delete(certificateId);
      else windows.set(certificateId, window);
    },
    async stop() {
      faults.clear();
      await server.stop(true);
    },
  };
}

/**
 * Pebble reuses the authorization of an earlier order once in a hundred times, even where it is told
 * never to. Such an order is not handed on: the client places it again.
 */
async function isAuthorizedAlready(response: Response): Promise<boolean> {
  if (!response.ok) return false;
  const order = (await response.clone().json()) as { readonly status?: string };
  return order.status === "ready";
}

function pathOf(request: Request): string {
  const { pathname, search } = new URL(request.url);
  return pathname + search;
}

function describe(request: Request, body: string): CaRequest {
  const path = pathOf(request);
  const kind = kindsByPath.find(([prefix]) => path.startsWith(prefix))?.[1] ?? "other";
  const { identifiers = [], replaces } = kind === "newOrder" ? payloadOf(body) : {};
  const hosts = identifiers.map(({ value }) => value);
  return { kind, method: request.method, path, hosts, replaces, status: undefined };
}

interface OrderPayload {
  readonly identifiers?: readonly { readonly value: string }[];
  readonly replaces?: string;
}

function payloadOf(body: string): OrderPayload {
  try {
    const { payload } = JSON.parse(body);
    return JSON.parse(Buffer.from(payload, "base64url").toString());
  } catch {
    return {};
  }
}

function refuse({ type, status, detail, retryAfter }: Refusal, nonce: string): Response {
  const headers = new Headers({
    "content-type": "application/problem+json",
    "replay-nonce": nonce,
  });
  if (retryAfter !== undefined) headers.set("retry-after", `${retryAfter}`);
  const problem = { type: `urn:ietf:params:acme:error:${type}`, status, detail };
  return new Response(JSON.stringify(problem), { status, headers });
}

async function handOn(response: Response): Promise<Response> {
  const { status, headers } = response;
  const hasBody = status !== 204 && status !== 304;
  const kept = new Headers(headers);
  // The body has been unpacked on the way, so these no longer speak of it.
  for (const name of ["content-length", "content-encoding", "transfer-encoding"]) kept.delete(name);
  return new Response(hasBody ? await response.arrayBuffer() : null, { status, headers: kept });
}

async function withRenewalInfo(request: Request, response: Response): Promise<Response> {
  const directory = (await response.json()) as Record<string, unknown>;
  const host = request.headers.get("host");
  return Response.json({ ...directory, renewalInfo: `https://${host}/renewal-info` });
}

function renewalInfo(path: string, windows: ReadonlyMap<string, RenewalWindow>): Response {
  const certificateId = path.slice(path.lastIndexOf("/") + 1);
  const window = windows.get(certificateId) ?? windows.get(anyCertificate);
  if (window === undefined) {
    const problem = { type: "urn:ietf:params:acme:error:malformed", detail: "no such certificate" };
    return Response.json(problem, { status: 404 });
  }
  const { start, end, explanationURL, retryAfterSeconds = sixHoursSeconds } = window;
  return Response.json(
    {
      suggestedWindow: { start, end },
      ...(explanationURL === undefined ? {} : { explanationURL }),
    },
    { headers: { "retry-after": `${retryAfterSeconds}` } },
  );
}
