/** What an edge grants to people whom nobody has let in. */
export interface EdgeLimits {
  /** Of both listeners together. Past it, whoever has been idle longest makes room. */
  readonly connectionsMax: number;
  readonly handshakeMsMax: number;
  /** From the connection, or the handshake, to the whole header of the first request. */
  readonly firstRequestMsMax: number;
  /** From the end of an answer to the whole header of the next request. */
  readonly keepAliveMsMax: number;
  /** How long an answer may make no progress: its reader takes nothing, or the store is stuck. */
  readonly stallMsMax: number;
  readonly headerBytesMax: number;
  /** What is read of a request body, only to be thrown away. */
  readonly bodyBytesMax: number;
  /** Requests that an HTTP/1.1 client sends without waiting for answers. */
  readonly pipelinedMax: number;
  readonly streamsMax: number;
  /** What all answers under way hold in memory together. */
  readonly answerBytesMax: number;
  /** Certificates that are kept ready to shake hands with. */
  readonly contextsMax: number;
  /** How often overdue connections are looked for. */
  readonly sweepEveryMs: number;
  readonly pollEveryMs: number;
  readonly reportEveryMs: number;
  /** An event that anybody can cause from outside is logged once in this time, with a count. */
  readonly quietMs: number;
}

export const edgeLimits: EdgeLimits = {
  connectionsMax: 5_000,
  handshakeMsMax: 10_000,
  firstRequestMsMax: 10_000,
  keepAliveMsMax: 60_000,
  stallMsMax: 30_000,
  headerBytesMax: 16 * 1024,
  bodyBytesMax: 64 * 1024,
  pipelinedMax: 16,
  // RFC 9113, section 6.5.2, advises against fewer.
  streamsMax: 100,
  answerBytesMax: 256 * 1024 * 1024,
  contextsMax: 1_000,
  sweepEveryMs: 500,
  // What was removed must be gone within two seconds.
  pollEveryMs: 500,
  reportEveryMs: 5_000,
  quietMs: 10_000,
};
