/** Pieces that pages share: badges, code blocks and samples. */
import { reasonPhrase } from "../core/reasonPhrases.ts";
import type { Operation } from "./contract.ts";
import { tokensOf } from "./highlight.ts";
import { type Content, type Html, html, join } from "./html.ts";
import { type IconName, icon, type Tone } from "./icons.ts";
import { samplesOf } from "./samples.ts";

const longDate = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });

/** `2030-12-05` as `5 December 2030`. */
export const dateInWords = (date: string): string => longDate.format(Date.parse(date));

function badge(tone: Tone, words: string, mark: IconName = tone): Html {
  return html`<span class="badge ${tone}">${icon(mark)} ${words}</span>`;
}

export function status(code: number): Html {
  const words = `${code} ${reasonPhrase(code)}`.trim();
  return badge(code < 300 ? "fine" : code < 400 ? "neutral" : "trouble", words);
}

const stabilities: Readonly<Record<string, Html>> = {
  stable: badge("fine", "Stable"),
  beta: badge("waiting", "Beta"),
  experimental: badge("waiting", "Experimental", "experimental"),
};

export function stability(operation: Operation): Html {
  return stabilities[operation.stability] ?? badge("neutral", operation.stability);
}

export function deprecated({ deprecation }: Operation): Html | undefined {
  if (deprecation === undefined) return undefined;
  return badge("trouble", `Deprecated, removed on ${dateInWords(deprecation.sunset)}`);
}

export function method(name: string): Html {
  return html`<span class="method ${name === "GET" ? "reads" : "writes"}">${name}</span>`;
}

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

/** A code block in Markdown. */
export const fenced = (text: string, language: string) => `\`\`\`${language}\n${text}\n\`\`\``;

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

/** One request in several languages, of which one is shown: radio buttons work without a script. */
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
