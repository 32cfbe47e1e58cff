/** The language chosen in one sample is the language of all, and of the next visit. */
import { findAll } from "./elements.ts";
import { remember } from "./platform.ts";

export function startSamples(): void {
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
