/** The focus is not lost with what had it. */

/** When the element that has the focus goes away, the one that stands in for it gets it. */
export function keepFocus(standIn: () => HTMLElement | null): () => void {
  let last: EventTarget | null = null;
  const onFocus = ({ target }: Event) => {
    last = target;
  };
  // Whoever points beside everything has left it of their own accord.
  const onPoint = () => {
    last = null;
  };
  const watcher = new MutationObserver(() => {
    if (!(last instanceof Node) || last.isConnected) return;
    last = null;
    if (document.activeElement === document.body) standIn()?.focus({ preventScroll: true });
  });
  document.addEventListener("focusin", onFocus);
  document.addEventListener("pointerdown", onPoint);
  watcher.observe(document.body, { childList: true, subtree: true });
  return () => {
    watcher.disconnect();
    document.removeEventListener("focusin", onFocus);
    document.removeEventListener("pointerdown", onPoint);
  };
}
