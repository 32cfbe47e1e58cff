/** Lists in pages: the search that narrows them, and the way from page to page. */
import { useEffect, useState } from "preact/hooks";
import { later } from "../../../docs/browser/platform.ts";
import { Button } from "./buttons.tsx";

/** A search starts once typing has paused this long. */
const typingMs = 250;

interface SearchBoxProps {
  readonly value: string;
  readonly onSearch: (text: string) => void;
  readonly maxLength: number;
}

export function SearchBox({ value, onSearch, maxLength }: SearchBoxProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => later(typingMs, () => onSearch(typed.trim())), [typed]);
  useEffect(() => {
    if (typed.trim() !== value) setTyped(value);
  }, [value]);
  return (
    <input
      type="search"
      aria-label="Search by name"
      placeholder="Search by name"
      value={typed}
      maxLength={maxLength}
      spellcheck={false}
      autocapitalize="none"
      onInput={(event) => setTyped(event.currentTarget.value)}
    />
  );
}

interface Walk {
  /** Of the current page; undefined for the first one. */
  readonly cursor: string | undefined;
  /** Where the pages up to this one began. */
  readonly cursors: readonly string[];
  readonly walkTo: (cursors: readonly string[]) => void;
}

/** Another setting of the filters begins at the first page. */
export function useWalk(setting: string): Walk {
  const [walked, setWalked] = useState<{ setting: string; cursors: readonly string[] }>();
  useEffect(() => setWalked(undefined), [setting]);
  const cursors = walked?.setting === setting ? walked.cursors : [];
  return {
    cursor: cursors.at(-1),
    cursors,
    walkTo: (to) => setWalked({ setting, cursors: to }),
  };
}

interface PagingProps {
  readonly walk: Walk;
  /** The cursor of the next page, if there is one. */
  readonly next: string | null | undefined;
  readonly busy: boolean;
}

/** Nothing if there is only one page. */
export function Paging({ walk: { cursors, walkTo }, next, busy }: PagingProps) {
  if (next == null && cursors.length === 0) return null;
  return (
    <nav class="paging" aria-label="Pages">
      <Button onClick={() => walkTo(cursors.slice(0, -1))} disabled={cursors.length === 0}>
        Previous page
      </Button>
      <span class="quiet" aria-live="polite">
        Page {cursors.length + 1}
      </span>
      <Button
        onClick={() => next != null && walkTo([...cursors, next])}
        disabled={next == null}
        busy={busy}
      >
        Next page
      </Button>
    </nav>
  );
}
