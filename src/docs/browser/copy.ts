/** Copies a piece of code, and says so. */
import { findAll, make, say } from "./elements.ts";
import { later } from "./platform.ts";

const sayForMs = 1600;

export function startCopy(within: ParentNode = document): void {
  for (const button of findAll<HTMLButtonElement>("[data-copy]", within)) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const code = button.closest("figure")?.querySelector("code")?.textContent ?? "";
      const done = await copied(code);
      button.textContent = done ? "Copied" : "Select and copy";
      say(done ? "Copied" : "Copying was refused. Select the text and copy it.");
      later(sayForMs, () => {
        button.textContent = "Copy";
      });
    });
  }
}

async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Over plain HTTP there is no clipboard, but there is the old way.
    const area = make("textarea", { class: "visually-hidden", readonly: "" });
    area.value = text;
    const focused = document.activeElement;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
    return done;
  }
}
