/** Looks for what needs attention, and sends mails: in every process of a service, each mail by one. */
import type { AccountStore } from "../accounts/accounts.ts";
import { allOperations } from "../contract/operations.ts";
import { type Clock, inTime } from "../core/clock.ts";
import type { Vault } from "../core/vault.ts";
import type { DomainPosition, DomainStore } from "../hosting/domains/domains.ts";
import type { KeyStore } from "../petstore/keys/keys.ts";
import { sunsetsOf } from "../petstore/keys/sunsets.ts";
import type { WebhookStore } from "../petstore/webhooks/webhooks.ts";
import {
  afterAttempt,
  type Mail,
  type MailStore,
  mailSeal,
  newMailId,
  type SendResult,
} from "./mails.ts";
import { composeMail, type MailContext, type MailMessage } from "./mailText.ts";
import {
  domainNotices,
  dueNotices,
  isForSunset,
  type Notice,
  sunsetNotices,
  webhookNotices,
} from "./notices.ts";

export interface NotifierParts {
  readonly stores: {
    readonly accounts: AccountStore;
    readonly domains: DomainStore;
    readonly keys: KeyStore;
    readonly mails: MailStore;
    readonly webhooks: WebhookStore;
  };
  readonly clock: Clock;
  readonly log: {
    info(event: string, fields: Readonly<Record<string, unknown>>): void;
    warn(event: string, fields: Readonly<Record<string, unknown>>): void;
    error(event: string, fields: Readonly<Record<string, unknown>>): void;
  };
  readonly vault: Vault;
  readonly context: MailContext;
  /** Where the operator's mail goes if their account has no address. */
  readonly operatorEmail: string | undefined;
  /** Must not reject, and must end by itself. */
  readonly send: (message: MailMessage) => Promise<SendResult>;
}

export const scanEveryMs = 60_000;
const pollMs = 5_000;
/** Longer than an attempt can take. */
const leaseMs = 5 * 60_000;
/** While the server cannot be reached, one mail in so much time is tried. */
const unreachableMs = 60_000;
const pruneEveryMs = 3_600_000;
/** Few, so that requests get their turn. */
const domainsAtOnce = 100;
const keysAtOnce = 100;

