/** What needs the attention of an owner or the operator, and what of it is to be mailed now. */
import { domainToUnicode } from "node:url";
import { accountName } from "../accounts/accounts.ts";
import { currentFindings } from "../hosting/domains/currentFindings.ts";
import {
  type Domain,
  isDelayed,
  isOwnName,
  isServed,
  isValid,
  statusOf,
} from "../hosting/domains/domain.ts";
import { expiringMs, expiringPart } from "../hosting/domains/domainEvents.ts";
import type { StoredDomain } from "../hosting/domains/domains.ts";
import { isOverdue } from "../hosting/domains/lifecycle.ts";
import type { ApiKey, KeyUse } from "../petstore/keys/keys.ts";
import { catalogueKeyName, keyState } from "../petstore/keys/lifecycle.ts";
import type { Sunset } from "../petstore/keys/sunsets.ts";
import type { DisabledReason, Endpoint } from "../petstore/webhooks/webhooks.ts";

/** The most urgent first: of two about one subject, the first is mailed, and the other a day later. */
export const noticeKinds = [
  "domain_suspended",
  "certificate_expiring",
  "renewal_failing",
  "certificate_delayed",
  "domain_unverified",
  "webhook_disabled",
  "operation_sunset",
] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** One line of a mail. */
export interface NoticeItem {
  /** What it is about, such as a host name. */
  readonly name: string;
  /** What was found, and what to do. */
  readonly detail: string;
  /** The page of the dashboard, after its address. */
  readonly page: string;
}

export interface NoticeKey {
  readonly kind: NoticeKind;
  /** Such as `domains/dom_1`. */
  readonly subject: string;
  /** The name of the account that is told. */
  readonly recipient: string;
}

export interface Notice extends NoticeKey {
  readonly item: NoticeItem;
}

/** A notice that was mailed. It is open until what it was about is over. */
export interface ToldNotice extends NoticeKey {
  readonly toldAtMs: number;
  readonly open: boolean;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Shorter than that, an authority is just busy. */
const renewalFailingMs = hourMs;
/** An expiry that comes closer is told every day; everything else once. */
const dailyKinds: readonly NoticeKind[] = ["certificate_expiring"];

const operator = "operator";
const ownerAccount = (id: string) => accountName({ kind: "owner", id }) ?? operator;
const dateOf = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);

export function domainNotices(stored: StoredDomain, nowMs: number): Notice[] {
  const { domain, standing } = stored;
  const kind = domainProblem(domain, standing, nowMs);
  if (kind === undefined) return [];
  const owner = isOwnName(domain) ? operator : ownerAccount(domain.ownerId);
  // Whatever keeps it from being renewed, soon its visitors are turned away.
  const recipients = kind === "certificate_expiring" ? [owner, operator] : [owner];
  const page = isOwnName(domain)
    ? "#/"
    : `#/projects/${encodeURIComponent(domain.project)}/domains/${domain.host}`;
  const unicode = domainToUnicode(domain.host);
  const name = unicode === domain.host ? unicode : `${unicode} (${domain.host})`;
  const item = { name, detail: detailOf(kind, stored, nowMs), page };
  const subject = `domains/${domain.id}`;
  return [...new Set(recipients)].map((recipient) => ({ kind, subject, recipient, item }));
}

function domainProblem(
  domain: Domain,
  standing: StoredDomain["standing"],
  nowMs: number,
): NoticeKind | undefined {
  const status = statusOf(domain, standing, nowMs);
  const { held, issuance } = domain.certificate;
  if (status === "suspended") {
    return !standing.paid && isServed(domain) ? "domain_suspended" : undefined;
  }
  if (isValid(held, nowMs)) {
    const lateMs = Math.min(expiringMs, (held.notAfterMs - held.notBeforeMs) / expiringPart);
    if (held.notAfterMs - nowMs <= lateMs) return "certificate_expiring";
    const failing = issuance?.refusal && nowMs - issuance.sinceMs >= renewalFailingMs;
    return failing ? "renewal_failing" : undefined;
  }
  if (status === "pending_dns" || status === "misconfigured") {
    return isOverdue(domain, nowMs) ? "domain_unverified" : undefined;
  }
  const waits = status === "certificate_delayed" || status === "blocked" || status === "issuing";
  return waits && issuance && isDelayed(issuance, nowMs) ? "certificate_delayed" : undefined;
}

