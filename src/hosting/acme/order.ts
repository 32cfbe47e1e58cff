/** One order from beginning to end (RFC 8555, section 7.4), perhaps by several processes in turn. */
import {
  type OrderOutcome,
  type OrderRequest,
  type PlacedOrder,
  usualValidation,
  type Validation,
  wildcardBase,
} from "../domains/certificateAuthority.ts";
import { newPrivateKeyPem } from "./account.ts";
import {
  AcmeError,
  errorOfProblem,
  isObject,
  isUnavailable,
  type JsonObject,
  malformed,
  messageOf,
  parseBody,
} from "./acmeError.ts";
import { certificateRequest, checkedChain, isRenewalName } from "./certificates.ts";
import type { AcmeSession } from "./client.ts";
import { unlessAborted } from "./transport.ts";

/** Throws an `AcmeError` if it ends without a certificate. */
export async function runOrder(request: OrderRequest, session: AcmeSession): Promise<OrderOutcome> {
  const { host } = request;
  const { url, order, privateKeyPem } =
    (await found(request.resume, session)) ?? (await place(request, session));
  // An order that is ready already has its authorizations.
  if (order.status === "pending") {
    for (const authorization of order.authorizations)
      await authorize(authorization, request, session);
  } else await ours(async () => request.trusted?.(), session);
  const state = await session.poll(url, authorizedState);
  const csr = () => certificateRequest(host, privateKeyPem).toString("base64url");
  const finalized =
    state === "ready" ? await finalize(order.finalize, csr(), url, session) : undefined;
  const certificate = await session.poll(url, certificateOf, finalized);
  const chain = await session.get(certificate, "application/pem-certificate-chain");
  const chainPem = checkedChain(chain.body, host, privateKeyPem);
  return { kind: "issued", chainPem, privateKeyPem, directory: session.directoryUrl };
}

async function finalize(finalizeUrl: string, csr: string, url: string, session: AcmeSession) {
  try {
    return await session.post(finalizeUrl, { csr });
  } catch (reason) {
    if (!isUnavailable(reason)) throw reason;
    // Perhaps only the response was lost, and an issued certificate counts against the rate limits.
    const response = await session.get(url);
    if (parseBody(response)["status"] === "ready") throw reason;
    return response;
  }
}

interface OpenOrder extends Pick<PlacedOrder, "url" | "privateKeyPem"> {
  readonly order: AcmeOrder;
}

/** The order to resume; undefined if the authority has it no more. */
async function found(
  resume: PlacedOrder | undefined,
  session: AcmeSession,
): Promise<OpenOrder | undefined> {
  if (resume === undefined || resume.directory !== session.directoryUrl) return undefined;
  const { url, privateKeyPem } = resume;
  try {
    const body = parseBody(await session.get(url));
    // Not refused but expired (RFC 8555, section 7.1.6).
    if (body["status"] === "invalid" && body["error"] === undefined) return undefined;
    return { url, privateKeyPem, order: parseOrder(body) };
  } catch (reason) {
    if (!(reason instanceof AcmeError)) throw reason;
    const { status, refusal } = reason;
    if (status === 404 || refusal.reason === "policy" || refusal.orderLost) return undefined;
    throw reason;
  }
}

async function place(
  { host, replaces, placed }: OrderRequest,
  session: AcmeSession,
): Promise<OpenOrder> {
  const { newOrder, renewalInfo } = await session.directory();
  const plain = { identifiers: [{ type: "dns", value: host }] };
  const replacing = replaces !== undefined && isRenewalName(replaces) && renewalInfo !== undefined;
  const response = replacing
    ? await session.post(newOrder, { ...plain, replaces }).catch((reason: unknown) => {
        if (!isAboutReplacing(reason)) throw reason;
        return session.post(newOrder, plain);
      })
    : await session.post(newOrder, plain);
  const url = response.header("location");
  if (url === undefined) throw malformed("an order without an address");
  const order = parseOrder(parseBody(response));
  const privateKeyPem = newPrivateKeyPem();
  await ours(async () => placed({ directory: session.directoryUrl, url, privateKeyPem }), session);
  return { url, order, privateKeyPem };
}

/** A failure of our own side: the order is left as it is. */
async function ours(work: () => Promise<void>, session: AcmeSession): Promise<void> {
  try {
    await unlessAborted(work(), session.signal);
  } catch (reason) {
    throw new AcmeError("abandoned", messageOf(reason));
  }
}

/**
 * The certificate was already replaced, is unknown, or belongs to another account (RFC 9773,
 * section 5). The new one is then ordered without `replaces`.
 */
