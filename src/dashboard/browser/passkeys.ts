/** Passkeys of the browser, for the account that is signed in or about to be. */
import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";
import type { Session } from "../../contract/generated/platform.ts";
import { call } from "./http.ts";

/** Not at an IP address, and not over plain HTTP but on this machine. */
export const passkeysWorkHere = (): boolean =>
  browserSupportsWebAuthn() && isSecureContext && !/^(?:[\d.]+|\[.*\])$/.test(location.hostname);

/** Makes a passkey and adds it. Returns the recovery codes if it is the first factor. */
export async function addPasskey(name: string): Promise<readonly string[]> {
  const options = await call("post", "/second-factors/passkeys");
  type Options = Parameters<typeof startRegistration>[0]["optionsJSON"];
  const { id, response } = await explained(() =>
    startRegistration({ optionsJSON: options as Options }),
  );
  const { clientDataJSON, attestationObject, transports = [] } = response;
  const body = { name, id, clientDataJSON, attestationObject, transports };
  return (await call("put", "/second-factors/passkeys", { body })).recoveryCodes;
}

/** As the second step of a sign-in that has begun, and else as the only one. */
export async function signInWithPasskey(): Promise<Session> {
  const options = await call("post", "/session/passkey", { signsIn: true });
  type Options = Parameters<typeof startAuthentication>[0]["optionsJSON"];
  const { id, response } = await explained(() =>
    startAuthentication({ optionsJSON: options as Options }),
  );
  const { clientDataJSON, authenticatorData, signature } = response;
  const passkey = { id, clientDataJSON, authenticatorData, signature };
  return call("post", "/session/second-factor", { body: { passkey }, signsIn: true });
}

/** By the names of errors of WebAuthn, which say little on purpose. */
const explanations: Readonly<Record<string, string>> = {
  NotAllowedError: "No passkey was used: it was cancelled, or took too long. Try again.",
  InvalidStateError: "This device has a passkey for your account already.",
  SecurityError: "Passkeys do not work at this address. Open the dashboard by its usual one.",
};

async function explained<T>(ceremony: () => Promise<T>): Promise<T> {
  try {
    return await ceremony();
  } catch (cause) {
    const words = cause instanceof Error ? explanations[cause.name] : undefined;
    throw words === undefined ? cause : new Error(words, { cause });
  }
}
