/**
 * A certificate authority on loopback (RFC 8555). It validates as a public one does: it looks names
 * up, honours CAA records and fetches the challenge from the address that it found. The key of its
 * root is never written to disk, so nothing can be signed by it once the rehearsal is over.
 */
import { randomBytes } from "node:crypto";
import { wildcardBase } from "../../src/hosting/domains/certificateAuthority.ts";
import { type Jwk, readSignedRequest, thumbprint } from "../../testkit/acmeRequest.ts";
import {
  alternativeNames,
  authorityExtensions,
  authorityKeyId,
  certify,
  type Issuer,
  keyIdOf,
  newKeyPair,
  readCertificateRequest,
  serverExtensions,
  spkiOf,
  subjectKeyId,
} from "../../testkit/certificates.ts";
import {
  type ChallengeType,
  type Problem,
  problem,
  type ValidationOptions,
  validate,
} from "./validation.ts";

export interface RunningAuthority {
  readonly directory: string;
  /** What its certificates lead to, and what its own interface is trusted by. */
  readonly rootPem: string;
  stop(): Promise<void>;
}

interface Authorization {
  readonly id: string;
  readonly account: string;
  readonly name: string;
  readonly wildcard: boolean;
  readonly token: string;
  status: "pending" | "valid" | "invalid";
  /** The challenge that was chosen, once it was. */
  chosen?: ChallengeType;
  error?: Problem;
}

interface Order {
  readonly id: string;
  readonly account: string;
  readonly names: readonly string[];
  readonly authorizations: readonly Authorization[];
  chain?: string;
}

/** A request that is refused. */
class Refusal extends Error {
  readonly type: string;
  readonly status: number;

  constructor(type: string, detail: string, status = 400) {
    super(detail);
    this.type = type;
    this.status = status;
  }
}

interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly location?: string;
  /** Of a challenge: its authorization. */
  readonly up?: string;
}

/** A request whose signature and nonce are right. */
interface Signed {
  readonly account: string;
  readonly jwk: Jwk;
  readonly payload: Record<string, unknown> | undefined;
}

const dayMs = 86_400_000;
const certificateDays = 90;
const namesMax = 10;
const noncesMax = 1000;
const ordersMax = 1000;
const bodyBytesMax = 64 * 1024;

export async function startAuthority(options: ValidationOptions): Promise<RunningAuthority> {
  const issuer: Issuer = { name: "Pet Store rehearsal root", ...newKeyPair() };
  const rootPem = certificateBy(issuer, {
    subject: issuer.name,
    spki: spkiOf(issuer.publicKey),
    extensions: authorityExtensions,
  });
  const { publicKey, privateKey } = newKeyPair();
  const cert = certificateBy(issuer, {
    subject: "localhost",
    spki: spkiOf(publicKey),
    extensions: [...serverExtensions, alternativeNames(["localhost", "127.0.0.1"])],
  });
  const authority = new Authority(options, issuer, rootPem);
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    maxRequestBodySize: bodyBytesMax,
    tls: { cert, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() },
    fetch: (request) => authority.handle(request),
  });
  authority.origin = `https://127.0.0.1:${server.port}`;
  return {
    directory: `${authority.origin}/directory`,
    rootPem,
    stop: () => server.stop(true),
  };
}

function certificateBy(
  issuer: Issuer,
  { subject, spki, extensions }: { subject: string; spki: Buffer; extensions: readonly Buffer[] },
): string {
  const keyIds = [subjectKeyId(keyIdOf(spki)), authorityKeyId(keyIdOf(spkiOf(issuer.publicKey)))];
  // Positive, and with at least 64 random bits.
  const serial = Buffer.concat([Buffer.from([0x11]), randomBytes(15)]);
  const notBeforeMs = Date.now() - dayMs;
  const notAfterMs = Date.now() + certificateDays * dayMs;
  const all = [...extensions, ...keyIds];
  return certify(issuer, { subject, spki, serial, notBeforeMs, notAfterMs, extensions: all });
}

class Authority {
  origin = "";
  readonly #options: ValidationOptions;
  readonly #issuer: Issuer;
  readonly #rootPem: string;
  readonly #nonces = new Set<string>();
  readonly #accounts = new Map<string, Jwk>();
  readonly #authorizations = new Map<string, Authorization>();
  readonly #orders = new Map<string, Order>();

  constructor(options: ValidationOptions, issuer: Issuer, rootPem: string) {
    this.#options = options;
    this.#issuer = issuer;
    this.#rootPem = rootPem;
  }

