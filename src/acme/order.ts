/** One order from beginning to end (RFC 8555, section 7.4). */
import type { OrderRequest } from "../domains/certificateAuthority.ts";
import { newPrivateKeyPem } from "./accountKey.ts";
import {
  certificateOf,
  httpChallengeOf,
  isAuthorized,
  isFor,
  isReady,
  type PlacedOrder,
  readPlacedOrder,
} from "./answers.ts";
import { certificateRequest } from "./certificateRequest.ts";
import { checkedChain } from "./chain.ts";
import type { Clerk } from "./clerk.ts";
import { readObject, unreadable } from "./json.ts";
import { isUnavailable, messageOf, Refused } from "./refused.ts";
import { isRenewalName } from "./renewalInfo.ts";
import { unlessAborted } from "./waiting.ts";

export interface Issued {
  readonly chainPem: string;
  readonly privateKeyPem: string;
}

/** Throws a `Refused` when it ends otherwise. */
export async function runOrder(request: OrderRequest, clerk: Clerk): Promise<Issued> {
  const { host } = request;
  const { url, order } = await place(request, clerk);
  // An order that is ready has its authorisations already.
  if (order.status === "pending") {
    for (const authorization of order.authorizations)
      await authorize(authorization, request, clerk);
  }
  await clerk.poll(url, (state) => isReady(state) || undefined);

  const privateKeyPem = newPrivateKeyPem();
  const csr = certificateRequest(host, privateKeyPem).toString("base64url");
  const finalized = await finalize(order.finalize, csr, url, clerk);
  const certificate = await clerk.poll(url, certificateOf, finalized);
  const chain = await clerk.get(certificate, "application/pem-certificate-chain");
  return { chainPem: checkedChain(chain.body, host, privateKeyPem), privateKeyPem };
}

async function finalize(finalizeUrl: string, csr: string, url: string, clerk: Clerk) {
  try {
    return await clerk.post(finalizeUrl, { csr });
  } catch (reason) {
    if (!isUnavailable(reason)) throw reason;
    // Only the answer may be lost. A certificate that was made counts against the limits.
    const answer = await clerk.get(url);
    if (readObject(answer).status === "ready") throw reason;
    return answer;
  }
}

async function place(
  { host, replaces }: OrderRequest,
  clerk: Clerk,
): Promise<{ url: string; order: PlacedOrder }> {
  const { newOrder, renewalInfo } = await clerk.directory();
  const plain = { identifiers: [{ type: "dns", value: host }] };
  const replacing = replaces !== undefined && isRenewalName(replaces) && renewalInfo !== undefined;
  const answer = replacing
    ? await clerk.post(newOrder, { ...plain, replaces }).catch((reason: unknown) => {
        if (!isAboutReplacing(reason)) throw reason;
        return clerk.post(newOrder, plain);
      })
    : await clerk.post(newOrder, plain);
  const url = answer.header("location");
  if (url === undefined) throw unreadable("an order without an address");
  return { url, order: readPlacedOrder(readObject(answer)) };
}

/**
 * The certificate was replaced already, is unknown, or is another account's (RFC 9773, section 5).
 * None of these is a reason to let the host go without a new one.
 */
function isAboutReplacing(reason: unknown): boolean {
  if (!(reason instanceof Refused)) return false;
  const { problemType = "", status = 0 } = reason;
  return (
    ["alreadyReplaced", "conflict", "malformed", "unauthorized"].includes(problemType) ||
    status === 404 ||
    status === 409
  );
}

async function authorize(url: string, request: OrderRequest, clerk: Clerk): Promise<void> {
  const authorization = readObject(await clerk.get(url));
  if (!isFor(authorization, request.host)) throw unreadable("an authorisation for another name");
  if (isAuthorized(authorization)) return;
  const challenge = httpChallengeOf(authorization);
  await publish(challenge.token, request, clerk);
  if (challenge.untried) await clerk.post(challenge.url, {});
  await clerk.poll(url, (state) => isAuthorized(state) || undefined);
}

/**
 * Whatever goes wrong here is ours, so the order is left as it is. Its authorisation is not
 * deactivated: whoever has the right to order now may have been given the very same one.
 */
async function publish(token: string, request: OrderRequest, clerk: Clerk): Promise<void> {
  const keyAuthorization = await clerk.keyAuthorization(token);
  const published = async () => request.publish({ host: request.host, token, keyAuthorization });
  try {
    await unlessAborted(published(), clerk.signal);
  } catch (reason) {
    throw new Refused("abandoned", messageOf(reason));
  }
}
