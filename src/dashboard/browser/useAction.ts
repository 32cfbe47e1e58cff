/** What a button does: one at a time, with its error shown in place. */
import { useRef, useState } from "preact/hooks";

export interface Action {
  readonly busy: boolean;
  readonly fault: unknown;
  /** Whether it was done. Nothing is done while something else is. */
  readonly run: (task: () => Promise<void>) => Promise<boolean>;
  readonly clear: () => void;
}

export function useAction(): Action {
  const [state, setState] = useState<{ busy: boolean; fault: unknown }>(rested);
  const busy = useRef(false);
  return {
    ...state,
    clear: () => setState(rested),
    async run(task) {
      if (busy.current) return false;
      busy.current = true;
      setState({ busy: true, fault: undefined });
      try {
        await task();
        setState(rested);
        return true;
      } catch (fault) {
        setState({ busy: false, fault });
        return false;
      } finally {
        busy.current = false;
      }
    },
  };
}

const rested = { busy: false, fault: undefined };
