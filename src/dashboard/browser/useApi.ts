/** Requests of a component: what it shows of the service, and what its buttons do there. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type PathWith, type ResultOf, urlOf } from "../../contract/platformCalls.ts";
import { every } from "../../docs/browser/platform.ts";
import { reconnections } from "./connection.ts";
import { call, type InputOf } from "./http.ts";
import { useObservable } from "./observable.ts";

export interface Loaded<T> {
  /** The latest that was loaded, also while it is loaded again, or could not be. */
  readonly data: T | undefined;
  readonly error: unknown;
  readonly busy: boolean;
  readonly reload: () => void;
  /** Shows something newer that came another way. */
  readonly update: (change: (data: T) => T) => void;
}

type State<T> = Pick<Loaded<T>, "data" | "error" | "busy"> & { readonly key: string };

/** Another `key` is another thing: the data of the one before is no longer shown. */
export function useLoaded<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  everyMs?: number,
): Loaded<T> {
  const nothing: State<T> = { key, data: undefined, error: undefined, busy: true };
  const [state, setState] = useState<State<T>>(nothing);
  const [attempt, setAttempt] = useState(0);
  const reconnected = useObservable(reconnections);
  const loading = useRef(load);
  loading.current = load;

  useEffect(() => {
    const aborting = new AbortController();
    const { signal } = aborting;
    const set = (change: (before: State<T>) => State<T>) => {
      if (!signal.aborted) setState((before) => change(before.key === key ? before : nothing));
    };
    set((before) => ({ ...before, busy: true }));
    loading.current(signal).then(
      (data) => set(() => ({ key, data, error: undefined, busy: false })),
      (error) => set((before) => ({ ...before, error, busy: false })),
    );
    return () => aborting.abort();
  }, [key, attempt, reconnected]);

  const reload = useCallback(() => setAttempt((count) => count + 1), []);
  useEffect(() => {
    if (everyMs === undefined) return;
    return every(everyMs, () => {
      if (document.visibilityState === "visible") reload();
    });
  }, [everyMs, reload]);

  const update = useCallback((change: (data: T) => T) => {
    setState((before) =>
      before.data === undefined ? before : { ...before, data: change(before.data) },
    );
  }, []);
  const { data, error, busy } = state.key === key ? state : nothing;
  return { data, error, busy, reload, update };
}

/** Loads what GET of the path returns, again and again if `everyMs` is given. */
export function useGet<Path extends PathWith<"get">>(
  path: Path,
  parameters: NonNullable<InputOf<"get", Path>[0]>,
  everyMs?: number,
): Loaded<ResultOf<"get", Path>> {
  return useLoaded(
    urlOf(path, parameters),
    (signal) => call("get", path, ...([{ ...parameters, signal }] as InputOf<"get", Path>)),
    everyMs,
  );
}

export interface Action {
  readonly busy: boolean;
  readonly error: unknown;
  /** Does nothing while another task of the same action is running. */
  readonly run: (task: () => Promise<void>) => void;
  readonly clear: () => void;
}

/** What a button does: one task at a time, whose error is shown in place. */
export function useAction(): Action {
  const [state, setState] = useState<{ busy: boolean; error: unknown }>(idle);
  const busy = useRef(false);
  return {
    ...state,
    clear: () => setState(idle),
    async run(task) {
      if (busy.current) return;
      busy.current = true;
      setState({ busy: true, error: undefined });
      try {
        await task();
        setState(idle);
      } catch (error) {
        setState({ busy: false, error });
      } finally {
        busy.current = false;
      }
    },
  };
}

const idle = { busy: false, error: undefined };
