/** The scripts of the landing page. */
import { find, makeIcon, startCopy, startTheme } from "./elements.ts";
import { later } from "./platform.ts";

const pollMs = 5_000;

interface Health {
  readonly tone: "fine" | "trouble";
  readonly words: string;
}

/** Polls the readiness of the service while the page is visible. */
function startHealth(): void {
  const badge = find<HTMLElement>("[data-health]");
  const { ready = "" } = badge.dataset;
  const again = async () => {
    if (document.visibilityState === "visible") show(badge, await healthAt(ready));
    later(pollMs, again);
  };
  later(pollMs, again);
}

async function healthAt(ready: string): Promise<Health> {
  try {
    const response = await fetch(ready, { cache: "no-store" });
    if (response.ok) return { tone: "fine", words: "Operational" };
    const { reason } = await response.json();
    return { tone: "trouble", words: `Degraded. ${reason}` };
  } catch {
    return { tone: "trouble", words: "The service cannot be reached" };
  }
}

/** Changes nothing unless it must: screen readers announce every change. */
function show(badge: HTMLElement, { tone, words }: Health): void {
  if (badge.dataset.said === words) return;
  badge.dataset.said = words;
  find("svg", badge).replaceWith(makeIcon(tone));
  find("[data-health-words]", badge).textContent = words;
  badge.className = `badge ${tone}`;
}

startTheme();
startCopy();
startHealth();
