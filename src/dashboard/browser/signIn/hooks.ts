import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** The screen has one thing to do, so its first field has the focus; and again when `why` changes. */
export function useFirstField(why?: unknown): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.querySelector("input")?.focus(), [why]);
  return place;
}

export function useTitle(words: string): void {
  useEffect(() => {
    document.title = `${words} · Pet Store`;
  }, [words]);
}
