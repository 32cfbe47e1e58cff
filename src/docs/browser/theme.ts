/** Light or dark: as the system says, until someone says otherwise here. */
import { find, say } from "./elements.ts";
import { remember } from "./platform.ts";

const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

function current(): "light" | "dark" {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return systemIsDark.matches ? "dark" : "light";
}

const otherThan = (theme: "light" | "dark") => (theme === "dark" ? "light" : "dark");

export function startTheme(): void {
  const label = find("[data-theme-label]");
  const name = () => {
    label.textContent = `Switch to ${otherThan(current())}`;
  };
  find("[data-theme-switch]").addEventListener("click", () => {
    const wanted = otherThan(current());
    // Back at what the system says, there is nothing to remember, and it may change again.
    const agrees = wanted === (systemIsDark.matches ? "dark" : "light");
    if (agrees) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = wanted;
    remember("localStorage", "theme", agrees ? undefined : wanted);
    name();
    say(wanted === "dark" ? "Dark" : "Light");
  });
  systemIsDark.addEventListener("change", name);
  name();
}
