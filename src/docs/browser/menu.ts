/** On a narrow screen, the navigation in a dialog, which keeps the focus and gives it back. */
import { find } from "./elements.ts";

export function startMenu(): void {
  const dialog = find<HTMLDialogElement>("[data-menu]");
  const place = find("[data-nav-place]");
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
    place.append(nav);
    open.focus();
  });
  // A link to this very page leads nowhere new: the menu has done its work all the same.
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
