/** A piece of code with its name and a button that copies it. */
import { tokensOf } from "./highlight.ts";
import { type Content, type Html, html, join } from "./html.ts";

const languageNames: Readonly<Record<string, string>> = {
  sh: "Shell",
  bash: "Shell",
  ts: "TypeScript",
  js: "JavaScript",
  json: "JSON",
  python: "Python",
  http: "HTTP",
  promql: "PromQL",
  ini: "Settings",
  yaml: "YAML",
};

export function codeBlock(text: string, language = "", caption?: Content): Html {
  const label = caption ?? languageNames[language] ?? "Text";
  return codeFigure(coloured(text.replace(/\n$/, ""), language), label);
}

export function codeFigure(code: Html, label: Content): Html {
  return html`<figure class="code"><figcaption>${label}<button type="button" class="copy" data-copy hidden>Copy</button></figcaption><pre tabindex="0"><code>${code}</code></pre></figure>`;
}

export function coloured(text: string, language: string): Html {
  return join(
    tokensOf(text, language).map(({ kind, text }) =>
      kind === "text" ? text : html`<span class="t-${kind}">${text}</span>`,
    ),
  );
}
