/** Says what changed: aloud to those who listen, and for a while at the edge to those who look. */
import { later } from "./platform.ts";
import { topic } from "./topic.ts";

/** What is said now; empty for nothing. */
export const said = topic("");
/** What is shown at the edge of the page; empty for nothing. */
export const shownNote = topic("");

const shownForMs = 6_000;
let hide: (() => void) | undefined;

/** To those who listen only: where the page shows it anyway. */
export function say(words: string): void {
  // The same words twice are two things said: a reader hears only what changed.
  said.set(said.get() === words ? `${words}\u00a0` : words);
}

export function tell(words: string): void {
  say(words);
  shownNote.set(words);
  hide?.();
  hide = later(shownForMs, () => shownNote.set(""));
}
