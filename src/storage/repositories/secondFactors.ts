import {
  type Added,
  type Challenge,
  type FactorRemoval,
  type NewFactor,
  type Passkey,
  type PendingSignIn,
  type Proof,
  passkeysPerAccountMax,
  type SecondFactorStore,
  type SignInCompletion,
  type Totp,
} from "../../accounts/secondFactors.ts";
import { then } from "../../core/maybePromise.ts";
import {
  endOthers,
  hasSecondFactor,
  insertPending,
  insertSession,
  lockAccount,
  sweep,
} from "./accounts.ts";
import type { Storage, Transaction, Writes } from "./storage.ts";

export const secondFactorTables = [
  // Decides in a restore which factors of an account are newer.
  "ALTER TABLE accounts ADD COLUMN [postgres: IF NOT EXISTS ]factors_changed_at_ms [sqlite: INTEGER][postgres: int8]",
  `CREATE TABLE passkeys (
     id text PRIMARY KEY,
     account text NOT NULL REFERENCES accounts (name),
     name text NOT NULL,
     credential_id text NOT NULL UNIQUE,
     public_key text NOT NULL,
     counter int8 NOT NULL CHECK (counter >= 0),
     transports text NOT NULL,
     created_at_ms int8 NOT NULL,
     used_at_ms int8
   )`,
  "CREATE INDEX passkeys_by_account ON passkeys (account, created_at_ms)",
  `CREATE TABLE totp_secrets (
     account text PRIMARY KEY REFERENCES accounts (name),
     sealed text NOT NULL,
     last_step int8 NOT NULL,
     created_at_ms int8 NOT NULL
   )`,
  `CREATE TABLE recovery_codes (
     account text NOT NULL REFERENCES accounts (name),
     hash text NOT NULL,
     PRIMARY KEY (account, hash)
   ) WITHOUT ROWID`,
  `CREATE TABLE pending_sign_ins (
     hash text PRIMARY KEY,
     account text REFERENCES accounts (name),
     ends_at_ms int8 NOT NULL
   )`,
  "CREATE INDEX pending_sign_ins_by_account ON pending_sign_ins (account)",
  "CREATE INDEX pending_sign_ins_by_end ON pending_sign_ins (ends_at_ms)",
  // Does not reference sessions: it belongs to one of those or to a pending sign-in.
  `CREATE TABLE passkey_challenges (
     bound_to text PRIMARY KEY,
     challenge text NOT NULL,
     ends_at_ms int8 NOT NULL
   )`,
  "CREATE INDEX passkey_challenges_by_end ON passkey_challenges (ends_at_ms)",
];

type PasskeyRow = Omit<Passkey, "transports"> & { readonly transports: string };

const passkeyOf = (row: PasskeyRow): Passkey => ({
  ...row,
  transports: JSON.parse(row.transports),
});

export function secondFactorRepository(storage: Storage): SecondFactorStore {
  return {
    async factorsOf(account) {
      const passkeys = (await storage.all<PasskeyRow>(listPasskeys, [account])).map(passkeyOf);
      const totp = await storage.get<Totp>(findTotp, [account]);
      const codes = await storage.get<{ count: number }>(countRecoveryCodes, [account]);
      return { passkeys, totp, recoveryCodesLeft: codes?.count ?? 0 };
    },
    findPasskey: (credentialId) =>
      then(storage.get<PasskeyRow>(findPasskey, [credentialId]), (row) => row && passkeyOf(row)),
    addPending: (pending, atMs) => storage.write("addPendingSignIn", { pending, atMs }),
    findPending: (hash) => storage.get<PendingSignIn>(findPending, [hash]),
    endPending: (hash) => storage.write("endPendingSignIn", hash),
    setChallenge: (challenge, atMs) => storage.write("setChallenge", { challenge, atMs }),
    takeChallenge: (boundTo, atMs) => storage.write("takeChallenge", { boundTo, atMs }),
    completeSignIn: (completion) => storage.write("completeSignIn", completion),
    add: (factor) => storage.write("addFactor", factor),
    renamePasskey: (account, id, name) => storage.write("renamePasskey", { account, id, name }),
    remove: (removal) => storage.write("removeFactor", removal),
    replaceRecoveryCodes: (account, hashes, atMs) =>
      storage.write("replaceRecoveryCodes", { account, hashes, atMs }),
    reset: (account, atMs) => storage.write("resetFactors", { account, atMs }),
  };
}

