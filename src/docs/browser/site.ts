/** The scripts of every page. Each works without the others, and the page without any. */
import { find, findAll, startCopy, startTheme } from "./elements.ts";
import { remember } from "./platform.ts";
import { startSearch } from "./search.ts";
import { startTryIt } from "./tryIt.ts";

// If the API is on the same origin as this page, its URL begins as that of the page does.
const given = document.body.dataset.baseUrlGiven ?? "";
if (given.startsWith("/")) {
  const whole = location.origin + given;
  for (const element of findAll("[data-base-url]")) element.textContent = whole;
}

startTheme();
startMenu();
startSamples();
startCopy();
startSearch();
startTryIt();

/** On a narrow screen, the navigation is in a dialog, which keeps the focus and gives it back. */
function startMenu(): void {
  const dialog = find<HTMLDialogElement>("[data-menu]");
  const container = find("[data-nav-place]");
  const nav = find<HTMLElement>("#nav");
  const open = find<HTMLButtonElement>("[data-menu-open]");

  open.addEventListener("click", () => {
    dialog.append(nav);
    dialog.showModal();
  });
  find("[data-menu-close]").addEventListener("click", () => dialog.close());
  // A click on the backdrop is a click on the dialog itself.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    container.append(nav);
    open.focus();
  });
  // A link to an anchor of the same page loads nothing, so the menu must close here.
  nav.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("a") && dialog.open) dialog.close();
  });
  matchMedia("(min-width: 60rem)").addEventListener("change", ({ matches }) => {
    if (matches && dialog.open) dialog.close();
  });
  // Not scrollIntoView: up to Chromium 153 it also moves the point that Tab starts from, past the skip link.
  const current = nav.querySelector("[aria-current]");
  if (current !== null) {
    const below = current.getBoundingClientRect().bottom - nav.getBoundingClientRect().bottom;
    if (below > 0) nav.scrollTop += below;
  }
}

/** The language chosen in one sample applies to all, and to the next visit. */
function startSamples(): void {
  const choices = findAll<HTMLInputElement>("[data-language]");
  const show = (language: string) => {
    for (const choice of choices) choice.checked = choice.value === language;
  };
  const chosen = document.documentElement.dataset.language;
  if (chosen !== undefined && choices.some(({ value }) => value === chosen)) show(chosen);
  else delete document.documentElement.dataset.language;
  for (const choice of choices) {
    choice.addEventListener("change", () => {
      document.documentElement.dataset.language = choice.value;
      remember("localStorage", "language", choice.value);
      show(choice.value);
    });
  }
}
