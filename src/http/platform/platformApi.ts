/**
 * The API of the dashboard and of deploy scripts, under /internal/v1 on the service's own origin. It
 * is no part of the public contract and changes with the dashboard.
 */
import { AuthService } from "../../accounts/authService.ts";
import { type Derive, Passwords } from "../../accounts/password.ts";
import { SecondFactorService } from "../../accounts/secondFactorService.ts";
import type { SecondFactorPolicy } from "../../accounts/secondFactors.ts";
import { SignInThrottle } from "../../accounts/signInThrottle.ts";
import { withOrigin } from "../../audit/origin.ts";
import {
  type PlatformOperation,
  type PlatformOperationId,
  platformOperations,
} from "../../contract/platform.ts";
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { MaybePromise } from "../../core/maybePromise.ts";
import { Problem } from "../../core/problems.ts";
import type { Tracer } from "../../core/tracing.ts";
import type { Vault } from "../../core/vault.ts";
import type { DomainService } from "../../hosting/domains/domainService.ts";
import type { Actor } from "../../hosting/sites/site.ts";
import type { SitesHost } from "../../hosting/sites/siteAddress.ts";
import type { AccountMails } from "../../notifications/accountMails.ts";
import type { SharedCounts } from "../../petstore/keys/rateLimiter.ts";
import type { Environment } from "../../petstore/keys/token.ts";
import type { WebhookService } from "../../petstore/webhooks/webhookService.ts";
import type { Stores } from "../../storage/stores.ts";
import { type HttpRequest, type HttpResponse, originOf } from "../../wire/message.ts";
import { EventStreams } from "../eventStreams.ts";
import { originOfRequest, requestIds } from "../headers.ts";
import { type Api, type Exchange, Pipeline, type ReadInput } from "../pipeline.ts";
import type { Series } from "../recentRequests.ts";
import type { HandlerResponse } from "../responses.ts";
import { type PathParameters, platformPrefix } from "../routes.ts";
import { PlatformAuthentication, type PlatformCaller } from "./authentication.ts";
import { createPlatformHandlers, type PlatformCall, type PlatformHandlers } from "./handlers.ts";

interface OpenPlatformParts {
  readonly stores: Pick<
    Stores,
    "access" | "accounts" | "audit" | "domains" | "keys" | "secondFactors" | "sites" | "uploads"
  >;
  /** Opens secrets of authenticator apps. */
  readonly vault: Vault;
  readonly secondFactor: SecondFactorPolicy;
  readonly domainService: DomainService;
  readonly webhookService: WebhookService;
  readonly counts: SharedCounts;
  readonly environment: Environment;
  /** The configured base address of the public API, whose origin is ours too. */
  readonly baseUrl: string | undefined;
  readonly sitesHost: SitesHost | undefined;
  readonly series: () => MaybePromise<Series>;
  /** Resolves when the service can do its work; rejects with what keeps it from it. */
  readonly ready: () => Promise<void>;
  /** True once the service is shutting down, which no stream may delay. */
  readonly leaving: () => boolean;
  /** Undefined where nothing is mailed. */
  readonly accountMails?: AccountMails | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly tracer?: Tracer | undefined;
  /** Argon2id unless said. */
  readonly derive?: Derive;
}

export function openPlatform({ stores, derive, ...parts }: OpenPlatformParts) {
  const { baseUrl, clock, counts, leaving, log, vault } = parts;
  const throttle = new SignInThrottle({ store: stores.accounts, counts, clock });
  const accounts = new AuthService({
    store: stores.accounts,
    passwords: new Passwords(clock, derive),
    clock,
    throttle,
    failed: (cause) => log.error("account.failed", { cause }),
  });
  const factors = new SecondFactorService({
    store: stores.secondFactors,
    accounts: stores.accounts,
    policy: parts.secondFactor,
    ...{ vault, throttle, clock },
  });
  const authentication = new PlatformAuthentication({ accounts, access: stores.access, baseUrl });
  const streams = new EventStreams({
    clock,
    leaving,
    failed: (cause) => log.error("stream.failed", { cause }),
    exhausted: () => new Problem("streams_exhausted", { retryAfterSeconds: 5 }),
  });
  const handlers = createPlatformHandlers({
    ...stores,
    ...parts,
    accounts,
    accountStore: stores.accounts,
    factors,
    authentication,
    streams,
  });
  const api = new PlatformApi(authentication, factors, handlers, clock);
  const pipeline = new Pipeline(api, parts);
  const handle = (request: HttpRequest): MaybePromise<HttpResponse> => pipeline.handle(request);
  return { handle, authentication };
}

