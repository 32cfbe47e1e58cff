/** Which keys still call what is about to be removed: pure rules. */
import type { Operation } from "../../contract/document.ts";
import { toJson } from "../../contract/json.ts";
import type { NewEvent } from "../events/events.ts";
import { dayOf } from "./lifecycle.ts";

const dayMs = 24 * 3_600_000;
const noticeMs = 90 * dayMs;
/** A key that has not called it for longer has probably moved on. */
const recentMs = 7 * dayMs;
const againMs = 30 * dayMs;

export interface Sunset {
  readonly operation: string;
  readonly sunsetAtMs: number;
  readonly successor: string;
}

/** What to look for in the uses of keys. */
export interface Sunsets {
  readonly approaching: readonly Sunset[];
  /** Uses on this day or later count. */
  readonly sinceDay: string;
  /** What was recorded after this is not recorded again. */
  readonly recordedSinceMs: number;
  readonly nowMs: number;
}

export function sunsetsOf(operations: readonly Operation[], nowMs: number): Sunsets {
  const approaching = operations.flatMap(({ id, lifecycle }) =>
    lifecycle && lifecycle.sunsetAtMs > nowMs && lifecycle.sunsetAtMs <= nowMs + noticeMs
      ? [{ operation: id, sunsetAtMs: lifecycle.sunsetAtMs, successor: lifecycle.successor }]
      : [],
  );
  const sinceDay = dayOf(nowMs - recentMs);
  return { approaching, sinceDay, recordedSinceMs: nowMs - againMs, nowMs };
}

/** A key that called it, and when last. */
export interface SunsetCall {
  readonly keyId: string;
  readonly keyName: string;
  readonly operation: string;
  readonly lastCallAtMs: number;
}

export function sunsetEvent(call: SunsetCall, approaching: readonly Sunset[]): NewEvent {
  const { keyId, keyName, operation, lastCallAtMs } = call;
  const sunset = approaching.find((each) => each.operation === operation);
  const data = { keyId, keyName, ...sunset, operation, lastCallAtMs };
  return {
    type: "operation.sunset_approaching",
    resource: `keys/${keyId}`,
    data: JSON.stringify(toJson(data)),
  };
}
