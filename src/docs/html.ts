/** HTML templates that escape their values. */

/** Text that is HTML already. It is made by `html`, or of other HTML. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

/** What a template may contain. */
export type Content = Html | string | number | undefined | false | readonly Content[];

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? character);
}

/** A template whose values are escaped, for elements and for quoted attributes alike. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  let text = strings[0] ?? "";
  for (const [index, value] of values.entries()) {
    text += written(value) + (strings[index + 1] ?? "");
  }
  return new Html(text);
}

export function join(parts: readonly Content[], between: Content = ""): Html {
  return new Html(parts.map(written).join(written(between)));
}

function written(value: Content): string {
  if (value === undefined || value === false) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(written).join("");
  return escapeHtml(String(value));
}
