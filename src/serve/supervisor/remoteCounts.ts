/** Counts that are kept by the supervisor, for the process that asks and for the one that keeps them. */
import type { Clock } from "../../core/clock.ts";
import type { Quota, RateLimiter, SharedCounts, Verdict } from "../../petstore/keys/rateLimiter.ts";
import type { Channel } from "./channel.ts";

/** In the order in which they are to be done. */
interface Takes {
  readonly purpose: string;
  readonly quota: Quota;
  readonly ids: readonly string[];
  /** Whether each is given back instead of taken. */
  readonly back: readonly boolean[];
}

interface Waiting {
  readonly id: string;
  readonly back: boolean;
  resolve(verdict: Verdict): void;
  reject(reason: unknown): void;
}

export function remoteCounts(channel: Channel, salt: string, clock: Clock): SharedCounts {
  const limiter = (purpose: string, quota: Quota): RateLimiter => {
    let waiting: Waiting[] = [];
    /** Requests that have arrived together are asked for together. */
    const send = async () => {
      const sent = waiting;
      waiting = [];
      const ids = sent.map(({ id }) => id);
      const takes: Takes = { purpose, quota, ids, back: sent.map(({ back }) => back) };
      try {
        const verdicts = (await channel.ask("take", takes)) as Verdict[];
        for (const [index, { resolve }] of sent.entries()) resolve(verdicts[index] as Verdict);
      } catch (cause) {
        for (const { reject } of sent) reject(cause);
      }
    };
    const ask = (id: string, back: boolean) =>
      new Promise<Verdict>((resolve, reject) => {
        if (waiting.push({ id, back, resolve, reject }) === 1) clock.next(() => void send());
      });
    return { quota, take: (id) => ask(id, false), giveBack: (id) => ask(id, true) };
  };
  return { salt, limiter };
}

/** How the supervisor answers what is asked above. */
export function answerTakes(counts: SharedCounts) {
  return ({ purpose, quota, ids, back }: Takes): Promise<Verdict[]> => {
    const limiter = counts.limiter(purpose, quota);
    return Promise.all(
      ids.map((id, index) => (back[index] ? limiter.giveBack(id) : limiter.take(id))),
    );
  };
}
