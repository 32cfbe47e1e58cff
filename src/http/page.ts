import type { JsonOf } from "../contract/operations.ts";
import { readHeaders } from "./answer.ts";

/** The answer of every listing: a bare array, and a Link while more follows (RFC 8288). */
export function pageAnswer<T>(items: readonly JsonOf<T>[], nextAddress: string | undefined) {
  return {
    status: 200,
    body: `[${items.join(",")}]` as JsonOf<T[]>,
    headers:
      nextAddress === undefined
        ? readHeaders
        : { ...readHeaders, link: `<${nextAddress}>; rel="next"` },
  } as const;
}
