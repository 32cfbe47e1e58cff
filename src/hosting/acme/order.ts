/** One order from beginning to end (RFC 8555, section 7.4). */
import type { OrderRequest } from "../domains/certificateAuthority.ts";
import { newPrivateKeyPem } from "./accountKey.ts";
import { AcmeError, isUnavailable, malformed, messageOf, parseBody } from "./acmeError.ts";
import { certificateRequest, checkedChain } from "./certificates.ts";
import { isRenewalName } from "./renewalInfo.ts";
import {
  type AcmeOrder,
  certificateOf,
  httpChallengeOf,
  isAuthorized,
  isFor,
  isReady,
  parseOrder,
} from "./resources.ts";
import type { AcmeSession } from "./session.ts";
import { unlessAborted } from "./waiting.ts";

export interface Issued {
  readonly chainPem: string;
  readonly privateKeyPem: string;
}

/** Throws a `AcmeError` when it ends otherwise. */
export async function runOrder(request: OrderRequest, session: AcmeSession): Promise<Issued> {
  const { host } = request;
  const { url, order } = await place(request, session);
  // An order that is ready has its authorisations already.
  if (order.status === "pending") {
    for (const authorization of order.authorizations)
      await authorize(authorization, request, session);
  }
  await session.poll(url, (state) => isReady(state) || undefined);

  const privateKeyPem = newPrivateKeyPem();
  const csr = certificateRequest(host, privateKeyPem).toString("base64url");
  const finalized = await finalize(order.finalize, csr, url, session);
  const certificate = await session.poll(url, certificateOf, finalized);
  const chain = await session.get(certificate, "application/pem-certificate-chain");
  return { chainPem: checkedChain(chain.body, host, privateKeyPem), privateKeyPem };
}

async function finalize(finalizeUrl: string, csr: string, url: string, session: AcmeSession) {
  try {
    return await session.post(finalizeUrl, { csr });
  } catch (reason) {
    if (!isUnavailable(reason)) throw reason;
    // Only the answer may be lost. A certificate that was made counts against the limits.
    const answer = await session.get(url);
    if (parseBody(answer)["status"] === "ready") throw reason;
    return answer;
  }
}

async function place(
  { host, replaces }: OrderRequest,
  session: AcmeSession,
): Promise<{ url: string; order: AcmeOrder }> {
  const { newOrder, renewalInfo } = await session.directory();
  const plain = { identifiers: [{ type: "dns", value: host }] };
  const replacing = replaces !== undefined && isRenewalName(replaces) && renewalInfo !== undefined;
  const answer = replacing
    ? await session.post(newOrder, { ...plain, replaces }).catch((reason: unknown) => {
        if (!isAboutReplacing(reason)) throw reason;
        return session.post(newOrder, plain);
      })
    : await session.post(newOrder, plain);
  const url = answer.header("location");
  if (url === undefined) throw malformed("an order without an address");
  return { url, order: parseOrder(parseBody(answer)) };
}

/**
 * The certificate was replaced already, is unknown, or is another account's (RFC 9773, section 5).
 * None of these is a reason to let the host go without a new one.
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
  if (isAuthorized(authorization)) return;
  const challenge = httpChallengeOf(authorization);
  await publish(challenge.token, request, session);
  if (challenge.untried) await session.post(challenge.url, {});
  await session.poll(url, (state) => isAuthorized(state) || undefined);
}

/**
 * Whatever goes wrong here is ours, so the order is left as it is. Its authorisation is not
 * deactivated: whoever has the right to order now may have been given the very same one.
 */
async function publish(token: string, request: OrderRequest, session: AcmeSession): Promise<void> {
  const keyAuthorization = await session.keyAuthorization(token);
  const published = async () => request.publish({ host: request.host, token, keyAuthorization });
  try {
    await unlessAborted(published(), session.signal);
  } catch (reason) {
    throw new AcmeError("abandoned", messageOf(reason));
  }
}
