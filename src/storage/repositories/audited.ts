/** Which writes people make, what each changes, and how that is recorded in the same transaction. */
import type { AuditedAction } from "../../audit/auditLog.ts";
import type { Origin } from "../../audit/origin.ts";
import { toJson } from "../../contract/json.ts";
import type { Domain } from "../../hosting/domains/domain.ts";
import type { SealedSecret } from "../../petstore/webhooks/webhooks.ts";
import { append, type Change, lastRecordedMs, lockLog } from "./audit.ts";
import { type WriteArgument, type WriteName, type WriteResult, writes } from "./repositories.ts";
import type { Transaction } from "./storage.ts";

type Columns = Readonly<Record<string, unknown>>;

/** How a subject is read. */
interface Kind {
  readonly select: string;
  /** What of it people change; all columns unless said. */
  read?(row: Columns): Columns;
  /** Compared, and never recorded: secrets and hashes. */
  readonly hidden?: readonly string[];
}

const parsed = (text: unknown) => (typeof text === "string" ? JSON.parse(text) : undefined);

const kinds = {
  keys: {
    select: `SELECT name, environment, hint, scopes, created_at_ms AS "createdAtMs",
        expires_at_ms AS "expiresAtMs", revoked_at_ms AS "revokedAtMs",
        replaced_by AS "replacedBy"
      FROM keys WHERE id = ?1`,
    read: (row) => ({ ...row, scopes: parsed(row["scopes"]) }),
  },
  tokens: {
    select: `SELECT name, kind, owner_id AS "ownerId", hint, created_at_ms AS "createdAtMs",
        revoked_at_ms AS "revokedAtMs"
      FROM access_tokens WHERE id = ?1`,
  },
  accounts: {
    select: `SELECT kind, owner_id AS "ownerId", email, disabled_at_ms AS "disabledAtMs",
        password_set_at_ms AS "passwordSetAtMs",
        password_version AS version, one_time_links.hash AS link,
        one_time_links.expires_at_ms AS "linkExpiresAtMs",
        (SELECT count(*) FROM sessions WHERE sessions.account = accounts.name) AS sessions,
        (SELECT count(*) FROM passkeys WHERE passkeys.account = accounts.name) AS passkeys,
        (SELECT count(*) FROM totp_secrets WHERE totp_secrets.account = accounts.name) AS apps,
        (SELECT count(*) FROM recovery_codes WHERE recovery_codes.account = accounts.name)
          AS "recoveryCodes", factors_changed_at_ms AS "factorsChangedAtMs"
      FROM accounts LEFT JOIN one_time_links ON one_time_links.account = accounts.name
      WHERE accounts.name = ?1`,
    hidden: ["version", "link"],
  },
  sessions: {
    select: `SELECT account, agent, created_at_ms AS "createdAtMs", ends_at_ms AS "endsAtMs"
      FROM sessions WHERE id = ?1`,
  },
  passkeys: { select: "SELECT account, name FROM passkeys WHERE id = ?1" },
  categories: { select: "SELECT name FROM categories WHERE id = ?1" },
  owners: { select: "SELECT name, plan FROM owners WHERE id = ?1" },
  projects: {
    select: `SELECT owner_id AS "ownerId", current AS deployment, routing
      FROM projects LEFT JOIN project_routing ON project = slug WHERE slug = ?1`,
    read: (row) => ({ ...row, routing: parsed(row["routing"]) }),
  },
  // Only once they are complete.
  deployments: {
    select: `SELECT project, created_at_ms AS "createdAtMs", files, bytes, fingerprint
      FROM deployments WHERE id = ?1 AND state = 'ready'`,
  },
  domains: {
    select: "SELECT state FROM domains WHERE id = ?1",
    read(row) {
      const { host, project, ownerId, target, ownership, hsts, validation } = parsed(
        row["state"],
      ) as Domain;
      return { host, project, ownerId, target, ownership: ownership.kind, hsts, validation };
    },
  },
  // Locked, because deliveries disable endpoints too.
  webhooks: {
    select: `SELECT url, types, description, secrets, disabled FROM webhook_endpoints
      WHERE id = ?1 AND (disabled IS NULL OR disabled <> 'removed') FOR UPDATE`,
    read: (row) => ({
      ...row,
      types: parsed(row["types"]),
      oldSecretExpiresAtMs: (parsed(row["secrets"]) as SealedSecret[])[1]?.expiresAtMs,
    }),
    hidden: ["secrets"],
  },
} satisfies Record<string, Kind>;

