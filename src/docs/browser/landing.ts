/** The scripts of the landing page. */
import { find, startCopy, startTheme } from "./elements.ts";
import { later } from "./platform.ts";

const pollMs = 5_000;

interface Health {
  readonly meaning: "fine" | "trouble";
  readonly mark: string;
  readonly words: string;
}

/** Polls the readiness of the service while the page is visible. */
function startHealth(): void {
  const place = find<HTMLElement>("[data-health]");
  const { ready = "" } = place.dataset;
  const again = async () => {
    if (document.visibilityState === "visible") show(place, await healthAt(ready));
    later(pollMs, again);
  };
  later(pollMs, again);
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

/** Changes nothing unless it must: screen readers announce every change. */
function show(place: HTMLElement, { meaning, mark, words }: Health): void {
  if (place.dataset.said === words) return;
  place.dataset.said = words;
  find("[data-health-mark]", place).textContent = mark;
  find("[data-health-words]", place).textContent = words;
  place.className = `badge ${meaning}`;
}

startTheme();
startCopy();
startHealth();
