/** Mails that follow from what somebody does with an account. */
import type { AccountStore } from "../accounts/accounts.ts";
import type { IssuedLink } from "../accounts/sessions.ts";
import type { Clock } from "../core/clock.ts";
import type { Vault } from "../core/vault.ts";
import { type MailContent, type MailStore, mailSeal, newMailId } from "./mails.ts";

export interface AccountMailParts {
  readonly accounts: Pick<AccountStore, "find">;
  readonly mails: Pick<MailStore, "add">;
  readonly clock: Clock;
  readonly vault: Vault;
  /** Where the operator's mail goes if their account has no address. */
  readonly operatorEmail: string | undefined;
}

/** Puts mails into the outbox; a service sends them within seconds. */
export class AccountMails {
  readonly #parts: AccountMailParts;

  constructor(parts: AccountMailParts) {
    this.#parts = parts;
  }

  /** Resolves with the address that the link is mailed to; undefined if it is not mailed. */
  async invited({ account, expiresAtMs }: IssuedLink, link: string): Promise<string | undefined> {
    const address = await this.#addressOf(account);
    if (address === undefined) return undefined;
    const content = { kind: "invitation", name: account, expiresAtMs } as const;
    return (await this.#add(account, address, content, link)) ? address : undefined;
  }

  /** Tells the address before, since whoever took over an account would change it first. */
  async emailChanged(account: string, before: string | undefined, now: string | undefined) {
    if (before === undefined || before === now) return;
    const atMs = this.#parts.clock.now();
    await this.#add(account, before, { kind: "email_changed", name: account, atMs });
  }

  async #addressOf(account: string): Promise<string | undefined> {
    const { accounts, operatorEmail } = this.#parts;
    const own = (await accounts.find(account))?.email;
    return own ?? (account === "operator" ? operatorEmail : undefined);
  }

  async #add(recipient: string, address: string, content: MailContent, secret?: string) {
    const { mails, clock, vault } = this.#parts;
    const id = newMailId(clock);
    const sealed = secret === undefined ? undefined : vault.seal(secret, mailSeal(id));
    return mails.add({ id, recipient, address, content, sealed }, clock.now());
  }
}