type PlatformExchange = Exchange<PlatformOperationId>;
type AnyHandler = (input: ReadInput, call: PlatformCall) => MaybePromise<HandlerResponse>;

/** What can be done where a second factor is required and missing. */
const setsUpSecondFactor: ReadonlySet<PlatformOperationId> = new Set([
  ...(["getSession", "getSecondFactors", "beginTotp", "confirmTotp"] as const),
  ...(["createPasskey", "addPasskey"] as const),
]);

/** Nothing here may be kept by a cache, or be read as something else than it is. */
const everyResponse = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const;

class PlatformApi implements Api<PlatformOperationId, PlatformCaller> {
  readonly prefix = platformPrefix;
  readonly operations = platformOperations;
  readonly head = false;
  readonly callerField = "actor";
  readonly #authentication: PlatformAuthentication;
  readonly #factors: SecondFactorService;
  readonly #handlers: Readonly<Record<PlatformOperationId, AnyHandler>>;
  readonly #nextId: () => string;

  constructor(
    authentication: PlatformAuthentication,
    factors: SecondFactorService,
    handlers: PlatformHandlers,
    clock: Pick<Clock, "random">,
  ) {
    this.#nextId = requestIds(clock);
    this.#authentication = authentication;
    this.#factors = factors;
    this.#handlers = handlers as unknown as Readonly<Record<PlatformOperationId, AnyHandler>>;
  }

  baseOf(request: HttpRequest): string {
    return `${originOf(request)}${platformPrefix}`;
  }

  isStrict(): boolean {
    return true;
  }

  async authenticate(exchange: PlatformExchange): Promise<PlatformCaller> {
    const { match, request } = exchange;
    const operation = match?.route.operations.get(request.method);
    const caller = await this.#authentication.callerOf(request, operation);
    exchange.callerId = caller.knownActor && nameOf(caller.knownActor);
    return caller;
  }

  authorize(_: PlatformExchange, caller: PlatformCaller, operation: PlatformOperation): void {
    const { id, security } = operation;
    const { knownSession } = caller;
    if (knownSession !== undefined && security.size > 0 && !setsUpSecondFactor.has(id)) {
      if (this.#factors.isMissing(knownSession)) throw new Problem("second_factor_needed");
    }
    const isForOperator = security.values().some((roles) => roles.includes("operator"));
    if (isForOperator && caller.actor.kind !== "operator") throw new Problem("operator_only");
  }

  handle(
    exchange: PlatformExchange,
    caller: PlatformCaller,
    { id, method }: PlatformOperation,
    input: ReadInput,
  ): MaybePromise<HandlerResponse> {
    const { request } = exchange;
    const stillKnown = async () => {
      const actor = await this.#authentication.actor(request);
      return actor !== undefined && nameOf(actor) === nameOf(caller.actor);
    };
    const call = { caller, request, stillKnown };
    const handle = () => this.#handlers[id]({ ...input, path: decoded(input.path) }, call);
    if (method === "GET") return handle();
    exchange.id ??= this.#nextId();
    return withOrigin(originOfRequest(request, caller.credential, exchange.id), handle);
  }

  headersFor(): Readonly<Record<string, string>> {
    return everyResponse;
  }
}

/** For the log. No owner goes by the name of the operator, since theirs begins with another word. */
function nameOf(actor: Actor): string {
  return actor.kind === "owner" ? `owner ${actor.id}` : actor.kind;
}

/** What is no text names nothing. */
function decoded(path: PathParameters): PathParameters {
  try {
    return Object.fromEntries(
      Object.entries(path).map(([name, segment]) => [name, decodeURIComponent(segment)]),
    );
  } catch (cause) {
    throw new Problem("path_not_found", { cause });
  }
}
