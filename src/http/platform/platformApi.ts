/**
 * The API of the dashboard and of deploy scripts, under /internal/v1 on the service's own origin. It
 * is no part of the public contract and changes with the dashboard.
 */

import {
  type PlatformOperation,
  type PlatformOperationId,
  platformOperations,
} from "../../contract/platform.ts";
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { MaybePromise } from "../../core/maybePromise.ts";
import { Problem } from "../../core/problems.ts";
import type { Actor } from "../../hosting/domains/domainService.ts";
import { type HttpRequest, type HttpResponse, originOf } from "../../wire/message.ts";
import { type Api, type Exchange, Pipeline, type ReadInput } from "../pipeline.ts";
import type { HandlerResponse } from "../responses.ts";
import { type PathParameters, platformPrefix } from "../routes.ts";
import type { PlatformAuthentication, PlatformCaller } from "./authentication.ts";
import type { PlatformCall, PlatformHandlers } from "./handlers.ts";

export interface PlatformApiParts {
  readonly authentication: PlatformAuthentication;
  readonly handlers: PlatformHandlers;
  readonly clock: Clock;
  readonly log: Log;
}

type PlatformExchange = Exchange<PlatformOperationId>;
type AnyHandler = (input: ReadInput, call: PlatformCall) => MaybePromise<HandlerResponse>;

/** Nothing here may be kept by a cache, or be read as something else than it is. */
const everyResponse = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const;

export function createPlatformApi(parts: PlatformApiParts) {
  const pipeline = new Pipeline(new PlatformApi(parts), parts);
  return (request: HttpRequest): MaybePromise<HttpResponse> => pipeline.handle(request);
}

class PlatformApi implements Api<PlatformOperationId, PlatformCaller> {
  readonly prefix = platformPrefix;
  readonly operations = platformOperations;
  readonly head = false;
  readonly callerField = "actor";
  readonly #authentication: PlatformAuthentication;
  readonly #handlers: Readonly<Record<PlatformOperationId, AnyHandler>>;

  constructor({ authentication, handlers }: PlatformApiParts) {
    this.#authentication = authentication;
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

  authorize(_: PlatformExchange, caller: PlatformCaller, { security }: PlatformOperation): void {
    const isForOperator = security.values().some((roles) => roles.includes("operator"));
    if (isForOperator && caller.actor.kind !== "operator") throw new Problem("operator_only");
  }

  handle(
    { request }: PlatformExchange,
    caller: PlatformCaller,
    { id }: PlatformOperation,
    input: ReadInput,
  ): MaybePromise<HandlerResponse> {
    const stillKnown = async () => {
      const actor = await this.#authentication.actor(request);
      return actor !== undefined && nameOf(actor) === nameOf(caller.actor);
    };
    const call = { caller, request, stillKnown };
    return this.#handlers[id]({ ...input, path: decoded(input.path) }, call);
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
