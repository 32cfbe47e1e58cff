/** The second step of signing in, and the factors that an account has for it. */
import type { Clock } from "../core/clock.ts";
import { isExpectedProblem, Problem } from "../core/problems.ts";
import type { Vault } from "../core/vault.ts";
import { nameError } from "../petstore/keys/lifecycle.ts";
import { randomText } from "../petstore/keys/token.ts";
import {
  type AccountStore,
  requireEnabled,
  type Session,
  type SessionWithHolder,
} from "./accounts.ts";
import type { ClientInfo, SignedIn } from "./authService.ts";
import {
  generateRecoveryCodes,
  generateTotpSecret,
  matchingStep,
  readTotpCode,
  recoveryCodeHash,
  totpUrl,
} from "./oneTimeCodes.ts";
import {
  type Assertion,
  type Attestation,
  challengeMs,
  creationOptions,
  generateChallenge,
  type RelyingParty,
  requestOptions,
  verifyAssertion,
  verifyAttestation,
} from "./passkeys.ts";
import {
  type Factors,
  type NewFactor,
  type Passkey,
  type PendingSignIn,
  type Proof,
  pendingSignInMs,
  requiresSecondFactor,
  type SecondFactorPolicy,
  type SecondFactorStore,
} from "./secondFactors.ts";
import { createSession, generateSecret, secretHash } from "./sessions.ts";
import type { SignInThrottle } from "./signInThrottle.ts";

interface SecondFactorParts {
  readonly store: SecondFactorStore;
  readonly accounts: AccountStore;
  readonly vault: Vault;
  readonly throttle: SignInThrottle;
  readonly policy: SecondFactorPolicy;
  readonly clock: Clock;
}

/** Either of them. */
export interface SecondStep {
  /** Of an authenticator app, or for recovery. */
  readonly code?: string | undefined;
  readonly passkey?: Assertion | undefined;
}

/** How long after signing in factors can be changed: later, who sits there may be somebody else. */
export const recentMs = 15 * 60_000;
const issuer = "Pet Store";
const passkeyNameLengthMax = 60;

export class SecondFactorService {
  readonly #store: SecondFactorStore;
  readonly #accounts: AccountStore;
  readonly #vault: Vault;
  readonly #throttle: SignInThrottle;
  readonly #policy: SecondFactorPolicy;
  readonly #clock: Clock;

  constructor({ store, accounts, vault, throttle, policy, clock }: SecondFactorParts) {
    this.#store = store;
    this.#accounts = accounts;
    this.#vault = vault;
    this.#throttle = throttle;
    this.#policy = policy;
    this.#clock = clock;
  }

  /** Whether the account has to set up a second factor before it can do anything else. */
  isMissing({ holder, hasSecondFactor }: SessionWithHolder): boolean {
    return !hasSecondFactor && this.isRequired(holder);
  }

