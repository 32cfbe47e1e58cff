/** Announces what changed to screen readers, and as a toast to everybody else. */
import { later } from "../../docs/browser/platform.ts";
import { observable } from "./observable.ts";

/** The text of the live region. */
export const announcement = observable("");
/** The text of the toast; empty if there is none. */
export const toast = observable("");

const shownForMs = 6_000;
let hide: (() => void) | undefined;

/** To screen readers only, for what the page shows anyway. */
export function announce(words: string): void {
  // Screen readers announce only changes, so a repeated text must differ.
  announcement.set(announcement.get() === words ? `${words}\u00a0` : words);
}

export function notify(words: string): void {
  announce(words);
  toast.set(words);
  hide?.();
  hide = later(shownForMs, () => toast.set(""));
}
