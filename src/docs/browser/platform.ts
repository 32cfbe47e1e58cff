/** What the browser provides: time, storage, the clipboard and the theme. Storage may be refused. */

/** Milliseconds since 1970. */
export const now = (): number => Date.now();

/** Monotonic milliseconds, for measuring. */
export const elapsedMs = (): number => performance.now();

/** Runs the action once, unless the returned function is called before. */
export function later(delayMs: number, action: () => void): () => void {
  const timer = setTimeout(action, delayMs);
  return () => clearTimeout(timer);
}

/** Runs the action again and again until the returned function is called. */
export function every(intervalMs: number, action: () => void): () => void {
  const timer = setInterval(action, intervalMs);
  return () => clearInterval(timer);
}

type StorageName = "localStorage" | "sessionStorage";

export function remembered(storage: StorageName, name: string): string | undefined {
  try {
    return window[storage].getItem(`petstore.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

export function remember(storage: StorageName, name: string, value: string | undefined): void {
  try {
    if (value === undefined) window[storage].removeItem(`petstore.${name}`);
    else window[storage].setItem(`petstore.${name}`, value);
  } catch {
    // A private window may refuse: the value then lasts as long as the page.
  }
}

/** Whether the text was copied. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelection(text);
  }
}

/** Over plain HTTP there is no clipboard API. */
function copySelection(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement("textarea");
  area.className = "visually-hidden";
  area.readOnly = true;
  area.value = text;
  // Within an open dialog, nothing outside of it can be selected.
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return done;
}

export type Theme = "light" | "dark";

export const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
const systemTheme = (): Theme => (systemIsDark.matches ? "dark" : "light");

/** The system's theme, unless the reader chose another. */
export function currentTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "light" || chosen === "dark" ? chosen : systemTheme();
}

export const otherTheme = (): Theme => (currentTheme() === "dark" ? "light" : "dark");

/** Returns the theme that it switched to. */
export function switchTheme(): Theme {
  const theme = otherTheme();
  // The system's own theme is not remembered, so that it may change again.
  const isOfSystem = theme === systemTheme();
  if (isOfSystem) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  remember("localStorage", "theme", isOfSystem ? undefined : theme);
  return theme;
}
