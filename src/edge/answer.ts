import type { SiteAnswer } from "./siteAnswer.ts";

/** An answer in plain words, for people who came to the wrong place. */
export function say(
  status: number,
  words: string,
  { headers = {}, close = false }: { headers?: Record<string, string>; close?: boolean } = {},
): SiteAnswer {
  const plain = {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
  return { status, headers: { ...plain, ...headers }, body: `${words}\n`, close };
}
