/** When the authority wants a certificate replaced (RFC 9773, section 4). */
import type { Clock } from "../../core/clock.ts";
import type { RenewalWindow } from "../domains/certificateAuthority.ts";
import { AcmeError, errorOfResponse, isObject, malformed, parseBody } from "./acmeError.ts";
import type { Directory } from "./directory.ts";
import type { AcmeResponse, Transport } from "./transport.ts";
import { retryAtMs } from "./waiting.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** As section 4.3.2 has it: an authority that says less or more is held to these. */
const askAgainMs = { least: minuteMs, usual: 6 * hourMs, most: 24 * hourMs };
const renewalNameLengthMax = 256;

export function isRenewalName(text: string): boolean {
  return text.length <= renewalNameLengthMax && /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/.test(text);
}

/** Throws a `AcmeError` when the authority fails or sends nonsense. */
export async function fetchRenewalWindow(
  renewalName: string,
  directory: Directory,
  transport: Transport,
  clock: Clock,
): Promise<RenewalWindow> {
  const { renewalInfo } = await directory.entries();
  if (renewalInfo === undefined) return { kind: "not_offered" };
  if (!isRenewalName(renewalName))
    throw new AcmeError("policy", "This is no name of a certificate.");
  const url = `${renewalInfo.replace(/\/$/, "")}/${renewalName}`;
  const answer = await transport.send({ method: "GET", url });
  if (answer.status !== 200) throw errorOfResponse(answer, clock.now());
  return { ...readWindow(answer), askAgainAtMs: askAgainAtMs(answer, clock.now()) };
}

function readWindow(answer: AcmeResponse): { kind: "window"; startMs: number; endMs: number } {
  const { suggestedWindow } = parseBody(answer);
  const { start, end } = isObject(suggestedWindow) ? suggestedWindow : {};
  const startMs = readTimestamp(start);
  const endMs = readTimestamp(end);
  if (startMs === undefined || endMs === undefined || endMs <= startMs) {
    throw malformed("a renewal window that is none");
  }
  return { kind: "window", startMs, endMs };
}

/** RFC 3339. Date.parse alone would take much else. */
function readTimestamp(value: unknown): number | undefined {
  const form = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;
  if (typeof value !== "string" || !form.test(value)) return undefined;
  const ms = Date.parse(value.toUpperCase());
  return Number.isNaN(ms) ? undefined : ms;
}

function askAgainAtMs(answer: AcmeResponse, nowMs: number): number {
  const wanted = retryAtMs(answer.header("retry-after"), nowMs) ?? nowMs + askAgainMs.usual;
  return Math.min(Math.max(wanted, nowMs + askAgainMs.least), nowMs + askAgainMs.most);
}
