/** Time and memory of the browser. Both may be refused, by a private window for one. */

export const now = (): number => performance.now();

export function later(ms: number, what: () => void): void {
  setTimeout(what, ms);
}

type Keeper = "localStorage" | "sessionStorage";

export function remembered(keeper: Keeper, name: string): string | undefined {
  try {
    return window[keeper].getItem(`petstore.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

export function remember(keeper: Keeper, name: string, value: string | undefined): void {
  try {
    if (value === undefined) window[keeper].removeItem(`petstore.${name}`);
    else window[keeper].setItem(`petstore.${name}`, value);
  } catch {
    // It is then forgotten with the page, which is all that was lost.
  }
}