/** Those that depend on an account lock its row first, so that they run one after the other. */
export const secondFactorWrites = {
  async addPendingSignIn(
    tx,
    { pending, atMs }: { pending: PendingSignIn; atMs: number },
  ): Promise<void> {
    await insertPending(tx, pending, atMs);
  },

  async endPendingSignIn(tx, hash: string): Promise<void> {
    await tx.run("DELETE FROM pending_sign_ins WHERE hash = ?1", [hash]);
  },

  async setChallenge(
    tx,
    { challenge, atMs }: { challenge: Challenge; atMs: number },
  ): Promise<void> {
    await sweep(tx, "passkey_challenges", "bound_to", atMs);
    await tx.run(replaceChallenge, [challenge.boundTo, challenge.challenge, challenge.endsAtMs]);
  },

  async takeChallenge(
    tx,
    { boundTo, atMs }: { boundTo: string; atMs: number },
  ): Promise<string | undefined> {
    const taken = await tx.get<Omit<Challenge, "boundTo">>(takeChallenge, [boundTo]);
    return taken !== undefined && atMs < taken.endsAtMs ? taken.challenge : undefined;
  },

  async completeSignIn(tx, { pending, atMs, proof, session }: SignInCompletion): Promise<boolean> {
    const { account } = session;
    if ((await lockAccount(tx, account)) === undefined) return false;
    const found = await tx.get<PendingSignIn>(`${findPending} FOR UPDATE`, [pending]);
    if (found === undefined || atMs >= found.endsAtMs) return false;
    if ((found.account ?? account) !== account) return false;
    if (!(await useProof(tx, account, proof, atMs))) return false;
    await tx.run("DELETE FROM pending_sign_ins WHERE hash = ?1", [pending]);
    await insertSession(tx, session);
    return true;
  },

  async addFactor(tx, { factor, atMs, recoveryCodes }: NewFactor): Promise<Added> {
    const { account } = factor;
    await lockAccount(tx, account);
    if ("sealed" in factor) {
      await tx.run(replaceTotp, [account, factor.sealed, factor.lastStep, factor.createdAtMs]);
    } else {
      if ((await tx.all(listPasskeys, [account])).length >= passkeysPerAccountMax) return "full";
      if ((await tx.get(findPasskey, [factor.credentialId])) !== undefined) return "known";
      await insertPasskey(tx, factor);
    }
    await tx.run(noteChange, [account, atMs]);
    const codes = await tx.get<{ count: number }>(countRecoveryCodes, [account]);
    if (codes !== undefined && codes.count > 0) return "added";
    await replaceCodes(tx, account, recoveryCodes);
    return "added_with_codes";
  },

  async renamePasskey(
    tx,
    { account, id, name }: { account: string; id: string; name: string },
  ): Promise<boolean> {
    const text = "UPDATE passkeys SET name = ?3 WHERE account = ?1 AND id = ?2";
    return (await tx.run(text, [account, id, name])) > 0;
  },

  async removeFactor(
    tx,
    { account, passkey, atMs, keepsOne }: FactorRemoval,
  ): Promise<"removed" | "absent" | "last"> {
    await lockAccount(tx, account);
    const passkeys = await tx.all<PasskeyRow>(listPasskeys, [account]);
    const totp = await tx.get(findTotp, [account]);
    const exists = passkey === undefined ? totp : passkeys.find(({ id }) => id === passkey);
    if (exists === undefined) return "absent";
    const isLast = passkeys.length + (totp === undefined ? 0 : 1) === 1;
    if (isLast && keepsOne) return "last";
    if (passkey === undefined) await tx.run(deleteTotp, [account]);
    else await tx.run("DELETE FROM passkeys WHERE account = ?1 AND id = ?2", [account, passkey]);
    if (isLast) await tx.run(deleteRecoveryCodes, [account]);
    await tx.run(noteChange, [account, atMs]);
    return "removed";
  },

  async replaceRecoveryCodes(
    tx,
    { account, hashes, atMs }: { account: string; hashes: readonly string[]; atMs: number },
  ): Promise<boolean> {
    await lockAccount(tx, account);
    if (!(await hasSecondFactor(tx, account))) return false;
    await replaceCodes(tx, account, hashes);
    await tx.run(noteChange, [account, atMs]);
    return true;
  },

  async resetFactors(tx, { account, atMs }: { account: string; atMs: number }): Promise<boolean> {
    await lockAccount(tx, account);
    if ((await tx.run(noteChange, [account, atMs])) === 0) return false;
    await tx.run("DELETE FROM passkeys WHERE account = ?1", [account]);
    await tx.run(deleteTotp, [account]);
    await tx.run(deleteRecoveryCodes, [account]);
    await endOthers(tx, account, undefined);
    return true;
  },
} satisfies Writes;

