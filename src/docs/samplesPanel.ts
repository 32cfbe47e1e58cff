/** One request in several languages, one of them shown: radio buttons, so it needs no script. */
import { codeBlock } from "./codeBlock.ts";
import type { Operation } from "./contract.ts";
import { type Html, html } from "./html.ts";
import { samplesOf } from "./samples.ts";

export function samplesPanel(operation: Operation): Html {
  const samples = samplesOf(operation);
  const name = `language-${operation.id}`;
  const choices = samples.map(
    ({ language, label }, index) =>
      html`<label><input type="radio" name="${name}" value="${language}"${index === 0 && html` checked`} data-language><span>${label}</span></label>`,
  );
  const blocks = samples.map(
    ({ language, highlight, text, label }) =>
      html`<div class="sample" data-sample="${language}">${codeBlock(text, highlight, label)}</div>`,
  );
  return html`<div class="samples"><fieldset class="choices"><legend class="visually-hidden">Language of the sample</legend>${choices}</fieldset>${blocks}</div>`;
}