type Subject = readonly [kind: keyof typeof kinds, id: string | bigint, action: Action];
/** May depend on what is shown of the subject. */
type Action = string | ((before: Columns | undefined, after: Columns | undefined) => string);

interface Audited<Argument, Result> {
  /** What it may change. Without a result, it has not run yet. */
  subjects(
    argument: Argument,
    tx: Transaction,
    result: Result | undefined,
  ): readonly Subject[] | Promise<readonly Subject[]>;
  /** Where the change itself shows who makes it. */
  actor?(argument: Argument): string;
  /** Whether it is made in the background. */
  unless?(argument: Argument): boolean;
}

function changing<Argument, Result = unknown>(
  subjects: Audited<Argument, Result>["subjects"],
  more: Omit<Audited<Argument, Result>, "subjects"> = {},
): Audited<Argument, Result> {
  return { subjects, ...more };
}

type Rules = {
  readonly [Name in WriteName]?: Audited<WriteArgument<Name>, WriteResult<Name>>;
};

const ofAccount = (name: string) => `accounts/${name}`;

function domainAction(before: Columns | undefined, after: Columns | undefined): string {
  if (before === undefined) return "domain.create";
  if (after?.["ownership"] === "removed") return "domain.remove";
  return before["project"] === after?.["project"] ? "domain.update" : "domain.move";
}

const domainsOf = (changes: readonly ({ readonly domain: Domain } | undefined)[]): Subject[] =>
  changes.flatMap((change) =>
    change === undefined ? [] : [["domains", change.domain.id, domainAction] as const],
  );

const routingOf = (change: { readonly project: string } | undefined): Subject[] =>
  change === undefined ? [] : [["projects", change.project, "project.set_routing"]];

