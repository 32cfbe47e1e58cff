/** The platform's API on the stores of a service. */
import { AuthService } from "../../accounts/authService.ts";
import { type Derive, Passwords } from "../../accounts/passwordHash.ts";
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { MaybePromise } from "../../core/maybePromise.ts";
import type { DomainService } from "../../hosting/domains/domainService.ts";
import type { SharedCounts } from "../../petstore/keys/rateLimiter.ts";
import type { Environment } from "../../petstore/keys/token.ts";
import type { Stores } from "../../storage/stores.ts";
import type { Series } from "../recent.ts";
import { PlatformAuthentication } from "./authentication.ts";
import { EventStreams } from "./eventStreams.ts";
import { createPlatformHandlers } from "./handlers.ts";
import { createPlatformApi } from "./platformApi.ts";

export interface OpenPlatformParts {
  readonly stores: Pick<Stores, "access" | "accounts" | "domains" | "keys" | "sites" | "uploads">;
  readonly domainService: DomainService;
  readonly counts: SharedCounts;
  readonly environment: Environment;
  /** The configured base address of the public API, whose origin is ours too. */
  readonly baseUrl: string | undefined;
  readonly series: () => MaybePromise<Series>;
  /** Resolves when the service can do its work; rejects with what keeps it from it. */
  readonly ready: () => Promise<void>;
  /** True once the service is on its way out, which no stream may hold up. */
  readonly leaving: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Argon2id unless said. */
  readonly derive?: Derive;
}

export function openPlatform({ stores, derive, ...parts }: OpenPlatformParts) {
  const { baseUrl, clock, counts, leaving, log } = parts;
  const accounts = new AuthService({
    store: stores.accounts,
    passwords: new Passwords(clock, derive),
    clock,
    counts,
    failed: (cause) => log.error("account.failed", { cause }),
  });
  const authentication = new PlatformAuthentication({ accounts, access: stores.access, baseUrl });
  const streams = new EventStreams({
    clock,
    leaving,
    failed: (cause) => log.error("stream.failed", { cause }),
  });
  const handlers = createPlatformHandlers({
    ...stores,
    ...parts,
    accounts,
    authentication,
    streams,
  });
  const handle = createPlatformApi({ authentication, handlers, clock, log });
  return { handle, authentication };
}