/** The first finding says most. */
function detailOf(kind: NoticeKind, { domain, standing }: StoredDomain, nowMs: number): string {
  const { addedAtMs, certificate } = domain;
  const [finding] = currentFindings(domain, standing, statusOf(domain, standing, nowMs));
  const until =
    certificate.held && `The certificate expires on ${dateOf(certificate.held.notAfterMs)}.`;
  const dates: Partial<Record<NoticeKind, string | undefined>> = {
    certificate_expiring: until,
    renewal_failing: until,
    domain_unverified: `It was added on ${dateOf(addedAtMs)}.`,
  };
  return [dates[kind], finding?.message, finding?.next]
    .filter((each) => each !== undefined)
    .join(" ");
}

const disabledWords: Readonly<Partial<Record<DisabledReason, string>>> = {
  gone: "It answered 410, which means that it wants no more events.",
  failing: "Every attempt of about three days failed.",
};

export function webhookNotices({ id, url, disabled }: Endpoint): Notice[] {
  const why = disabled && disabledWords[disabled.reason];
  if (why === undefined) return [];
  const detail = `${why} Once it works again, enable it: petstore webhooks enable ${id}`;
  const item = { name: url, detail, page: `#/webhooks/${id}` };
  return [{ kind: "webhook_disabled", subject: `webhooks/${id}`, recipient: operator, item }];
}

/** `uses` are the recent ones of the operation, by any key. */
export function sunsetNotices(
  { operation, sunsetAtMs, successor }: Sunset,
  keys: readonly ApiKey[],
  uses: readonly KeyUse[],
  nowMs: number,
): Notice[] {
  const lastUses = new Map<string, number>();
  for (const { keyId, lastAtMs } of uses) {
    lastUses.set(keyId, Math.max(lastAtMs, lastUses.get(keyId) ?? 0));
  }
  return keys.filter(isForSunset(nowMs)).flatMap(({ id, name }): Notice[] => {
    const lastAtMs = lastUses.get(id);
    if (lastAtMs === undefined) return [];
    const item = {
      name: `${name} (${id})`,
      detail: `It called ${operation} on ${dateOf(lastAtMs)}; ${operation} is removed on ${dateOf(sunsetAtMs)}. Call ${successor} instead.`,
      page: "#/keys",
    };
    const subject = `keys/${id}`;
    return [{ kind: "operation_sunset", subject, recipient: operator, item }];
  });
}

export const isForSunset = (nowMs: number) => (key: ApiKey) =>
  key.name !== catalogueKeyName && keyState(key, nowMs) === "active";

export const noticeId = ({ recipient, subject, kind }: NoticeKey) =>
  `${recipient} ${subject} ${kind}`;
const pairId = ({ recipient, subject }: NoticeKey) => `${recipient} ${subject}`;

/**
 * Which of all current notices are to be mailed now, and which of the open ones are over. A recipient
 * gets at most one about a subject within a day, whatever ends and begins again in it.
 */
export function dueNotices(
  current: readonly Notice[],
  told: readonly ToldNotice[],
  nowMs: number,
): { readonly due: readonly Notice[]; readonly over: readonly ToldNotice[] } {
  const before = new Map(told.map((each) => [noticeId(each), each]));
  // One from the future was told before the clock was set back.
  const isRecent = ({ toldAtMs }: ToldNotice) => toldAtMs <= nowMs && nowMs - toldAtMs < dayMs;
  const recent = new Set(told.filter(isRecent).map(pairId));
  const ordered = current.toSorted(
    (one, other) => noticeKinds.indexOf(one.kind) - noticeKinds.indexOf(other.kind),
  );
  const due = ordered.filter((notice) => {
    const isKnown =
      before.get(noticeId(notice))?.open === true && !dailyKinds.includes(notice.kind);
    if (isKnown || recent.has(pairId(notice))) return false;
    recent.add(pairId(notice));
    return true;
  });
  const lasting = new Set(current.map(noticeId));
  return { due, over: told.filter((each) => each.open && !lasting.has(noticeId(each))) };
}
