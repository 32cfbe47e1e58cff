/** Passkeys (WebAuthn), with the dashboard as the relying party. The library is loaded at first use. */
import { createHash } from "node:crypto";
import { isIP } from "node:net";
import type { Clock } from "../core/clock.ts";
import type { Passkey } from "./secondFactors.ts";

/** Where passkeys are made for and work: one host name, and pages of one origin there. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

/**
 * Undefined where browsers have no passkeys: at an IP address. They have them over HTTPS only, so a
 * proxy that terminates TLS may have been in between; and on this machine also without it.
 */
export function relyingParty(dashboard: string): RelyingParty | undefined {
  const url = new URL(dashboard);
  const { hostname } = url;
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return undefined;
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  if (!isLocal) url.protocol = "https:";
  return { id: hostname, origin: url.origin };
}

const challengeBytes = 32;
/** Also the time that the browser gives people. */
export const challengeMs = 5 * 60_000;

export function generateChallenge(clock: Clock): string {
  return base64url(clock.random(challengeBytes));
}

/** EdDSA, ES256 and RS256 (Windows Hello), the more recent first. */
const algorithms = [-8, -7, -257];
const known = ({ credentialId, transports }: Passkey) => ({
  id: credentialId,
  type: "public-key" as const,
  transports: [...transports],
});

/**
 * What a browser makes a passkey by. It is discoverable where the authenticator can do that, so that
 * it also signs in without a name. Its attestation would only identify the model.
 */
export function creationOptions(
  party: RelyingParty,
  account: string,
  existing: readonly Passkey[],
  challenge: string,
) {
  return {
    rp: { id: party.id, name: "Pet Store" },
    user: { id: userHandle(account), name: account, displayName: account },
    challenge,
    pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key" as const, alg })),
    timeout: challengeMs,
    excludeCredentials: existing.map(known),
    authenticatorSelection: {
      residentKey: "preferred" as const,
      requireResidentKey: false,
      userVerification: "preferred" as const,
    },
    attestation: "none" as const,
  };
}

/** By none, a passkey alone signs in: it must then verify the person, by a PIN or biometrics. */
export function requestOptions(
  party: RelyingParty,
  passkeys: readonly Passkey[] | undefined,
  challenge: string,
) {
  return {
    rpId: party.id,
    challenge,
    timeout: challengeMs,
    allowCredentials: (passkeys ?? []).map(known),
    userVerification: passkeys === undefined ? ("required" as const) : ("preferred" as const),
  };
}

/** The same for each account, and opaque, since authenticators show and store it (section 14.6.1). */
const userHandle = (account: string) =>
  createHash("sha256").update(`petstore passkeys of ${account}`).digest("base64url");

/** What a new passkey is returned with, in base64url. */
export interface Attestation {
  readonly id: string;
  readonly clientDataJSON: string;
  readonly attestationObject: string;
  readonly transports: readonly string[];
}

/** What a passkey signs with, in base64url. */
export interface Assertion {
  readonly id: string;
  readonly clientDataJSON: string;
  readonly authenticatorData: string;
  readonly signature: string;
}

export type Credential = Pick<Passkey, "credentialId" | "publicKey" | "counter" | "transports">;

/** What every verification compares with. */
interface Expected {
  readonly party: RelyingParty;
  readonly challenge: string;
}

/** More than there are. */
const transportsMax = 10;

const library = () => import("@simplewebauthn/server");
const unused = { type: "public-key", clientExtensionResults: {} } as const;

/** Throws for what no authenticator made for this challenge, origin and relying party. */
export async function verifyAttestation(
  { id, clientDataJSON, attestationObject, transports }: Attestation,
  { party, challenge }: Expected,
): Promise<Credential> {
  const { verifyRegistrationResponse } = await library();
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: { ...unused, id, rawId: id, response: { clientDataJSON, attestationObject } },
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: false,
    supportedAlgorithmIDs: algorithms,
  });
  if (!verified) throw new Error("The attestation of a passkey is not valid.");
  const { credential } = registrationInfo;
  return {
    credentialId: credential.id,
    publicKey: base64url(credential.publicKey),
    counter: credential.counter,
    transports: transports.slice(0, transportsMax),
  };
}

/**
 * The new counter. Throws for what this passkey did not sign for this challenge, origin and relying
 * party, and if it counts no further: then it was copied. `alone` also requires user verification.
 */
export async function verifyAssertion(
  { id, clientDataJSON, authenticatorData, signature }: Assertion,
  { credentialId, publicKey, counter }: Credential,
  { party, challenge, alone }: Expected & { readonly alone: boolean },
): Promise<number> {
  const { verifyAuthenticationResponse } = await library();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: {
      ...unused,
      id,
      rawId: id,
      response: { clientDataJSON, authenticatorData, signature },
    },
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    credential: {
      id: credentialId,
      publicKey: new Uint8Array(Buffer.from(publicKey, "base64url")),
      counter,
    },
    requireUserVerification: alone,
  });
  if (!verified) throw new Error("The signature of a passkey is not valid.");
  return authenticationInfo.newCounter;
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