  async handle(request: Request): Promise<Response> {
    try {
      return this.#respond(await this.#reply(request));
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      const { type, message, status } = cause;
      const body = { ...problem(type, message), status };
      return this.#respond({ status, body }, "application/problem+json");
    }
  }

  #respond({ status, body, location, up }: Reply, type = "application/json"): Response {
    const nonce = randomBytes(16).toString("base64url");
    this.#nonces.add(nonce);
    for (const oldest of [...this.#nonces].slice(0, -noncesMax)) this.#nonces.delete(oldest);
    const isText = typeof body === "string";
    const headers = new Headers({
      "content-type": isText ? "application/pem-certificate-chain" : type,
      "cache-control": "no-store",
      "replay-nonce": nonce,
      link: `<${this.origin}/directory>;rel="index"`,
    });
    if (location !== undefined) headers.set("location", location);
    // RFC 8555, section 7.5.1. Some clients find the authorization by it alone.
    if (up !== undefined) headers.append("link", `<${up}>;rel="up"`);
    const text = isText ? body : JSON.stringify(body);
    return new Response(body === undefined ? null : text, { status, headers });
  }

  async #reply(request: Request): Promise<Reply> {
    const { pathname } = new URL(request.url);
    const [, step = "", id = "", type = ""] = pathname.split("/");
    if (request.method !== "POST") return this.#open(step, request.method);
    const signed = this.#signed(await request.text(), request.headers, pathname);
    if (step === "new-account") return this.#account(signed);
    if (step === "account") return { status: 200, body: { status: "valid", contact: [] } };
    if (step === "new-order") return this.#place(signed);
    if (step === "authorization" || step === "challenge") {
      const authorization = this.#owned(this.#authorizations.get(id), signed);
      if (step === "authorization") return { status: 200, body: this.#shown(authorization) };
      return this.#challenge(authorization, type as ChallengeType, signed);
    }
    const order = this.#owned(this.#orders.get(id), signed);
    if (step === "finalize") this.#finalize(order, signed);
    if (step === "certificate") return { status: 200, body: order.chain };
    const location = `${this.origin}/order/${order.id}`;
    return { status: 200, body: this.#shownOrder(order), location };
  }

  #open(step: string, method: string): Reply {
    if (step === "new-nonce") return { status: method === "HEAD" ? 200 : 204 };
    if (step !== "directory") throw new Refusal("malformed", "Nothing is here.", 404);
    const directory = {
      newNonce: `${this.origin}/new-nonce`,
      newAccount: `${this.origin}/new-account`,
      newOrder: `${this.origin}/new-order`,
      meta: { caaIdentities: [this.#options.caaIdentity] },
    };
    return { status: 200, body: directory };
  }

  #signed(text: string, headers: Headers, pathname: string): Signed {
    const url = this.origin + pathname;
    const read = this.#readSigned(text, {
      url,
      contentType: headers.get("content-type") ?? undefined,
      by: pathname === "/new-account" ? "jwk" : "kid",
      keyOf: (kid) => this.#accounts.get(kid),
    });
    if (read === "unknown account") {
      throw new Refusal("accountDoesNotExist", "No account has this address.");
    }
    if (!this.#nonces.delete(read.nonce)) throw new Refusal("badNonce", "The nonce is not valid.");
    return { account: read.kid ?? "", jwk: read.jwk, payload: read.payload };
  }

  #readSigned(...given: Parameters<typeof readSignedRequest>) {
    try {
      return readSignedRequest(...given);
    } catch (cause) {
      throw new Refusal("malformed", `The request is not signed properly: ${cause}`);
    }
  }

