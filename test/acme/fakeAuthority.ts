/** An authority that holds its clients to RFC 8555, and misbehaves by a script. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type Jwk,
  readSignedRequest,
  type SignedRequest,
  thumbprint,
} from "../../testkit/acmeRequest.ts";
import { readCertificateRequest } from "../../testkit/certificates.ts";
import { issue } from "./certificates.ts";

export type Step =
  | "directory"
  | "newNonce"
  | "newAccount"
  | "newOrder"
  | "authorization"
  | "challenge"
  | "order"
  | "finalize"
  | "certificate"
  | "renewalInfo";

export interface Reply {
  readonly status: number;
  readonly headers?: Record<string, string>;
  /** A string goes as it is, anything else as JSON. */
  readonly body?: unknown;
}

/** `hang up`: before a byte. `break off`: in the middle of the body. `say nothing`: for ever. */
export type Act = Reply | "hang up" | "break off" | "say nothing";

/** What to do at a step instead, if anything. `usual` does the usual and returns its answer. */
export type Script = (nth: number, usual: () => Reply) => Act | undefined;

export interface SeenRequest {
  readonly step: Step;
  readonly payload: Record<string, unknown> | undefined;
  readonly kid: string | undefined;
  readonly accept: string | undefined;
}

interface OrderRecord {
  readonly host: string;
  status: string;
  chain?: string;
}

export function problem(
  status: number,
  type: string,
  more: { detail?: string; headers?: Record<string, string>; subproblems?: unknown[] } = {},
): Reply {
  const { detail = `this is ${type}`, headers = {}, subproblems } = more;
  return {
    status,
    headers: { "content-type": "application/problem+json", ...headers },
    body: { type: `urn:ietf:params:acme:error:${type}`, detail, subproblems },
  };
}

export class FakeAuthority {
  /** What clients did against the rules. Empty at the end of every test. */
  readonly violations: string[] = [];
  readonly seen: SeenRequest[] = [];
  /** Key authorisations by token: what a fetch from the host would bring. */
  readonly published = new Map<string, string>();
  origin = "";
  readonly accounts = new Map<string, Jwk>();
  meta: Record<string, unknown> = {};
  /** Called when a request was left without an answer. */
  onSilence: () => void = () => {};

  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #scripts = new Map<Step, Script>();
  readonly #counts = new Map<Step, number>();
  readonly #nonces = new Set<string>();
  readonly #authorizations = new Map<string, { host: string; status: string; error?: unknown }>();
  readonly #orders = new Map<string, OrderRecord>();
  #numbers = 0;

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.origin = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  when(step: Step, script: Script): void {
    this.#scripts.set(step, script);
  }

  steps(): Step[] {
    return this.seen.map(({ step }) => step);
  }

  /** An authorisation that stands from an earlier order. */
  authorize(host: string): void {
    this.#authorizations.set(`authz-${host}`, { host, status: "valid" });
  }