function isAboutReplacing(reason: unknown): boolean {
  if (!(reason instanceof AcmeError)) return false;
  const { problemType = "", status = 0 } = reason;
  return (
    ["alreadyReplaced", "conflict", "malformed", "unauthorized"].includes(problemType) ||
    status === 404 ||
    status === 409
  );
}

async function authorize(url: string, request: OrderRequest, session: AcmeSession): Promise<void> {
  const authorization = parseBody(await session.get(url));
  if (!isFor(authorization, request.host)) throw malformed("an authorisation for another name");
  if (isAuthorized(authorization)) return ours(async () => request.trusted?.(), session);
  const challenge = challengeOf(authorization, request.validation ?? usualValidation(request.host));
  const { token } = challenge;
  const keyAuthorization = await session.keyAuthorization(token);
  // If it fails, the authorization is not deactivated: it is needed to resume the order.
  const challengeOfHost = { host: request.host, token, keyAuthorization };
  await ours(async () => request.publish(challengeOfHost), session);
  if (challenge.untried) await session.post(challenge.url, {});
  await session.poll(url, (state) => isAuthorized(state) || undefined);
}

const tokenLengthMax = 256;
/** Orders are for one name. */
const authorizationsMax = 4;

interface AcmeOrder {
  readonly status: string;
  readonly authorizations: readonly string[];
  readonly finalize: string;
}

function parseOrder(order: JsonObject): AcmeOrder {
  const { status, finalize } = order;
  const authorizations = order["authorizations"];
  if (
    typeof status !== "string" ||
    typeof finalize !== "string" ||
    !Array.isArray(authorizations) ||
    authorizations.length === 0 ||
    authorizations.length > authorizationsMax ||
    !authorizations.every((url) => typeof url === "string")
  ) {
    throw malformed("an order in which something is missing");
  }
  return { status, finalize, authorizations };
}

/** Whether the order can be finalised or was, by the process before; undefined while it is pending. */
export function authorizedState(order: JsonObject): "ready" | "finalised" | undefined {
  const { status } = order;
  if (status === "pending") return undefined;
  if (status === "ready") return status;
  if (status === "processing" || status === "valid") return "finalised";
  if (status === "invalid") throw refusedOrder(order);
  throw malformed("an order in an unexpected state");
}

/** The URL of the certificate; undefined until it is issued. */
export function certificateOf(order: JsonObject): string | undefined {
  if (order["status"] === "valid" && typeof order["certificate"] === "string")
    return order["certificate"];
  if (order["status"] === "processing" || order["status"] === "ready") return undefined;
  if (order["status"] === "invalid") throw refusedOrder(order);
  throw malformed("an order in an unexpected state");
}

function refusedOrder({ error }: JsonObject): AcmeError {
  return errorOfProblem(error, "The authority gave the order up without saying why.");
}

interface OfferedChallenge {
  readonly url: string;
  readonly token: string;
  /** Validation was not requested yet. */
  readonly untried: boolean;
}

/** True once the authority has validated the host, false while it is pending. */
function isAuthorized(authorization: JsonObject): boolean {
  const { status } = authorization;
  if (status === "valid") return true;
  if (status === "pending") return false;
  if (status === "invalid") {
    const failed = challengesOf(authorization).find(({ error }) => error !== undefined);
    throw errorOfProblem(failed?.["error"], "The authority gave the check of the host up.");
  }
  // Deactivated, expired or revoked: the next order gets a new one.
  const detail = "The authority withdrew the check of the host.";
  throw new AcmeError("unavailable", detail, { orderLost: true });
}

function isFor(authorization: JsonObject, host: string): boolean {
  const { identifier } = authorization;
  // For a wildcard, the name without the asterisk (RFC 8555, section 7.1.3).
  const name = wildcardBase(host) ?? host;
  return isObject(identifier) && identifier["type"] === "dns" && identifier["value"] === name;
}

function challengeOf(authorization: JsonObject, wanted: Validation): OfferedChallenge {
  const challenge = challengesOf(authorization).find(({ type }) => type === wanted);
  if (challenge === undefined) {
    throw new AcmeError("policy", `The authority does not offer to check this host by ${wanted}.`);
  }
  const { url, token, status } = challenge;
  // The token becomes part of a path, so only its own alphabet is allowed (section 8.3).
  const usable = typeof token === "string" && /^[A-Za-z0-9_-]+$/.test(token);
  if (typeof url !== "string" || !usable || token.length > tokenLengthMax) {
    throw malformed("a challenge in which something is missing");
  }
  return { url, token, untried: status === "pending" };
}

function challengesOf({ challenges }: JsonObject): JsonObject[] {
  return Array.isArray(challenges) ? challenges.filter(isObject) : [];
}
