/** The page of one operation, from the contract. */

import { linkFrom } from "./addresses.ts";
import type { Operation, SuccessResponse } from "./contract.ts";
import { dateInWords, type Field, fieldOf, fieldsOf, parameterGroups, typeOf } from "./fields.ts";
import { type Html, html, join } from "./html.ts";
import { indentJson } from "./indentJson.ts";
import { type Heading, heading, renderMarkdown, scrolling } from "./markdown.ts";
import { operationMarkdown } from "./operationMarkdown.ts";
import { codeBlock, deprecated, method, reasonOf, samplesPanel, stability } from "./parts.ts";
import { codeLinks, errorPath, operationPath, type Page, type Site, shortened } from "./site.ts";
import { tryIt } from "./tryIt.ts";

export function operationPage(site: Site, operation: Operation): Page {
  const writer = new OperationWriter(site, operation);
  const intro = writer.intro();
  const body = writer.body();
  return {
    path: operationPath(operation.id),
    kind: "reference",
    title: operation.summary,
    description: shortened(operation.description.replaceAll("`", "")),
    intro,
    body,
    side: writer.side(),
    headings: writer.headings,
    markdown: operationMarkdown(operation),
  };
}

class OperationWriter {
  readonly headings: Heading[] = [];
  readonly #site: Site;
  readonly #operation: Operation;

  constructor(site: Site, operation: Operation) {
    this.#site = site;
    this.#operation = operation;
  }

  intro(): Html {
    const operation = this.#operation;
    return html`<h1>${operation.summary}</h1>
<p class="endpoint">${method(operation.method)} <code>${operation.path}</code></p>
<p class="facts">${deprecated(operation)}${stability(operation)}${this.#scopes()}<a class="to-try" href="#try-it">Try it</a></p>
${this.#notice()}${this.#markdown(operation.description)}`;
  }

  body(): Html {
    return html`${this.#parameters()}${this.#body()}${this.#responses()}${this.#errors()}
${this.#heading(2, "Try it")}${tryIt(this.#site, this.#operation)}`;
  }

  side(): Html {
    const examples = this.#operation.responses.flatMap(({ status, body }) =>
      (body?.examples ?? []).map(({ name, summary = this.#summaryOf(name), value }) =>
        codeBlock(
          indentJson(JSON.stringify(value), 48),
          "json",
          html`<span>${status} ${reasonOf(status)}${summary && ` · ${summary}`}</span>`,
        ),
      ),
    );
    return html`<p class="label">Request</p>${samplesPanel(this.#operation)}${examples.length > 0 && html`<p class="label">Response</p>${examples}`}`;
  }

  /** A response example without a summary has that of the request example of the same name. */
  #summaryOf(name: string): string | undefined {
    const request = this.#operation.body?.examples.find((example) => example.name === name);
    return request?.summary?.replaceAll("`", "");
  }

  #markdown(text: string): Html {
    const path = operationPath(this.#operation.id);
    return renderMarkdown(text, {
      link: linkFrom("docs/README.md", this.#site.pagePaths, this.#site.addresses),
      codeLink: codeLinks(this.#site, path),
    }).body;
  }

  #heading(depth: number, text: string): Html {
    const anchor = anchorOf(text);
    this.headings.push({ depth, text, anchor });
    return heading(depth, anchor, text);
  }

  #scopes(): Html {
    const { scopes } = this.#operation;
    const keys = this.#site.pagePaths.has("guide/keys")
      ? this.#site.addresses.page("guide/keys")
      : undefined;
    return join(
      scopes.map((scope) => {
        const words = html`scope <code>${scope}</code>`;
        return html`<span class="badge neutral">${keys ? html`<a href="${keys}">${words}</a>` : words}</span>`;
      }),
    );
  }

  #notice(): Html | undefined {
    const { deprecation } = this.#operation;
    if (deprecation === undefined) return undefined;
    const { since, sunset, successor } = deprecation;
    const guide = this.#site.pagePaths.has("guide/deprecation");
    return html`<div class="notice trouble" role="note"><p><strong>Deprecated${since && ` since ${dateInWords(since)}`}.</strong> ${sunset && html`It is removed on <time datetime="${sunset}">${dateInWords(sunset)}</time> and returns 410 from then on. `}${successor && html`Use <code>GET ${successor}</code>. `}${guide && html`<a href="${this.#site.addresses.page("guide/deprecation")}">How operations are removed</a>.`}</p></div>`;
  }

  #parameters(): Html | undefined {
    const { parameters } = this.#operation;
    if (parameters.length === 0) return undefined;
    const groups = parameterGroups.flatMap(([location, title]) => {
      const fields = parameters
        .filter((parameter) => parameter.location === location)
        .map(({ name, schema, required, description }) =>
          fieldOf(name, schema, required, description),
        );
      return fields.length === 0 ? [] : [this.#heading(3, title), this.#fields(fields, true)];
    });
    return html`${this.#heading(2, "Parameters")}${groups}`;
  }

  #body(): Html | undefined {
    const { body } = this.#operation;
    if (body === undefined) return undefined;
    return html`${this.#heading(2, "Body")}${this.#markdown(body.description)}${this.#fields(fieldsOf(body.schema), true)}`;
  }

  #responses(): Html {
    return html`${this.#heading(2, "Responses")}${this.#operation.responses.map((response) => this.#response(response))}`;
  }

  #response({ status: code, description, headers, body }: SuccessResponse): Html {
    const list = body?.schema["type"] === "array" ? `A ${typeOf(body.schema)}.` : "";
    return html`${this.#heading(3, `${code} ${reasonOf(code)}`)}<p>${description}${list && ` ${list}`}</p>
${body && this.#fields(fieldsOf(body.schema), false)}${
  headers.length > 0 &&
  html`<details class="headers"><summary>${headers.length} response header${headers.length > 1 && "s"}</summary><dl class="fields">${headers.map(
    ({ name, required, description, example }) =>
      html`<div><dt><code>${name}</code> <span class="type">${required ? "always" : "sometimes"}</span></dt><dd>${this.#markdown(description)}${example !== undefined && html`<p class="example"><code>${String(example)}</code></p>`}</dd></div>`,
  )}</dl></details>`
}`;
  }

  #errors(): Html | undefined {
    const { errors } = this.#operation;
    if (errors.length === 0) return undefined;
    const { addresses, errorCodes } = this.#site;
    const rows = errors.map(({ status: code, code: name, message }) => {
      const words = html`<code>${name}</code>`;
      const linked = errorCodes.has(name)
        ? html`<a href="${addresses.page(errorPath(name))}">${words}</a>`
        : words;
      return html`<tr><td>${code}</td><td>${linked}</td><td>${message}</td></tr>\n`;
    });
    return html`${this.#heading(2, "Errors")}${scrolling(
      html`<table class="errors"><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">For example</th></tr></thead><tbody>${rows}</tbody></table>`,
      "Errors",
    )}`;
  }

  #fields(fields: readonly Field[], given: boolean): Html | undefined {
    if (fields.length === 0) return undefined;
    return html`<dl class="fields">${fields.map(
      ({ name, type, required, description, rules }) =>
        html`<div><dt><code>${name}</code> <span class="type">${type}</span>${given && required && html` <span class="required">required</span>`}</dt><dd>${this.#markdown(description)}${rules.length > 0 && html`<div class="rules">${this.#markdown(rules.join(" "))}</div>`}</dd></div>\n`,
    )}</dl>`;
  }
}

/** The headings of an operation are unique within its page. */
function anchorOf(text: string): string {
  return text.toLowerCase().replaceAll(" ", "-");
}
