/** One handler for each operation of the platform's API. */
import type { JsonOf } from "../../contract/document.ts";
import { type Json, toJson } from "../../contract/json.ts";
import type {
  PlatformInput,
  PlatformOperationId,
  PlatformResponse,
} from "../../contract/platform.ts";
import type { MaybePromise } from "../../core/maybePromise.ts";
import type { HttpRequest } from "../../wire/message.ts";
import { type AuditHandlersParts, auditHandlers } from "./audit.ts";
import type { PlatformCaller } from "./authentication.ts";
import { type DomainHandlersParts, domainHandlers } from "./domains.ts";
import { type KeyHandlersParts, keyHandlers } from "./keys.ts";
import { type OverviewParts, overviewHandlers } from "./overview.ts";
import { type OwnerHandlersParts, ownerHandlers } from "./owners.ts";
import { type ProjectHandlersParts, projectHandlers } from "./projects.ts";
import { type SecondFactorHandlersParts, secondFactorHandlers } from "./secondFactors.ts";
import { type SessionHandlersParts, sessionHandlers } from "./sessions.ts";
import { type WebhookHandlersParts, webhookHandlers } from "./webhooks.ts";

/** What a handler knows of the request beside its input. */
export interface PlatformCall {
  readonly caller: PlatformCaller;
  readonly request: HttpRequest;
  /** Whether the caller is still known by the same credential. */
  stillKnown(): Promise<boolean>;
}

type PlatformHandler<Id extends PlatformOperationId> = (
  input: PlatformInput<Id>,
  call: PlatformCall,
) => MaybePromise<PlatformResponse<Id>>;

export type PlatformHandlers = { readonly [Id in PlatformOperationId]: PlatformHandler<Id> };

export interface PlatformHandlersParts
  extends AuditHandlersParts,
    DomainHandlersParts,
    KeyHandlersParts,
    OverviewParts,
    OwnerHandlersParts,
    ProjectHandlersParts,
    SecondFactorHandlersParts,
    SessionHandlersParts,
    WebhookHandlersParts {}

/** Every operation of the document has its handler here, or this does not compile. */
export function createPlatformHandlers(parts: PlatformHandlersParts): PlatformHandlers {
  return {
    ...sessionHandlers(parts),
    ...secondFactorHandlers(parts),
    ...projectHandlers(parts),
    ...domainHandlers(parts),
    ...keyHandlers(parts),
    ...ownerHandlers(parts),
    ...webhookHandlers(parts),
    ...auditHandlers(parts),
    ...overviewHandlers(parts),
  };
}

/** Instants as text, and null where there is nothing to say. */
export function json<Status extends number, T>(status: Status, value: T) {
  return { status, body: JSON.stringify(toJson(value)) as JsonOf<Json<T>> };
}