  isRequired(holder: SessionWithHolder["holder"]): boolean {
    return requiresSecondFactor(this.#policy, holder);
  }

  factorsOf(account: string): Promise<Factors> {
    return this.#store.factorsOf(account);
  }

  /**
   * What a passkey is to sign in order to complete the pending sign-in. Without one, a sign-in by
   * passkey alone begins, whose token is returned too.
   */
  async requestPasskey(
    token: string | undefined,
    visitor: ClientInfo,
    party: RelyingParty | undefined,
  ) {
    const known = await this.#findPending(token);
    const { pendingToken, pending } = known
      ? { pendingToken: undefined, pending: known }
      : await this.#beginAlone(visitor);
    const { account } = pending;
    const passkeys = account === undefined ? undefined : await this.factorsOf(account);
    const challenge = await this.#challengeFor(pending.hash);
    const options = requestOptions(requireParty(party), passkeys?.passkeys, challenge);
    return { options, pendingToken };
  }

  /** Nothing is known of the visitor yet, so that only the address can be limited. */
  async #beginAlone({ address }: ClientInfo) {
    await this.#throttle.address(address);
    const { token, hash } = generateSecret(this.#clock);
    const atMs = this.#clock.now();
    const pending: PendingSignIn = { hash, account: undefined, endsAtMs: atMs + pendingSignInMs };
    await this.#store.addPending(pending, atMs);
    return { pendingToken: token, pending };
  }

  /** Trades the token of a pending sign-in and a second factor for a session. */
  async complete(
    token: string | undefined,
    step: SecondStep,
    visitor: ClientInfo,
    party: RelyingParty | undefined,
  ): Promise<SignedIn & { readonly by: Proof["kind"] }> {
    const pending = await this.#findPending(token);
    if (pending === undefined) throw new Problem("sign_in_expired");
    return this.#complete(pending, step, visitor, party).catch(async (cause) => {
      const { account } = pending;
      const isRefused = isExpectedProblem(cause) && cause.code === "second_factor_refused";
      // Whoever got here knows the password.
      if (account !== undefined && isRefused) await this.#accounts.signInFailed(account);
      throw cause;
    });
  }

  async #complete(
    pending: PendingSignIn,
    step: SecondStep,
    visitor: ClientInfo,
    party: RelyingParty | undefined,
  ): Promise<SignedIn & { readonly by: Proof["kind"] }> {
    if (step.passkey !== undefined) {
      const { account, proof } = await this.#proveByPasskey(pending, step.passkey, party);
      const signedIn = await this.#signIn(pending, account, proof, visitor);
      if (pending.account === undefined) await this.#throttle.giveBackAddress(visitor.address);
      return signedIn;
    }
    const { account } = pending;
    if (account === undefined) throw new Problem("second_factor_refused");
    const recovery = recoveryCodeHash(step.code ?? "");
    if (recovery !== undefined) {
      return this.#signIn(pending, account, { kind: "recovery", hash: recovery }, visitor);
    }
    const giveBack = await this.#throttle.byName("second factor", account);
    const proof = await this.#proveByTotp(account, step.code ?? "");
    const signedIn = await this.#signIn(pending, account, proof, visitor);
    await giveBack();
    return signedIn;
  }

  async #signIn(
    { hash }: PendingSignIn,
    name: string,
    proof: Proof,
    { agent }: ClientInfo,
  ): Promise<SignedIn & { readonly by: Proof["kind"] }> {
    const account = await this.#accounts.find(name);
    if (account === undefined) throw new Problem("second_factor_refused");
    // A new token: nobody but the browser that gets it now has ever seen it.
    const { session, token } = createSession(name, agent, this.#clock);
    const atMs = this.#clock.now();
    if (!(await this.#store.completeSignIn({ pending: hash, atMs, proof, session }))) {
      throw new Problem("second_factor_refused");
    }
    return { session, token, holder: account.holder, hasSecondFactor: true, by: proof.kind };
  }

  async #proveByTotp(account: string, typed: string): Promise<Proof> {
    const { totp } = await this.factorsOf(account);
    const code = readTotpCode(typed);
    if (totp === undefined || code === undefined) throw new Problem("second_factor_refused");
    const secret = this.#vault.open(totp.sealed, purposeOf(account));
    const step = matchingStep(secret, code, this.#clock.now(), totp.lastStep);
    if (step === undefined) throw new Problem("second_factor_refused");
    return { kind: "totp", was: totp, step };
  }

  async #proveByPasskey(
    { hash, account }: PendingSignIn,
    assertion: Assertion,
    party: RelyingParty | undefined,
  ): Promise<{ readonly account: string; readonly proof: Proof }> {
    const challenge = await this.#store.takeChallenge(hash, this.#clock.now());
    const passkey = await this.#store.findPasskey(assertion.id);
    const isAnothers = account !== undefined && account !== passkey?.account;
    if (challenge === undefined || passkey === undefined || isAnothers) throw passkeyRefused();
    const expected = { party: requireParty(party), challenge, alone: account === undefined };
    const counter = await verifyAssertion(assertion, passkey, expected).catch((cause) => {
      throw passkeyRefused(cause);
    });
    requireEnabled(await this.#accounts.find(passkey.account));
    return { account: passkey.account, proof: { kind: "passkey", id: passkey.id, counter } };
  }

  async #findPending(token: string | undefined): Promise<PendingSignIn | undefined> {
    const hash = token === undefined ? undefined : secretHash(token);
    const pending = hash === undefined ? undefined : await this.#store.findPending(hash);
    return pending && this.#clock.now() < pending.endsAtMs ? pending : undefined;
  }

  /** The first step is undone. */
  async endPending(token: string): Promise<void> {
    const hash = secretHash(token);
    if (hash !== undefined) await this.#store.endPending(hash);
  }

  async #challengeFor(boundTo: string): Promise<string> {
    const challenge = generateChallenge(this.#clock);
    const atMs = this.#clock.now();
    await this.#store.setChallenge({ boundTo, challenge, endsAtMs: atMs + challengeMs }, atMs);
    return challenge;
  }

  /**
   * A secret for an app. It is in force once a code of it has come back together with `setup`, which
   * is the secret sealed for this session, so that nothing has to be stored before.
   */
  beginTotp(session: Session) {
    this.requireRecent(session);
    const secret = generateTotpSecret(this.#clock);
    const setup = this.#vault.seal(secret, setupOf(session));
    return { secret, url: totpUrl(secret, issuer, session.account), setup };
  }

  /** The recovery codes of a first factor. They are not stored, so they cannot be shown again. */
  async confirmTotp(session: Session, setup: string, typed: string): Promise<readonly string[]> {
    this.requireRecent(session);
    const { account } = session;
    if (!this.#vault.opens(setup, setupOf(session))) throw new Problem("setup_expired");
    const secret = this.#vault.open(setup, setupOf(session));
    const nowMs = this.#clock.now();
    const lastStep = matchingStep(secret, readTotpCode(typed) ?? "", nowMs, 0);
    if (lastStep === undefined) throw new Problem("code_wrong");
    const sealed = this.#vault.seal(secret, purposeOf(account));
    return this.#add({ account, sealed, lastStep, createdAtMs: nowMs });
  }

  async createPasskey(session: Session, party: RelyingParty | undefined) {
    this.requireRecent(session);
    const { passkeys } = await this.factorsOf(session.account);
    const challenge = await this.#challengeFor(session.hash);
    return creationOptions(requireParty(party), session.account, passkeys, challenge);
  }

  /** The recovery codes of a first factor, as above. */
  async addPasskey(
    session: Session,
    { name: typed, ...attestation }: Attestation & { readonly name: string },
    party: RelyingParty | undefined,
  ): Promise<readonly string[]> {
    this.requireRecent(session);
    const name = readName(typed);
    const challenge = await this.#store.takeChallenge(session.hash, this.#clock.now());
    if (challenge === undefined) throw new Problem("setup_expired");
    const expected = { party: requireParty(party), challenge };
    const credential = await verifyAttestation(attestation, expected).catch((cause) => {
      throw new Problem("passkey_invalid", { cause });
    });
    const passkey: Passkey = {
      ...credential,
      id: `psk_${randomText(12, this.#clock)}`,
      account: session.account,
      name,
      createdAtMs: this.#clock.now(),
      usedAtMs: undefined,
    };
    return this.#add(passkey);
  }

  async #add(factor: NewFactor["factor"]): Promise<readonly string[]> {
    const codes = generateRecoveryCodes(this.#clock);
    const recoveryCodes = hashesOf(codes);
    const added = await this.#store.add({ factor, atMs: this.#clock.now(), recoveryCodes });
    if (added === "full") throw new Problem("too_many_passkeys");
    if (added === "known") {
      throw new Problem("passkey_invalid", { detail: "This passkey was added already." });
    }
    return added === "added_with_codes" ? codes : [];
  }

  async renamePasskey({ account }: Session, id: string, name: string): Promise<void> {
    if (await this.#store.renamePasskey(account, id, readName(name))) return;
    throw new Problem("factor_not_found");
  }

  /** Without an id, the authenticator app. */
  async remove({ session, holder }: SessionWithHolder, passkey: string | undefined): Promise<void> {
    this.requireRecent(session);
    const { account } = session;
    const atMs = this.#clock.now();
    const keepsOne = this.isRequired(holder);
    const removed = await this.#store.remove({ account, passkey, atMs, keepsOne });
    if (removed === "last") throw new Problem("last_factor");
    if (removed === "absent") throw new Problem("factor_not_found");
  }

  /** Those of before are over. */
  async replaceRecoveryCodes(session: Session): Promise<readonly string[]> {
    this.requireRecent(session);
    const codes = generateRecoveryCodes(this.#clock);
    const atMs = this.#clock.now();
    if (await this.#store.replaceRecoveryCodes(session.account, hashesOf(codes), atMs))
      return codes;
    throw new Problem("factor_not_found");
  }

  changeableUntilMs({ createdAtMs }: Session): number {
    return createdAtMs + recentMs;
  }

  requireRecent(session: Session): void {
    if (this.#clock.now() >= this.changeableUntilMs(session)) throw new Problem("sign_in_again");
  }
}

function readName(typed: string): string {
  const name = typed.trim();
  const complaint = nameError(name, passkeyNameLengthMax);
  if (complaint !== undefined) throw new Problem("body_invalid", { detail: `name ${complaint}` });
  return name;
}

function requireParty(party: RelyingParty | undefined): RelyingParty {
  if (party === undefined) throw new Problem("passkeys_unavailable");
  return party;
}

function passkeyRefused(cause?: unknown): Problem {
  const detail = "This passkey was not accepted. Try again, or use another way.";
  return new Problem("second_factor_refused", { detail, cause });
}

const hashesOf = (codes: readonly string[]) =>
  codes.map(recoveryCodeHash).filter((hash) => hash !== undefined);

/** What secrets are sealed for: those of one account or session mean nothing to another. */
const purposeOf = (account: string): string => `totp ${account}`;
const setupOf = ({ hash }: Session): string => `totp setup ${hash}`;
