import { linkTo } from "./links.ts";
import type { OperationId } from "./operations.ts";

/** What a response tells of the end of its operation. */
export interface DeprecationNotice {
  readonly operation: OperationId;
  /** `Deprecation` (RFC 9745). */
  readonly deprecatedAt: Date | undefined;
  /** `Sunset` (RFC 8594): the operation does not work from then on. */
  readonly sunsetAt: Date | undefined;
  /** Where the notice is written out. */
  readonly notice: string | undefined;
  /** What to call instead. */
  readonly successor: string | undefined;
}

export function deprecationIn(
  operation: OperationId,
  headers: Headers,
  address: string,
): DeprecationNotice | undefined {
  const deprecation = headers.get("deprecation");
  const sunset = headers.get("sunset");
  if (deprecation === null && sunset === null) return undefined;
  const link = headers.get("link");
  const [, seconds] = /^@(-?[0-9]+)$/.exec(deprecation ?? "") ?? [];
  return {
    operation,
    deprecatedAt: seconds === undefined ? undefined : validDate(Number(seconds) * 1000),
    sunsetAt: sunset === null ? undefined : validDate(Date.parse(sunset)),
    notice: linkTo("deprecation", link, address) ?? linkTo("sunset", link, address),
    successor: linkTo("successor-version", link, address),
  };
}

function validDate(ms: number): Date | undefined {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

export function deprecationMessage(told: DeprecationNotice): string {
  const { operation, sunsetAt, notice, successor } = told;
  const end = sunsetAt === undefined ? "" : ` and ends on ${sunsetAt.toISOString().slice(0, 10)}`;
  const instead = successor === undefined ? "" : ` Use ${successor} instead.`;
  const more = notice === undefined ? "" : ` See ${notice}.`;
  return `Pet Store: ${operation} is deprecated${end}.${instead}${more}`;
}