/** The writes that people make. An entry is made of each subject that is another afterwards. */
export const audited: Rules = {
  addKey: changing(({ id }) => [["keys", id, "key.create"]]),
  rotateKey: changing(({ oldId, successor }) => [
    ["keys", oldId, "key.rotate"],
    ["keys", successor.id, "key.create"],
  ]),
  revokeKey: changing(({ id }) => [["keys", id, "key.revoke"]]),

  addAccessToken: changing(({ id }) => [["tokens", id, "token.create"]]),
  revokeAccessToken: changing(({ id }) => [["tokens", id, "token.revoke"]]),

  issueLink: changing(({ account }) => [["accounts", account, "account.issue_link"]]),
  useLink: changing(
    ({ session, password }) => [
      ["sessions", session.id, "account.sign_in"],
      ...(password === undefined
        ? []
        : [["accounts", session.account, "account.set_password"] as const]),
    ],
    { actor: ({ session }) => ofAccount(session.account) },
  ),
  addSession: changing(({ session }) => [["sessions", session.id, "account.sign_in"]], {
    actor: ({ session }) => ofAccount(session.account),
  }),
  completeSignIn: changing(
    ({ session, proof }) => [
      ["sessions", session.id, "account.sign_in"],
      ...(proof.kind === "recovery"
        ? [["accounts", session.account, "account.use_recovery_code"] as const]
        : []),
    ],
    { actor: ({ session }) => ofAccount(session.account) },
  ),
  addFactor: changing(({ factor }) => [["accounts", factor.account, "account.add_factor"]]),
  removeFactor: changing(({ account }) => [["accounts", account, "account.remove_factor"]]),
  renamePasskey: changing(({ id }) => [["passkeys", id, "account.rename_passkey"]]),
  replaceRecoveryCodes: changing(({ account }) => [
    ["accounts", account, "account.replace_recovery_codes"],
  ]),
  resetFactors: changing(({ account }) => [["accounts", account, "account.reset_factors"]]),
  endSession: changing(({ id }) => [["sessions", id, "account.sign_out"]]),
  endSessions: changing(({ account }) => [["accounts", account, "account.sign_out_others"]]),
  setEmail: changing(({ account }) => [["accounts", account, "account.set_email"]]),
  disableAccount: changing(({ account, atMs }) => [
    ["accounts", account, atMs === undefined ? "account.enable" : "account.disable"],
  ]),
  changePassword: changing(({ account }) => [["accounts", account, "account.set_password"]]),

  addCategory: changing(({ category }, _tx, result) => {
    const id = category.id ?? (result?.kind === "done" ? result.id : undefined);
    return id === undefined ? [] : [["categories", id, "category.create"]];
  }),
  renameCategory: changing(({ category }) => [["categories", category.id, "category.rename"]]),
  removeCategory: changing(({ id }) => [["categories", id, "category.remove"]]),

  addOwner: changing(({ id }) => [["owners", id, "owner.create"]]),
  setPlan: changing(({ ownerId }) => [["owners", ownerId, "owner.set_plan"]]),
  addProject: changing(({ slug }) => [["projects", slug, "project.create"]]),
  unpublish: changing((slug) => [["projects", slug, "project.unpublish"]]),
  publishDeployment: changing(({ slug, evenOlder }) => [
    ["projects", slug, evenOlder ? "project.roll_back" : "project.publish"],
  ]),
  finishDeployment: changing(async ({ id }, tx) => {
    const text = "SELECT project FROM deployments WHERE id = ?1";
    const found = await tx.get<{ project: string }>(text, [id]);
    return found === undefined
      ? []
      : [
          ["deployments", id, "deployment.create"],
          ["projects", found.project, "project.publish"],
        ];
  }),

  addDomain: changing(({ domain, beside }) => [
    ...domainsOf([{ domain }, beside]),
    ...routingOf(beside?.routing),
  ]),
  changeDomain: changing(
    ({ domain, displaces, routing }) => [
      ...domainsOf([{ domain }, displaces]),
      ...routingOf(routing),
    ],
    { unless: ({ lease }) => lease !== undefined },
  ),
  saveRouting: changing((change) => routingOf(change)),

  addWebhook: changing(({ id }) => [["webhooks", id, "webhook.create"]]),
  replaceWebhookSecrets: changing(({ from }) => [["webhooks", from.id, "webhook.rotate"]]),
  updateWebhook: changing(({ id }) => [["webhooks", id, "webhook.update"]]),
  disableWebhook: changing(({ id, disabled }) => [
    ["webhooks", id, disabled === undefined ? "webhook.enable" : "webhook.disable"],
  ]),
  removeWebhook: changing((id) => [["webhooks", id, "webhook.remove"]]),
};

const asPartOfSignIn = "Part of a sign-in, which is recorded once it is complete.";
const asPartOfDeployment = "Part of an upload, which is recorded once it is complete.";
const byWorker = "Made by the worker in the background.";
const byDelivery = "Made by the delivery of events.";
const byMails = "Made by the sending of mails.";
const byScan = "Records what time alone has made true.";
const retention = "Removes what is kept for a limited time.";

