/** Polls the readiness of the service while the page is visible. */
import { find } from "./elements.ts";
import { later } from "./platform.ts";

const askedEveryMs = 5_000;

interface Health {
  readonly meaning: "fine" | "trouble";
  readonly mark: string;
  readonly words: string;
}

export function startHealth(): void {
  const place = find<HTMLElement>("[data-health]");
  const { ready = "" } = place.dataset;
  const again = async () => {
    if (document.visibilityState === "visible") show(place, await healthAt(ready));
    later(askedEveryMs, again);
  };
  later(askedEveryMs, again);
}

async function healthAt(ready: string): Promise<Health> {
  try {
    const response = await fetch(ready, { cache: "no-store" });
    if (response.ok) return { meaning: "fine", mark: "●", words: "Operational" };
    const { reason } = await response.json();
    return { meaning: "trouble", mark: "▲", words: `Degraded. ${reason}` };
  } catch {
    return { meaning: "trouble", mark: "▲", words: "The service cannot be reached" };
  }
}

/** Says something only when it has changed: it is read aloud to those who listen. */
function show(place: HTMLElement, { meaning, mark, words }: Health): void {
  if (place.dataset.said === words) return;
  place.dataset.said = words;
  find("[data-health-mark]", place).textContent = mark;
  find("[data-health-words]", place).textContent = words;
  place.className = `badge ${meaning}`;
}
