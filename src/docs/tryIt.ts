/** A form that sends one request to the service, with the help of a script (browser/tryIt.ts). */
import type { Operation, Parameter } from "./contract.ts";
import { type Html, html } from "./html.ts";
import { indentJson } from "./indentJson.ts";
import type { Site } from "./site.ts";

export function tryIt(site: Site, operation: Operation): Html {
  const { id, method, path, parameters, body } = operation;
  const example = body?.examples[0]?.value;
  return html`<form class="try" data-try data-operation="${id}" data-method="${method}" data-path="${path}" data-base="${site.baseUrl}" data-errors="${[...site.errorCodes].join(" ")}" data-errors-at="${site.addresses.page("errors")}" autocomplete="off" novalidate>
<noscript><p>This form needs JavaScript. The samples on this page work without it.</p></noscript>
<div class="pair">
<div class="field"><label for="try-base">Base URL</label><input id="try-base" data-base-field type="url" value="${site.shownBaseUrl}" spellcheck="false" required></div>
<div class="field"><label for="try-key">API key</label><input id="try-key" data-key-field type="password" placeholder="pet_…" spellcheck="false" autocomplete="off" aria-describedby="try-key-hint"><p class="hint" id="try-key-hint">Kept in this tab until you close it, sent to the base URL only. <button type="button" class="plain" data-forget>Forget it</button></p></div>
</div>
${parameters.length > 0 && html`<fieldset><legend>Parameters</legend><div class="grid">${parameters.map(parameterField)}</div></fieldset>`}
${
  body &&
  html`<div class="field"><label for="try-body">Body <span class="type">application/json</span></label><textarea id="try-body" data-body rows="6" spellcheck="false">${example === undefined ? "" : indentJson(JSON.stringify(example), 20)}</textarea></div>`
}
<div class="actions"><button type="submit" class="primary" data-send>Send request</button><button type="button" data-cancel hidden>Cancel</button>${method !== "GET" && html`<span class="hint">This changes data at the base URL.</span>`}</div>
<p class="visually-hidden" role="status" data-said></p>
<div class="curl"><figure class="code"><figcaption>The same with curl<button type="button" class="copy" data-copy hidden>Copy</button></figcaption><pre tabindex="0"><code data-curl></code></pre></figure></div>
<div class="result" data-result hidden tabindex="-1" role="region" aria-label="Response"></div>
</form>`;
}

function parameterField(parameter: Parameter): Html {
  const { name, in: location, required } = parameter;
  const id = `try-${location}-${name}`;
  return html`<div class="field"><label for="${id}"><code>${name}</code> <span class="type">${location}${required && ", required"}</span></label>${control(parameter, id)}</div>\n`;
}

function control({ name, in: location, required, schema, example }: Parameter, id: string) {
  const { type, enum: choices = [] } = schema;
  const shared = html`id="${id}" data-name="${name}" data-location="${location}"${required && html` required`}`;
  if (choices.length > 0) {
    return html`<select ${shared}>${!required && html`<option value="">any</option>`}${choices.map((choice) => html`<option>${String(choice)}</option>`)}</select>`;
  }
  const value = required && example !== undefined ? html` value="${String(example)}"` : undefined;
  const hint = schema.default ?? (type === "array" ? "several, with commas between" : "");
  const digits = type === "integer" && html` inputmode="numeric"`;
  return html`<input ${shared}${value}${digits}${type === "array" && html` data-many`} placeholder="${String(hint)}" spellcheck="false">`;
}
