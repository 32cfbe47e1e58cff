/** Mails: what is in them, when they are sent again, and the interface of their store. */
import type { Clock } from "../core/clock.ts";
import type { MaybePromise } from "../core/maybePromise.ts";
import { randomText } from "../petstore/keys/token.ts";
import type { Notice, NoticeItem, NoticeKey, NoticeKind, ToldNotice } from "./notices.ts";

export type MailContent =
  | {
      readonly kind: NoticeKind;
      /** The first of them, if there are many. */
      readonly items: readonly NoticeItem[];
      readonly total: number;
    }
  /** The link is sealed, and apart from this. */
  | { readonly kind: "invitation"; readonly name: string; readonly expiresAtMs: number }
  | { readonly kind: "email_changed"; readonly name: string; readonly atMs: number }
  | { readonly kind: "test" };

export const mailStates = ["pending", "sent", "failed"] as const;
export type MailState = (typeof mailStates)[number];

export interface Mail {
  /** `mail_` and 20 characters. The Message-ID follows from it, the same for every attempt. */
  readonly id: string;
  /** The name of the account it is for. */
  readonly recipient: string;
  readonly address: string;
  readonly content: MailContent;
  /** What may be read by nobody else, sealed for `mailSeal(id)`. Removed once it is sent. */
  readonly sealed: string | undefined;
  readonly state: MailState;
  /** Attempts that were begun. */
  readonly tries: number;
  readonly createdAtMs: number;
  /** Of the next attempt; undefined unless it is pending. */
  readonly dueAtMs: number | undefined;
  /** When it was sent or given up. */
  readonly endedAtMs: number | undefined;
  /** Why the last attempt failed. */
  readonly error: string | undefined;
}

export type NewMail = Pick<Mail, "id" | "recipient" | "address" | "content" | "sealed">;

export const newMailId = (clock: Clock) => `mail_${randomText(20, clock)}`;

/** Binds the secret of a mail to it. */
export const mailSeal = (id: string) => `mail ${id}`;

/** So that nobody can have us flood somebody, by changing an address again and again. */
export const sameKindPerDayMax = 10;

/** How many are named in one mail. */
export const itemsShownMax = 50;

export function contentOf(kind: NoticeKind, notices: readonly Notice[]): MailContent {
  const items = notices.slice(0, itemsShownMax).map(({ item }) => item);
  return { kind, items, total: notices.length };
}

/** What an attempt led to. */
export type SendResult =
  | { readonly kind: "sent" }
  /** For good: the recipient or the message was rejected. */
  | { readonly kind: "refused"; readonly error: string }
  /** Not now. */
  | { readonly kind: "deferred"; readonly error: string }
  /** The server cannot be reached, or takes nothing of us: other mails need not be tried. */
  | { readonly kind: "unreachable"; readonly error: string };

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/**
 * The delays after each failure; the last one is repeated, so that mail goes out within the hour when
 * an outage is over.
 */
export const retryDelaysMs: readonly number[] = [
  minuteMs,
  5 * minuteMs,
  15 * minuteMs,
  30 * minuteMs,
  hourMs,
];
/** A tenth more at most, so that what failed together is not repeated together. */
const jitterShare = 0.1;
/** As long as mail servers try (RFC 5321, section 4.5.4.1). */
export const giveUpMs = 5 * dayMs;
/** However late the clock says it is: it may have jumped. */
const triesMin = retryDelaysMs.length + 3;
/** No attempt is ever due later than this. */
export const retryMsMax = Math.ceil((retryDelaysMs.at(-1) ?? 0) * (1 + jitterShare));

export interface Settled extends Pick<Mail, "id" | "state" | "tries" | "dueAtMs" | "error"> {
  readonly atMs: number;
}

/** What an attempt means for a mail. `random` is from 0 up to 1. */
export function afterAttempt(
  { id, tries, createdAtMs }: Mail,
  result: SendResult,
  nowMs: number,
  random: number,
): Settled {
  const settled = { id, tries, atMs: nowMs, dueAtMs: undefined };
  if (result.kind === "sent") return { ...settled, state: "sent", error: undefined };
  const { error } = result;
  const isOld = nowMs - createdAtMs >= giveUpMs && tries >= triesMin;
  if (result.kind === "refused" || isOld) return { ...settled, state: "failed", error };
  const delayMs = retryDelaysMs[Math.min(tries, retryDelaysMs.length) - 1] ?? minuteMs;
  const dueAtMs = nowMs + Math.ceil(delayMs * (1 + jitterShare * random));
  return { ...settled, state: "pending", dueAtMs, error };
}

export interface MailQuery {
  readonly state?: MailState | undefined;
  readonly limit: number;
}

/** A write that resolves is on disk. All methods may be called concurrently, by many processes. */
export interface MailStore {
  /** Notices that are open, or were told within the last days. */
  listTold(): MaybePromise<readonly ToldNotice[]>;
  /**
   * Marks notices of one kind and recipient as told, and adds one mail with those that are still due:
   * another process may just have told some. Resolves with how many these are; if none, there is no
   * mail.
   */
  tell(mail: Omit<NewMail, "content">, notices: readonly Notice[], nowMs: number): Promise<number>;
  /** What they were about is over: they are told again when it begins again. */
  endNotices(notices: readonly NoticeKey[]): Promise<void>;
  /** True for one of all processes, once in `everyMs`. */
  claimScan(nowMs: number, everyMs: number): Promise<boolean>;

  /** False, with nothing done, if there were `sameKindPerDayMax` like it for the recipient in a day. */
  add(mail: NewMail, nowMs: number): Promise<boolean>;
  get(id: string): MaybePromise<Mail | undefined>;
  /** The newest first. */
  list(query: MailQuery): MaybePromise<readonly Mail[]>;
  count(): MaybePromise<Readonly<Record<MailState, number>>>;
  /**
   * The pending mail that has been due longest, with one more attempt counted; undefined if none is.
   * It is due again at `untilMs`, unless it is settled before.
   */
  takeDue(nowMs: number, untilMs: number): Promise<Mail | undefined>;
  /** False, with nothing done, if another attempt was begun since, or the mail has ended. */
  settle(settled: Settled): Promise<boolean>;
  /** Makes mails due again that failed or wait: one, to this address, or all. Resolves with how many. */
  retry(which: {
    readonly id?: string | undefined;
    readonly address?: string | undefined;
    readonly nowMs: number;
  }): Promise<number>;
  /** Removes some of what need not be kept. Resolves with whether there may be more. */
  prune(nowMs: number): Promise<boolean>;
}
