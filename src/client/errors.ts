import type { OperationId, Schemas } from "./operations.ts";

export type ErrorCode = Schemas["ErrorCode"];

/** `unexpected_response`: the response is not one of the contract; often that of a proxy. */
export type PetStoreErrorCode = ErrorCode | "unexpected_response";

/** The call that failed, for both kinds of failure. */
export interface FailedCall {
  readonly operation: OperationId;
  /** How often the call was tried. */
  readonly attempts: number;
  /** Repeat a creation with this one, and it happens once. Undefined for what only reads. */
  readonly idempotencyKey: string | undefined;
}

export interface ErrorFields<Code> extends FailedCall {
  readonly code: Code;
  readonly message: string;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
}

/** The service responded with an error. Tell cases apart by `code`, never by `message`. */
export class PetStoreError<Code extends PetStoreErrorCode = PetStoreErrorCode>
  extends Error
  implements ErrorFields<Code>
{
  /** A service newer than this client may send a code that the type does not list. */
  readonly code: Code;
  /** The status of the response. */
  readonly status: number;
  /** Names the request in the service's log. Quote it when you ask for help. */
  readonly requestId: string | undefined;
  /** How long the service asks you to wait, if it does. */
  readonly retryAfterMs: number | undefined;
  readonly operation: OperationId;
  readonly attempts: number;
  readonly idempotencyKey: string | undefined;

  constructor(fields: ErrorFields<Code>) {
    super(fields.message);
    this.name = "PetStoreError";
    this.code = fields.code;
    this.status = fields.status;
    this.requestId = fields.requestId;
    this.retryAfterMs = fields.retryAfterMs;
    this.operation = fields.operation;
    this.attempts = fields.attempts;
    this.idempotencyKey = fields.idempotencyKey;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: in a subclass it is the subclass.
    return isInstance(value, this, PetStoreError, "PetStoreError");
  }
}

/** There was no response: no connection, a connection that broke, or the time limit. */
export class PetStoreUnreachable extends Error implements FailedCall {
  readonly operation: OperationId;
  readonly attempts: number;
  readonly idempotencyKey: string | undefined;

  constructor(message: string, call: FailedCall, cause: unknown) {
    super(message, { cause });
    this.name = "PetStoreUnreachable";
    this.operation = call.operation;
    this.attempts = call.attempts;
    this.idempotencyKey = call.idempotencyKey;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: in a subclass it is the subclass.
    return isInstance(value, this, PetStoreUnreachable, "PetStoreUnreachable");
  }
}

/**
 * A program that loads this module as ESM and as CommonJS has each class twice. An error of one is an
 * instance of the other too, by its name. A subclass is compared as any class is.
 */
function isInstance(value: unknown, asked: unknown, own: unknown, name: string): boolean {
  if (Function.prototype[Symbol.hasInstance].call(asked, value)) return true;
  return asked === own && value instanceof Error && value.name === name;
}

/** Whether this is a PetStoreError, and one of these codes if any are named. */
export function isPetStoreError<Code extends PetStoreErrorCode = PetStoreErrorCode>(
  error: unknown,
  ...codes: Code[]
): error is PetStoreError<Code> {
  if (!(error instanceof PetStoreError)) return false;
  return codes.length === 0 || (codes as string[]).includes(error.code);
}

export type Redact = (text: string) => string;

/** Takes the key out of any text. A proxy may echo what it was sent, and so may a runtime. */
export function redactor(apiKey: string): Redact {
  return (text) => text.replaceAll(apiKey, "<API_KEY>");
}

const causesMax = 4;

/**
 * Copies the name, code and message of an error and of what caused it. The original may hold the
 * whole request, key included, in members and a stack that nobody can search.
 */
export function safeCause(error: unknown, redact: Redact, depth = causesMax): Error | undefined {
  if (error === undefined || error === null || depth === 0) return undefined;
  const { name, code, message, cause } = (
    typeof error === "object" ? error : { message: String(error) }
  ) as Record<string, unknown>;
  const copy = new Error(redact(String(message ?? "")), {
    cause: safeCause(cause, redact, depth - 1),
  });
  copy.name = redact(String(name ?? "Error"));
  return typeof code === "string" ? Object.assign(copy, { code: redact(code) }) : copy;
}
