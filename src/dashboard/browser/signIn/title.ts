import { useEffect } from "preact/hooks";

export function useTitle(words: string): void {
  useEffect(() => {
    document.title = `${words} · Pet Store`;
  }, [words]);
}
