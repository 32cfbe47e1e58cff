/** An ACME client and an authority that the test controls. */

import { Vault } from "../../src/core/vault.ts";
import { AcmeAuthority, type AcmeOptions } from "../../src/hosting/acme/authority.ts";
import type {
  AcmeAccount,
  AcmeAccounts,
  AuthorityRefusal,
  OrderOutcome,
  OrderRequest,
} from "../../src/hosting/domains/certificateAuthority.ts";
import { type FakeClock, fakeClock } from "../../testkit/fakeClock.ts";
import { FakeAuthority } from "./fakeAuthority.ts";

export const startMs = Date.UTC(2026, 10, 15, 12, 0, 0);
export const host = "docs.example.com";
export const pollMs = 1_000;
export const orderMsMax = 300_000;
export const requestMsMax = 29_999;

export interface ImpatientClock extends FakeClock {
  /** How long each pause would have been. */
  readonly pauses: number[];
}

/** Pauses are over at once, time-outs come only when time is moved. */
export function impatientClock(): ImpatientClock {
  const clock = fakeClock(startMs);
  const pauses: number[] = [];
  return {
    ...clock,
    pauses,
    after(delayMs, action) {
      const stop = clock.after(delayMs, action);
      if (delayMs !== orderMsMax && delayMs !== requestMsMax) {
        pauses.push(delayMs);
        setImmediate(() => clock.advance(delayMs));
      }
      return stop;
    },
  };
}

/** Its names in CAA records; undefined if it cannot be reached. */
export async function identitiesOf(authority: AcmeAuthority) {
  const { caaIdentities, refusal } = await authority.reach();
  return refusal === undefined ? caaIdentities : undefined;
}

export class KeptAccounts implements AcmeAccounts {
  readonly kept = new Map<string, AcmeAccount>();

  account(directory: string): AcmeAccount | undefined {
    return this.kept.get(directory);
  }

  async keepAccount(account: AcmeAccount): Promise<AcmeAccount> {
    const kept = this.kept.get(account.directory) ?? account;
    this.kept.set(account.directory, kept);
    return kept;
  }
}

export class AcmeFixture {
  readonly ca = new FakeAuthority();
  readonly clock = impatientClock();
  readonly accounts = new KeptAccounts();
  readonly vault = new Vault("a secret of this test", this.clock);

  async start(): Promise<this> {
    await this.ca.start();
    // A request that gets no answer: let its time pass.
    this.ca.onSilence = () => this.clock.advance(requestMsMax);
    return this;
  }

  client(options: Partial<AcmeOptions> = {}): AcmeAuthority {
    return new AcmeAuthority({
      clock: this.clock,
      accounts: this.accounts,
      vault: this.vault,
      directory: `${this.ca.origin}/directory`,
      contact: undefined,
      trustPem: undefined,
      termsAgreed: true,
      pollMs,
      orderMsMax,
      requestMsMax,
      ...options,
    });
  }

  request(changes: Partial<OrderRequest> = {}): OrderRequest {
    return {
      host,
      replaces: undefined,
      placed: async () => {},
      publish: async ({ token, keyAuthorization }) => {
        this.ca.published.set(token, keyAuthorization);
      },
      signal: new AbortController().signal,
      ...changes,
    };
  }

  order(changes: Partial<OrderRequest> = {}, options: Partial<AcmeOptions> = {}) {
    return this.client(options).order(this.request(changes));
  }

  async refusal(changes: Partial<OrderRequest> = {}, options: Partial<AcmeOptions> = {}) {
    return refusalIn(await this.order(changes, options));
  }
}

export function refusalIn(outcome: OrderOutcome): AuthorityRefusal {
  if (outcome.kind === "refused") return outcome.refusal;
  throw new Error("A certificate was issued where a refusal was expected.");
}

export function issuedIn(outcome: OrderOutcome) {
  if (outcome.kind === "issued") return outcome;
  throw new Error(`Refused: ${outcome.refusal.reason}, ${outcome.refusal.detail}`);
}
