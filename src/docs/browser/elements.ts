/** Finding and making elements, and the controls that all pages have. Text is always set as text. */

import { type IconName, icon } from "../icons.ts";
import { copyText, later, otherTheme, switchTheme, systemIsDark } from "./platform.ts";

export function find<T extends Element>(selector: string, within: ParentNode = document): T {
  const found = within.querySelector<T>(selector);
  if (found === null) throw new Error(`The page lacks ${selector}.`);
  return found;
}

export function findAll<T extends Element>(selector: string, within: ParentNode = document): T[] {
  return [...within.querySelectorAll<T>(selector)];
}

type Child = Node | string | undefined;

export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

export function makeIcon(name: IconName): Node {
  return document.createRange().createContextualFragment(icon(name).text);
}

/** Announces something to screen readers. */
export function announce(words: string): void {
  find("[data-live]").textContent = words;
}

export function startTheme(): void {
  const label = find("[data-theme-label]");
  const showOther = () => {
    label.textContent = `Switch to ${otherTheme()}`;
  };
  find("[data-theme-switch]").addEventListener("click", () => {
    announce(switchTheme() === "dark" ? "Dark" : "Light");
    showOther();
  });
  systemIsDark.addEventListener("change", showOther);
  showOther();
}

const shownForMs = 1600;

export function startCopy(): void {
  for (const button of findAll<HTMLButtonElement>("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const done = await copyText(
        button.closest("figure")?.querySelector("code")?.textContent ?? "",
      );
      button.textContent = done ? "Copied" : "Select and copy";
      announce(done ? "Copied" : "Copying was refused. Select the text and copy it.");
      later(shownForMs, () => {
        button.textContent = "Copy";
      });
    });
  }
}