  /** Forgets all accounts, as if someone had removed them. */
  forgetAccounts(): void {
    this.accounts.clear();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += chunk;
    const [, first = "", id = ""] = (request.url ?? "").split("/");
    const step = first as Step;
    const nth = (this.#counts.get(step) ?? 0) + 1;
    this.#counts.set(step, nth);
    let usualReply: Reply | undefined;
    const usual = () => {
      usualReply ??= this.#usual(step, id, request, body);
      return usualReply;
    };
    const act = this.#scripts.get(step)?.(nth, usual) ?? usual();
    this.#perform(act, request.method === "HEAD", response);
  }

  #perform(act: Act, head: boolean, response: ServerResponse): void {
    if (act === "hang up") return void response.destroy();
    if (act === "say nothing") return void this.onSilence();
    const { status, headers = {}, body } = act === "break off" ? { status: 200 } : act;
    response.writeHead(status, { "replay-nonce": this.#newNonce(), ...headers });
    if (act === "break off") {
      response.write('{"status":');
      setImmediate(() => response.destroy());
    } else response.end(head ? "" : typeof body === "string" ? body : JSON.stringify(body ?? {}));
  }

  #usual(step: Step, id: string, request: IncomingMessage, body: string): Reply {
    if (request.method !== "POST") return this.#open(step, id, request);
    let signed: SignedRequest | "unknown account";
    try {
      signed = readSignedRequest(body, {
        url: `${this.origin}${request.url}`,
        contentType: request.headers["content-type"],
        by: step === "newAccount" ? "jwk" : "kid",
        keyOf: (kid) => this.accounts.get(kid),
      });
    } catch (reason) {
      return this.#violation(`${step}: ${reason}`);
    }
    if (signed === "unknown account") return problem(400, "accountDoesNotExist");
    if (!this.#nonces.delete(signed.nonce)) return problem(400, "badNonce");
    const { payload, kid } = signed;
    this.seen.push({ step, payload, kid, accept: request.headers.accept });
    return this.#answer(step, id, signed);
  }

  #open(step: Step, id: string, request: IncomingMessage): Reply {
    if (step === "newNonce" && request.method === "HEAD") return { status: 200 };
    if (step === "renewalInfo" && request.method === "GET") {
      this.seen.push({ step, payload: { id }, kid: undefined, accept: undefined });
      return problem(404, "malformed");
    }
    if (step !== "directory") return this.#violation(`${request.method} ${request.url}`);
    const at = (name: string) => `${this.origin}/${name}`;
    return {
      status: 200,
      body: {
        newNonce: at("newNonce"),
        newAccount: at("newAccount"),
        newOrder: at("newOrder"),
        renewalInfo: at("renewalInfo"),
        meta: this.meta,
      },
    };
  }

  #answer(step: Step, id: string, signed: SignedRequest): Reply {
    const { payload, jwk } = signed;
    const reads: readonly Step[] = ["authorization", "order", "certificate"];
    if (reads.includes(step) !== (payload === undefined)) return this.#violation(`${step} payload`);
    if (step === "newAccount") return this.#account(jwk);
    if (step === "newOrder") return this.#place(payload ?? {});
    if (step === "authorization") return { status: 200, body: this.#authorization(id) };
    if (step === "challenge") return this.#look(id, jwk);
    if (step === "finalize") return this.#finalize(id, String(payload?.["csr"]));
    if (step === "order") return { status: 200, body: this.#order(id) };
    if (step === "certificate") return { status: 200, body: this.#orders.get(id)?.chain };
    return this.#violation(`an unknown address ${step}`);
  }

  #account(jwk: Jwk): Reply {
    const url = [...this.accounts].find(([, known]) => thumbprint(known) === thumbprint(jwk))?.[0];
    const location = url ?? `${this.origin}/account/${this.#number()}`;
    this.accounts.set(location, jwk);
    return {
      status: url === undefined ? 201 : 200,
      headers: { location },
      body: { status: "valid" },
    };
  }

  #place({ identifiers }: Record<string, unknown>): Reply {
    const [{ type, value: host }] = identifiers as [{ type: string; value: string }];
    if (type !== "dns") return this.#violation("an identifier that is no DNS name");
    const id = `${this.#number()}-${host}`;
    const known = this.#authorizations.get(`authz-${host}`)?.status === "valid";
    if (!known) this.#authorizations.set(`authz-${host}`, { host, status: "pending" });
    this.#orders.set(id, { host, status: "pending" });
    const headers = { location: `${this.origin}/order/${id}` };
    return { status: 201, headers, body: this.#order(id) };
  }

  #order(id: string): Record<string, unknown> {
    const order = this.#orders.get(id);
    const authorization = this.#authorizations.get(`authz-${order?.host}`);
    if (order?.status === "pending" && authorization?.status === "valid") order.status = "ready";
    if (order?.status === "pending" && authorization?.status === "invalid")
      order.status = "invalid";
    return {
      status: order?.status,
      identifiers: [{ type: "dns", value: order?.host }],
      authorizations: [`${this.origin}/authorization/authz-${order?.host}`],
      finalize: `${this.origin}/finalize/${id}`,
      ...(order?.chain === undefined ? {} : { certificate: `${this.origin}/certificate/${id}` }),
    };
  }

  #authorization(id: string): Record<string, unknown> {
    const { host = "", status = "", error } = this.#authorizations.get(id) ?? {};
    const challenge = (type: string, more = {}) => ({
      type,
      status: status === "pending" ? "pending" : status,
      url: `${this.origin}/challenge/${id}`,
      token: `token-for-${host.replaceAll(".", "-")}`,
      ...more,
    });
    const challenges = [challenge("dns-01"), challenge("http-01", error ? { error } : {})];
    return { status, identifier: { type: "dns", value: host }, challenges };
  }

  /** As if it fetched from the host at once. */
  #look(id: string, jwk: Jwk): Reply {
    const authorization = this.#authorizations.get(id);
    if (authorization === undefined) return problem(404, "malformed");
    const token = `token-for-${authorization.host.replaceAll(".", "-")}`;
    const right = this.published.get(token) === `${token}.${thumbprint(jwk)}`;
    authorization.status = right ? "valid" : "invalid";
    if (!right) authorization.error = problem(403, "unauthorized").body;
    return { status: 200, body: { type: "http-01", status: "processing" } };
  }

  #finalize(id: string, csr: string): Reply {
    const order = this.#orders.get(id);
    if (order?.status !== "ready") return problem(403, "orderNotReady");
    const { subject, names, spki } = readCertificateRequest(Buffer.from(csr, "base64url"));
    if (subject.length > 0 || names.join() !== order.host)
      return this.#violation(`a request for ${names}`);
    order.status = "valid";
    order.chain = `${issue({ names, spki })}\n${issue({ names: ["issuer.example"], spki })}`;
    return { status: 200, body: this.#order(id) };
  }

  #newNonce(): string {
    const nonce = `nonce-${this.#number()}`;
    this.#nonces.add(nonce);
    return nonce;
  }

  #number(): number {
    this.#numbers += 1;
    return this.#numbers;
  }

  #violation(what: string): Reply {
    this.violations.push(what);
    return problem(400, "malformed", { detail: what });
  }
}
