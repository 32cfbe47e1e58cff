/** A longer delay is taken for a mistake. */
const retryAfterDaysMax = 31;
const dayMs = 86_400_000;

/** The value of Retry-After: seconds or an HTTP date (RFC 9110, section 10.2.3). */
export function retryAtMs(header: string | undefined, nowMs: number): number | undefined {
  const atMs = readInstant(header?.trim() ?? "", nowMs);
  if (atMs === undefined || !Number.isFinite(atMs)) return undefined;
  return Math.min(Math.max(atMs, nowMs), nowMs + retryAfterDaysMax * dayMs);
}

function readInstant(text: string, nowMs: number): number | undefined {
  if (/^\d+$/.test(text)) return nowMs + Number(text) * 1000;
  // Other formats that Date.parse accepts are not HTTP dates.
  if (/^[A-Za-z]{3,9}, .* GMT$/.test(text)) return Date.parse(text);
  return undefined;
}
