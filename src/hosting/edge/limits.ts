/** What an edge grants to people whom nobody has let in. */
import { type WireLimits, wireLimits } from "../../wire/limits.ts";

export interface EdgeLimits extends WireLimits {
  readonly handshakeMsMax: number;
  readonly streamsMax: number;
  /** Certificates that are kept ready to shake hands with. */
  readonly contextsMax: number;
  readonly pollEveryMs: number;
  readonly reportEveryMs: number;
  /** An event that anybody can cause from outside is logged once in this time, with a count. */
  readonly quietMs: number;
}

export const edgeLimits: EdgeLimits = {
  ...wireLimits,
  connectionsMax: 5_000,
  handshakeMsMax: 10_000,
  // A store that is stuck must not hold connections for ever.
  handlerMsMax: 30_000,
  discardedBytesMax: 64 * 1024,
  // RFC 9113, section 6.5.2, advises against fewer.
  streamsMax: 100,
  contextsMax: 1_000,
  // What was removed must be gone within two seconds.
  pollEveryMs: 500,
  reportEveryMs: 5_000,
  quietMs: 10_000,
};
