/** What a screen shows of the service: on its way, here, or refused, and how to ask again. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { reconnections } from "./connection.ts";
import { useObservable } from "./observable.ts";
import { every } from "./platform.ts";

export interface Loaded<T> {
  /** The last that was seen, also while something newer is asked for or could not be had. */
  readonly data: T | undefined;
  readonly fault: unknown;
  readonly busy: boolean;
  readonly reload: () => void;
  /** Shows something newer that came another way. */
  readonly put: (change: (data: T) => T) => void;
}

interface Seen<T> {
  readonly about: string;
  readonly data: T | undefined;
  readonly fault: unknown;
  readonly busy: boolean;
}

/** `about` names what is loaded: another name is another thing, and forgets the last. */
export function useLoaded<T>(
  about: string,
  load: (signal: AbortSignal) => Promise<T>,
  againEveryMs?: number,
): Loaded<T> {
  const nothing: Seen<T> = { about, data: undefined, fault: undefined, busy: true };
  const [seen, see] = useState<Seen<T>>(nothing);
  const [turn, setTurn] = useState(0);
  const back = useObservable(reconnections);
  const loading = useRef(load);
  loading.current = load;

  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    see((before) => (before.about === about ? { ...before, busy: true } : nothing));
    loading.current(signal).then(
      (data) => signal.aborted || see({ about, data, fault: undefined, busy: false }),
      (fault) =>
        signal.aborted ||
        see(({ data, about: of }) => ({
          about,
          data: of === about ? data : undefined,
          fault,
          busy: false,
        })),
    );
    return () => ending.abort();
  }, [about, turn, back]);

  const reload = useCallback(() => setTurn((count) => count + 1), []);
  useEffect(() => {
    if (againEveryMs === undefined) return;
    return every(againEveryMs, () => {
      if (document.visibilityState === "visible") reload();
    });
  }, [againEveryMs, reload]);

  const put = useCallback((change: (data: T) => T) => {
    see((before) =>
      before.data === undefined ? before : { ...before, data: change(before.data) },
    );
  }, []);
  const shown = seen.about === about ? seen : nothing;
  return { data: shown.data, fault: shown.fault, busy: shown.busy, reload, put };
}