  #owned<T extends { readonly account: string }>(found: T | undefined, { account }: Signed): T {
    if (found?.account === account) return found;
    throw new Refusal("malformed", "This account has nothing here.", 404);
  }

  #account({ jwk, payload }: Signed): Reply {
    const location = `${this.origin}/account/${thumbprint(jwk)}`;
    const known = this.#accounts.has(location);
    if (!known && payload?.["onlyReturnExisting"] === true) {
      throw new Refusal("accountDoesNotExist", "There is no account with this key.");
    }
    this.#accounts.set(location, jwk);
    return { status: known ? 200 : 201, location, body: { status: "valid", contact: [] } };
  }

  #place({ account, payload }: Signed): Reply {
    const names = namesIn(payload?.["identifiers"]);
    if (this.#orders.size >= ordersMax) {
      throw new Refusal("rateLimited", `A rehearsal has at most ${ordersMax} orders.`, 429);
    }
    const authorizations = names.map((name): Authorization => {
      const base = wildcardBase(name);
      const token = randomBytes(32).toString("base64url");
      const rest = { account, name: base ?? name, wildcard: base !== undefined, token } as const;
      return { id: randomBytes(8).toString("hex"), ...rest, status: "pending" };
    });
    for (const each of authorizations) this.#authorizations.set(each.id, each);
    const order: Order = { id: randomBytes(8).toString("hex"), account, names, authorizations };
    this.#orders.set(order.id, order);
    const location = `${this.origin}/order/${order.id}`;
    return { status: 201, location, body: this.#shownOrder(order) };
  }

  #shownOrder(order: Order) {
    return {
      status: statusOf(order),
      identifiers: order.names.map((value) => ({ type: "dns", value })),
      authorizations: order.authorizations.map(({ id }) => `${this.origin}/authorization/${id}`),
      finalize: `${this.origin}/finalize/${order.id}`,
      ...(order.chain === undefined
        ? {}
        : { certificate: `${this.origin}/certificate/${order.id}` }),
    };
  }

  #shown(authorization: Authorization) {
    const { name, wildcard, status } = authorization;
    const types: readonly ChallengeType[] = wildcard ? ["dns-01"] : ["http-01", "dns-01"];
    return {
      status,
      identifier: { type: "dns", value: name },
      ...(wildcard ? { wildcard } : {}),
      challenges: types.map((type) => this.#shownChallenge(authorization, type)),
    };
  }

  #shownChallenge({ id, token, chosen, status, error }: Authorization, type: ChallengeType) {
    const url = `${this.origin}/challenge/${id}/${type}`;
    if (type !== chosen) return { type, url, token, status: "pending" };
    const shown = status === "pending" ? "processing" : status;
    return { type, url, token, status: shown, ...(error === undefined ? {} : { error }) };
  }

  #challenge(authorization: Authorization, type: ChallengeType, { jwk, payload }: Signed): Reply {
    const shown = this.#shown(authorization).challenges.find((each) => each.type === type);
    if (shown === undefined) throw new Refusal("malformed", "There is no such challenge.", 404);
    if (payload !== undefined && authorization.chosen === undefined) {
      authorization.chosen = type;
      const keyAuthorization = `${authorization.token}.${thumbprint(jwk)}`;
      void validate({ ...authorization, type, keyAuthorization }, this.#options).then((error) => {
        authorization.status = error === undefined ? "valid" : "invalid";
        if (error !== undefined) authorization.error = error;
      });
    }
    const up = `${this.origin}/authorization/${authorization.id}`;
    return { status: 200, body: this.#shownChallenge(authorization, type), up };
  }

  #finalize(order: Order, { payload }: Signed): void {
    if (statusOf(order) !== "ready") {
      throw new Refusal("orderNotReady", `The order is ${statusOf(order)}.`, 403);
    }
    const { names, spki } = requestIn(String(payload?.["csr"]));
    if (names.toSorted().join() !== order.names.toSorted().join()) {
      throw new Refusal("badCSR", `The request is for ${names}, and the order for ${order.names}.`);
    }
    const leaf = certificateBy(this.#issuer, {
      subject: "",
      spki,
      extensions: [...serverExtensions, alternativeNames(names, true)],
    });
    order.chain = leaf + this.#rootPem;
  }
}

function statusOf({ chain, authorizations }: Order): "valid" | "invalid" | "ready" | "pending" {
  if (chain !== undefined) return "valid";
  if (authorizations.some(({ status }) => status === "invalid")) return "invalid";
  return authorizations.every(({ status }) => status === "valid") ? "ready" : "pending";
}

function namesIn(identifiers: unknown): string[] {
  const all = Array.isArray(identifiers) ? identifiers : [];
  const names = all.map(({ type, value }) => (type === "dns" ? String(value).toLowerCase() : ""));
  const isName = (name: string) => /^(?:\*\.)?(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{1,63}$/.test(name);
  if (names.length > 0 && names.length <= namesMax && names.every(isName)) {
    return [...new Set(names)];
  }
  const detail = `An order is for one to ${namesMax} host names.`;
  throw new Refusal("rejectedIdentifier", detail);
}

function requestIn(text: string) {
  try {
    return readCertificateRequest(Buffer.from(text, "base64url"));
  } catch (cause) {
    throw new Refusal("badCSR", `The certificate request cannot be read: ${cause}`);
  }
}
