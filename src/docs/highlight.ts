/** Syntax highlighting: a small tokenizer for the languages of these pages. */

export type TokenKind = "text" | "string" | "number" | "word" | "name" | "comment" | "mark";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

type Rule = readonly [kind: TokenKind, form: RegExp];

const doubleQuoted = /"(?:[^"\\\n]|\\.)*"/y;
const singleQuoted = /'(?:[^'\\\n]|\\.)*'/y;
const number = /-?\b\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?n?\b/y;

const json: readonly Rule[] = [
  ["name", /"(?:[^"\\\n]|\\.)*"(?=\s*:)/y],
  ["string", doubleQuoted],
  ["number", /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y],
  ["word", /\b(?:true|false|null)\b/y],
];

const shell: readonly Rule[] = [
  ["comment", /(?<=^|\s)#[^\n]*/my],
  // A quoted body may run over several lines.
  ["string", /"(?:[^"\\]|\\[\s\S])*"|'[^']*'/y],
  ["name", /\$\{?\w+\}?|\b[A-Z][A-Z0-9_]+(?==)/y],
  ["mark", /(?<=\s)--?[A-Za-z][\w-]*/y],
  [
    "word",
    /(?<=^|[\n;|&(]\s*)(?:curl|export|npm|npx|petstore|sed|grep|while|do|done|echo|jq|if|fi|then)\b/y,
  ],
];

const typescript: readonly Rule[] = [
  ["comment", /\/\/[^\n]*|\/\*[\s\S]*?\*\//y],
  ["string", /`(?:[^`\\]|\\[\s\S])*`/y],
  ["string", doubleQuoted],
  ["string", singleQuoted],
  ["number", number],
  [
    "word",
    /\b(?:import|from|export|const|let|new|await|async|for|of|in|if|else|try|catch|throw|return|while|function|type|interface|true|false|undefined|null|typeof|instanceof)\b/y,
  ],
  ["name", /\b[A-Za-z_$][\w$]*(?=\()/y],
];

const python: readonly Rule[] = [
  ["comment", /#[^\n]*/y],
  [
    "string",
    /\b[fr]?"(?:[^"\\\n]|\\.)*"|\b[fr]?'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/y,
  ],
  ["number", number],
  [
    "word",
    /\b(?:import|from|as|def|class|return|for|in|while|if|elif|else|try|except|raise|with|not|and|or|is|None|True|False|print)\b/y,
  ],
  ["name", /\b[A-Za-z_]\w*(?=\()/y],
];

const http: readonly Rule[] = [
  ["word", /^HTTP\/[\d.]+ \d{3}[^\n]*/my],
  ["name", /^[A-Za-z][A-Za-z-]*(?=:)/my],
  ...json.filter(([kind]) => kind !== "number"),
];

const languages: Readonly<Record<string, readonly Rule[]>> = {
  json,
  sh: shell,
  bash: shell,
  ts: typescript,
  js: typescript,
  python,
  http,
};

/** The tokens of a text in order. Joined, they are the text. */
export function tokensOf(text: string, language: string): Token[] {
  const rules = languages[language];
  if (rules === undefined) return [{ kind: "text", text }];
  const tokens: Token[] = [];
  let plainFrom = 0;
  let at = 0;
  while (at < text.length) {
    const found = firstMatch(rules, text, at);
    if (found === undefined) {
      at++;
      continue;
    }
    if (at > plainFrom) tokens.push({ kind: "text", text: text.slice(plainFrom, at) });
    tokens.push(found);
    at += found.text.length;
    plainFrom = at;
  }
  if (at > plainFrom) tokens.push({ kind: "text", text: text.slice(plainFrom, at) });
  return tokens;
}

function firstMatch(rules: readonly Rule[], text: string, at: number): Token | undefined {
  for (const [kind, form] of rules) {
    form.lastIndex = at;
    const found = form.exec(text)?.[0];
    if (found !== undefined && found !== "") return { kind, text: found };
  }
  return undefined;
}
