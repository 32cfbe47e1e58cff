/** Announces what changed to screen readers, and as a toast to everybody else. */

import { observable } from "./observable.ts";
import { later } from "./platform.ts";

/** In the live region; empty for nothing. */
export const announcement = observable("");
/** Shown at the edge of the page; empty for nothing. */
export const toast = observable("");

const shownForMs = 6_000;
let hide: (() => void) | undefined;

/** To screen readers only: where the page shows it anyway. */
export function announce(words: string): void {
  // Said twice, the same words must differ: a screen reader announces only what changed.
  announcement.set(announcement.get() === words ? `${words}\u00a0` : words);
}

export function notify(words: string): void {
  announce(words);
  toast.set(words);
  hide?.();
  hide = later(shownForMs, () => toast.set(""));
}
