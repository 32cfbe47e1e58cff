/** Time and timers of the browser: the dashboard gets them only here. */

/** Milliseconds since 1970. */
export const now = (): number => Date.now();

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