/** Each works once: of two uses at the same time, the second finds nothing to change. */
async function useProof(
  tx: Transaction,
  account: string,
  proof: Proof,
  atMs: number,
): Promise<boolean> {
  switch (proof.kind) {
    case "totp": {
      const { sealed, lastStep } = proof.was;
      return (await tx.run(advanceTotp, [account, sealed, lastStep, proof.step])) > 0;
    }
    case "passkey":
      return (await tx.run(usePasskey, [account, proof.id, proof.counter, atMs])) > 0;
    case "recovery":
      if ((await tx.run(useRecoveryCode, [account, proof.hash])) === 0) return false;
      await tx.run(noteChange, [account, atMs]);
      return true;
  }
}

async function insertPasskey(tx: Transaction, passkey: Passkey): Promise<void> {
  const { id, account, name, credentialId, publicKey, counter, transports, createdAtMs } = passkey;
  await tx.run(addPasskey, [
    ...[id, account, name, credentialId, publicKey, counter],
    ...[JSON.stringify(transports), createdAtMs],
  ]);
}

async function replaceCodes(
  tx: Transaction,
  account: string,
  hashes: readonly string[],
): Promise<void> {
  await tx.run(deleteRecoveryCodes, [account]);
  for (const hash of hashes) await tx.run(addRecoveryCode, [account, hash]);
}

const passkey = `id, account, name, credential_id AS "credentialId", public_key AS "publicKey",
  counter, transports, created_at_ms AS "createdAtMs", used_at_ms AS "usedAtMs"`;
const listPasskeys = `SELECT ${passkey} FROM passkeys WHERE account = ?1
  ORDER BY created_at_ms, id COLLATE "C"`;
const findPasskey = `SELECT ${passkey} FROM passkeys WHERE credential_id = ?1`;
const addPasskey = `INSERT INTO passkeys (id, account, name, credential_id, public_key, counter,
    transports, created_at_ms)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`;
// An authenticator that does not count always says 0.
const usePasskey = `UPDATE passkeys SET counter = ?3, used_at_ms = ?4
  WHERE account = ?1 AND id = ?2 AND (counter < ?3 OR (counter = 0 AND ?3 = 0))`;

const findTotp = `SELECT account, sealed, last_step AS "lastStep", created_at_ms AS "createdAtMs"
  FROM totp_secrets WHERE account = ?1`;
const replaceTotp = `INSERT INTO totp_secrets (account, sealed, last_step, created_at_ms)
  VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT (account) DO UPDATE SET sealed = excluded.sealed, last_step = excluded.last_step,
    created_at_ms = excluded.created_at_ms`;
const advanceTotp = `UPDATE totp_secrets SET last_step = ?4
  WHERE account = ?1 AND sealed = ?2 AND last_step = ?3`;
const deleteTotp = "DELETE FROM totp_secrets WHERE account = ?1";

const countRecoveryCodes = `SELECT count(*) AS "count" FROM recovery_codes WHERE account = ?1`;
const addRecoveryCode = "INSERT INTO recovery_codes (account, hash) VALUES (?1, ?2)";
const useRecoveryCode = "DELETE FROM recovery_codes WHERE account = ?1 AND hash = ?2";
const deleteRecoveryCodes = "DELETE FROM recovery_codes WHERE account = ?1";

const noteChange = "UPDATE accounts SET factors_changed_at_ms = ?2 WHERE name = ?1";
const findPending = `SELECT hash, account, ends_at_ms AS "endsAtMs" FROM pending_sign_ins
  WHERE hash = ?1`;
const replaceChallenge = `INSERT INTO passkey_challenges (bound_to, challenge, ends_at_ms)
  VALUES (?1, ?2, ?3)
  ON CONFLICT (bound_to) DO UPDATE SET challenge = excluded.challenge,
    ends_at_ms = excluded.ends_at_ms`;
const takeChallenge = `DELETE FROM passkey_challenges WHERE bound_to = ?1
  RETURNING challenge, ends_at_ms AS "endsAtMs"`;