/** The writes that are not recorded, each with the reason. */
export const notAudited: { readonly [Name in WriteName]?: string } = {
  sawSession: "Notes that a session is in use.",
  rehashPassword: "The same password, hashed anew.",
  takeAttempt: "Counts attempts to sign in.",
  giveBackTry: "Counts attempts to sign in.",
  addPendingSignIn: asPartOfSignIn,
  endPendingSignIn: asPartOfSignIn,
  setChallenge: asPartOfSignIn,
  takeChallenge: asPartOfSignIn,
  recordKeyUses: "Counts the use of keys.",
  recordKeyExpiry: byScan,
  recordKeySunsets: byScan,
  recordCertificateExpiry: byScan,
  beginDeployment: asPartOfDeployment,
  beginUpload: asPartOfDeployment,
  buildDeployment: asPartOfDeployment,
  addFiles: asPartOfDeployment,
  failDeployment: asPartOfDeployment,
  replayDeliveries: "Sends again what was recorded as events.",
  recordAttempt: byWorker,
  takeDueDomains: byWorker,
  extendLease: byWorker,
  endLease: byWorker,
  publishChallenge: byWorker,
  keepAcmeAccount: byWorker,
  reportEdge: byWorker,
  forgetEdge: byWorker,
  leaseWebhooks: byDelivery,
  releaseWebhooks: byDelivery,
  planDeliveries: byDelivery,
  settleDeliveries: byDelivery,
  tellNotices: byMails,
  endNotices: byMails,
  claimNoticeScan: byMails,
  addMail: byMails,
  takeDueMail: byMails,
  settleMail: byMails,
  retryMails: byMails,
  pruneMails: retention,
  pruneWebhook: retention,
  pruneEvents: retention,
  pruneKeys: retention,
  pruneDeployments: retention,
  sweepDomains: retention,
};

/** Runs a write and records what it changed. A write that is refused changes nothing. */
export async function perform(
  tx: Transaction,
  name: WriteName,
  argument: unknown,
  origin: Origin | undefined,
): Promise<unknown> {
  const run = writes[name] as (tx: Transaction, argument: unknown) => Promise<unknown>;
  if (name === "recordAction") return recordAction(tx, argument as AuditedAction, origin);
  const rule = audited[name] as Audited<unknown, unknown> | undefined;
  if (rule === undefined || rule.unless?.(argument)) return run(tx, argument);
  await lockLog(tx);
  const before = await read(tx, await rule.subjects(argument, tx, undefined));
  const result = await run(tx, argument);
  const after = await read(tx, await rule.subjects(argument, tx, result));
  const actor = rule.actor?.(argument);
  const changes = changesBetween(before, after).map((change) => ({ ...change, origin, actor }));
  if (changes.length > 0) await append(tx, changes);
  return result;
}

async function recordAction(
  tx: Transaction,
  { action, subject, actor, after, onceInMs }: AuditedAction,
  origin: Origin | undefined,
): Promise<void> {
  await lockLog(tx);
  if (onceInMs !== undefined) {
    const sinceMs = tx.nowMs - (await lastRecordedMs(tx, { action, subject }));
    // Negative after the clock was set back.
    if (sinceMs >= 0 && sinceMs < onceInMs) return;
  }
  const change = { action, subject, before: undefined, after: textOf(after), origin, actor };
  await append(tx, [change]);
}

interface Observed {
  readonly action: Action;
  readonly state: Columns | undefined;
  readonly shown: Columns | undefined;
}

/** By the names of the subjects. */
async function read(
  tx: Transaction,
  subjects: readonly Subject[],
): Promise<ReadonlyMap<string, Observed>> {
  const observed = new Map<string, Observed>();
  for (const [name, id, action] of subjects) {
    const { select, read: readRow = (row) => row, hidden = [] }: Kind = kinds[name];
    const row = await tx.get<Columns>(select, [id]);
    const state = row && readRow(row);
    const columns = Object.entries(state ?? {}).filter(([column]) => !hidden.includes(column));
    const shown = state && Object.fromEntries(columns);
    observed.set(`${name}/${id}`, { action, state, shown });
  }
  return observed;
}

function changesBetween(
  before: ReadonlyMap<string, Observed>,
  after: ReadonlyMap<string, Observed>,
): Change[] {
  // A subject may be known only after the write, or only before it.
  return [...new Map([...before, ...after])].flatMap(([subject, { action }]) => {
    const [was, is] = [before.get(subject), after.get(subject)];
    if (textOf(was?.state) === textOf(is?.state)) return [];
    return {
      subject,
      action: typeof action === "string" ? action : action(was?.shown, is?.shown),
      before: textOf(was?.shown),
      after: textOf(is?.shown),
    };
  });
}

const textOf = (state: unknown) =>
  state === undefined ? undefined : JSON.stringify(toJson(state));