export class Notifier {
  readonly #parts: NotifierParts;
  readonly #stops: (() => void)[] = [];
  #working: Promise<void> | undefined;
  /** By the stopwatch. */
  #quietUntilMs = Number.NEGATIVE_INFINITY;
  #prunedMs = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(parts: NotifierParts) {
    this.#parts = parts;
  }

  start(): void {
    const { clock } = this.#parts;
    this.#stops.push(clock.every(pollMs, () => void this.tick()));
  }

  /** Starts nothing more. What is not finished in time is taken up by another process, or later. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    for (const stop of this.#stops.splice(0)) stop();
    const late = () => new Error("A mail is still being sent.");
    await inTime(this.#parts.clock, graceMs, Promise.resolve(this.#working), late).catch(() => {});
  }

  /** Scans, if that is due, and sends what is due. */
  tick(): Promise<void> {
    this.#working ??= this.#work()
      .catch((cause) => this.#parts.log.error("mails.failed", { cause }))
      .finally(() => {
        this.#working = undefined;
      });
    return this.#working;
  }

  async #work(): Promise<void> {
    const { clock, stores } = this.#parts;
    if (await stores.mails.claimScan(clock.now(), scanEveryMs)) {
      const current = await this.#currentNotices();
      // A part of them would look as if the rest were over.
      if (this.#stopped) return;
      await this.#tell(current);
      await this.#prune();
    }
    while (!this.#stopped && clock.elapsed() >= this.#quietUntilMs) {
      const nowMs = clock.now();
      const mail = await stores.mails.takeDue(nowMs, nowMs + leaseMs);
      if (mail === undefined) return;
      await this.#attempt(mail);
    }
  }

  async #tell(current: readonly Notice[]): Promise<void> {
    const { clock, log, stores, operatorEmail } = this.#parts;
    const { mails, accounts } = stores;
    const nowMs = clock.now();
    const addresses = new Map(await accounts.listEmails());
    if (operatorEmail !== undefined && !addresses.has("operator")) {
      addresses.set("operator", operatorEmail);
    }
    // Who cannot be told themselves is the operator's to tell.
    const recipientOf = ({ recipient }: Notice) =>
      addresses.has(recipient) ? recipient : "operator";
    const groups = Map.groupBy(current, recipientOf);
    const told = Map.groupBy(await mails.listTold(), ({ recipient }) => recipient);
    for (const recipient of new Set([...groups.keys(), ...told.keys()])) {
      const notices = (groups.get(recipient) ?? []).map((each) => ({ ...each, recipient }));
      const { due, over } = dueNotices(notices, told.get(recipient) ?? [], nowMs);
      if (over.length > 0) await mails.endNotices(over);
      for (const [kind, some] of Map.groupBy(due, (notice) => notice.kind)) {
        const address = addresses.get(recipient);
        if (address === undefined) {
          log.warn("mails.unaddressed", { kind, count: some.length });
          continue;
        }
        const mail = { id: newMailId(clock), recipient, address, sealed: undefined };
        const count = await mails.tell(mail, some, nowMs);
        if (count > 0) log.info("mail.created", { mail: mail.id, kind, recipient, count });
      }
      await this.#othersFirst();
    }
  }

  async #currentNotices(): Promise<readonly Notice[]> {
    const { domains, webhooks } = this.#parts.stores;
    const nowMs = this.#parts.clock.now();
    const found = (await domains.ownNames()).flatMap((stored) => domainNotices(stored, nowMs));
    let after: DomainPosition | undefined;
    do {
      const page = await domains.page({ after, limit: domainsAtOnce });
      for (const stored of page) found.push(...domainNotices(stored, nowMs));
      after = page.length < domainsAtOnce ? undefined : page.at(-1)?.domain;
      await this.#othersFirst();
    } while (after !== undefined && !this.#stopped);
    for (const endpoint of await webhooks.list()) found.push(...webhookNotices(endpoint));
    found.push(...(await this.#sunsets(nowMs)));
    return found;
  }

  async #sunsets(nowMs: number): Promise<readonly Notice[]> {
    const { approaching, sinceDay } = sunsetsOf(allOperations, nowMs);
    if (approaching.length === 0) return [];
    const { keys } = this.#parts.stores;
    const found: Notice[] = [];
    const known = (await keys.list()).filter(isForSunset(nowMs));
    for (let start = 0; start < known.length; start += keysAtOnce) {
      const some = known.slice(start, start + keysAtOnce);
      const ids = some.map(({ id }) => id);
      for (const sunset of approaching) {
        const uses = await keys.usesOf(sunset.operation, ids, sinceDay);
        found.push(...sunsetNotices(sunset, some, uses, nowMs));
      }
      await this.#othersFirst();
    }
    return found;
  }

  #othersFirst(): Promise<void> {
    return new Promise((resolve) => this.#parts.clock.next(resolve));
  }

  async #attempt(mail: Mail): Promise<void> {
    const { clock, log, stores } = this.#parts;
    const result = await this.#send(mail);
    const random = (clock.random(1)[0] ?? 0) / 256;
    const settled = afterAttempt(mail, result, clock.now(), random);
    if (result.kind === "unreachable") this.#quietUntilMs = clock.elapsed() + unreachableMs;
    await stores.mails.settle(settled);
    const { recipient, tries } = mail;
    const { state, error, dueAtMs } = settled;
    const { kind } = mail.content;
    if (state === "sent") log.info("mail.delivered", { mail: mail.id, kind, recipient, tries });
    else if (state === "failed")
      log.warn("mail.failed", { mail: mail.id, kind, recipient, tries, error });
    else log.warn("mail.postponed", { mail: mail.id, kind, recipient, tries, error, dueAtMs });
  }

  async #send(mail: Mail): Promise<SendResult> {
    const { clock, context, vault, send } = this.#parts;
    const { id, address: to, content, sealed } = mail;
    if (content.kind === "invitation" && content.expiresAtMs <= clock.now()) {
      return { kind: "refused", error: "The link expired before it could be sent." };
    }
    if (sealed !== undefined && !vault.opens(sealed, mailSeal(id))) {
      return { kind: "refused", error: "The link was sealed with another PETSTORE_SECRET." };
    }
    const link = sealed && vault.open(sealed, mailSeal(id));
    return send({ id, to, ...composeMail(content, context, link) });
  }

  async #prune(): Promise<void> {
    const { clock, stores } = this.#parts;
    if (clock.elapsed() - this.#prunedMs < pruneEveryMs) return;
    this.#prunedMs = clock.elapsed();
    while (!this.#stopped && (await stores.mails.prune(clock.now()))) {
      // Each call removes a few, so that other writes do not wait.
    }
  }
}
