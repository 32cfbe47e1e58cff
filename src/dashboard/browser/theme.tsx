/** Light or dark: as the system says, until someone says otherwise here. */
import { useState } from "preact/hooks";
import { remember } from "../../docs/browser/platform.ts";
import { announce } from "./announce.ts";
import { ThemeIcon } from "./parts/icons.tsx";

type Theme = "light" | "dark";

const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
const ofSystem = (): Theme => (systemIsDark.matches ? "dark" : "light");

function current(): Theme {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "light" || chosen === "dark" ? chosen : ofSystem();
}

export function ThemeSwitch() {
  const [shown, show] = useState(current);
  const other: Theme = shown === "dark" ? "light" : "dark";
  const turn = () => {
    // Back at what the system says, there is nothing to remember, and it may change again.
    const agrees = other === ofSystem();
    if (agrees) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = other;
    remember("localStorage", "theme", agrees ? undefined : other);
    show(other);
    announce(other === "dark" ? "Dark" : "Light");
  };
  return (
    <button type="button" class="icon" aria-label={`Switch to ${other}`} onClick={turn}>
      <ThemeIcon />
    </button>
  );
}
