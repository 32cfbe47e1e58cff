/** Who makes a change and from where. It travels with the calls that lead to the store. */
import { AsyncLocalStorage } from "node:async_hooks";

/** Sent to the thread that writes, so it holds plain values only. */
export interface Origin {
  /**
   * `accounts/operator`, `keys/key_4fK2mQ9xW1Zt`, `tokens/acc_…` or `cli/root`; undefined for a
   * person who is not signed in yet.
   */
  readonly actor: string | undefined;
  readonly source: Source;
  readonly requestId?: string | undefined;
}

/** Of a request: the client's address and user agent. Of a command: the machine, and who used sudo. */
export interface Source {
  readonly address?: string | undefined;
  readonly agent?: string | undefined;
  readonly host?: string | undefined;
  readonly sudoUser?: string | undefined;
}

/** What a process does on its own: at its start, or in the background. */
export const service: Origin = { actor: "service", source: {} };

const textLengthMax = 200;

const origins = new AsyncLocalStorage<Origin>();

/** Undefined in what a process does on its own. */
export const currentOrigin = (): Origin | undefined => origins.getStore();

export function withOrigin<T>({ actor, source, requestId }: Origin, work: () => T): T {
  const limited = Object.fromEntries(
    Object.entries(source).map(([name, text]) => [name, limit(text)]),
  );
  return origins.run({ actor, source: limited, requestId: limit(requestId) }, work);
}

/** As every database can store it. */
function limit(text: string | undefined): string | undefined {
  return text?.slice(0, textLengthMax).toWellFormed().replaceAll("\0", "");
}
