import type { Refusal, RefusalReason } from "../domains/certificateAuthority.ts";

const detailLengthMax = 500;

export interface RefusedBecause {
  readonly retryAtMs?: number | undefined;
  /** The last part of the problem's type (RFC 8555, section 6.7), where the authority gave one. */
  readonly problemType?: string | undefined;
  readonly status?: number | undefined;
}

/** How an order ends without a certificate, from wherever in the work that is noticed. */
export class Refused extends Error {
  readonly refusal: Refusal;
  readonly problemType: string | undefined;
  readonly status: number | undefined;

  constructor(reason: RefusalReason, detail: string, because: RefusedBecause = {}) {
    const text = plainText(detail);
    super(text);
    this.name = "Refused";
    this.refusal = { reason, detail: text, retryAtMs: because.retryAtMs };
    this.problemType = because.problemType;
    this.status = because.status;
  }
}

/** It may have been nothing but a hiccup. */
export function isUnavailable(reason: unknown): reason is Refused {
  return reason instanceof Refused && reason.refusal.reason === "unavailable";
}

/** The owner reads this in a page and the operator in a terminal: no controls, no hidden marks. */
export function plainText(text: string): string {
  const plain = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  if (plain.length <= detailLengthMax) return plain;
  // Cutting may leave half a pair behind, which toWellFormed would turn into a mark of its own.
  return `${plain.slice(0, detailLengthMax - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

export function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
