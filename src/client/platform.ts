/**
 * What the client needs of its environment, so that a test can replace it. This is
 * the only file of the client with a timer, the time of day or chance in it.
 */
export interface Platform {
  /** As the global `fetch`. Must stop, and reject, when the signal in `init` aborts. */
  fetch(address: string, init: RequestInit): Promise<Response>;
  /** Milliseconds since 1970. */
  now(): number;
  /** From 0 up to, but not including, 1. */
  random(): number;
  /** A unique text of 1 to 255 visible ASCII characters. */
  unique(): string;
  /** The pause between two attempts. Rejects with the signal's reason as soon as it aborts. */
  sleep(delayMs: number, signal: AbortSignal | undefined): Promise<void>;
  /** The time limit of an attempt: runs the action, unless the returned function is called before. */
  after(delayMs: number, action: () => void): () => void;
  /** Reports a deprecation where there is no `onDeprecation`. */
  warn(message: string): void;
}

function after(delayMs: number, action: () => void): () => void {
  const timer = setTimeout(action, delayMs);
  return () => clearTimeout(timer);
}

/** Browsers, Node.js from 20 on, Bun and Deno: nothing here is of one of them alone. */
export const webPlatform: Platform = {
  fetch: (address, init) => fetch(address, init),
  now: () => Date.now(),
  random: () => Math.random(),
  unique() {
    // Not crypto.randomUUID: browsers keep that from pages that came over plain http.
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  },
  sleep(delayMs, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = after(delayMs, () => {
        signal?.removeEventListener("abort", stop);
        resolve();
      });
      signal?.addEventListener("abort", stop, { once: true });
    });
  },
  after,
  warn: (message) => console.warn(message),
};
