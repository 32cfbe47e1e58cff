/** Syntax highlighting: a small tokenizer for the languages of these pages. */

export type TokenKind = "text" | "string" | "number" | "word" | "name" | "comment" | "mark";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

/** One expression with a group for each kind. The first that matches at a place wins. */
const language = (kinds: Partial<Record<TokenKind, RegExp>>): RegExp =>
  new RegExp(
    Object.entries(kinds)
      .map(([kind, { source }]) => `(?<${kind}>${source})`)
      .join("|"),
    "gm",
  );

const number = /-?\b\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?n?\b/;

const json = {
  name: /"(?:[^"\\\n]|\\.)*"(?=\s*:)/,
  string: /"(?:[^"\\\n]|\\.)*"/,
  number: /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/,
  word: /\b(?:true|false|null)\b/,
};

const shell = language({
  comment: /(?<=^|\s)#[^\n]*/,
  // A quoted body may run over several lines.
  string: /"(?:[^"\\]|\\[\s\S])*"|'[^']*'/,
  name: /\$\{?\w+\}?|\b[A-Z][A-Z0-9_]+(?==)/,
  mark: /(?<=\s)--?[A-Za-z][\w-]*/,
  word: /(?<=^|[\n;|&(]\s*)(?:curl|export|npm|npx|petstore|sed|grep|while|do|done|echo|jq|if|fi|then)\b/,
});

const typescript = language({
  comment: /\/\/[^\n]*|\/\*[\s\S]*?\*\//,
  string: /`(?:[^`\\]|\\[\s\S])*`|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/,
  number,
  word: /\b(?:import|from|export|const|let|new|await|async|for|of|in|if|else|try|catch|throw|return|while|function|type|interface|true|false|undefined|null|typeof|instanceof)\b/,
  name: /\b[A-Za-z_$][\w$]*(?=\()/,
});

const python = language({
  comment: /#[^\n]*/,
  string: /(?:\b[fr])?(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/,
  number,
  word: /\b(?:import|from|as|def|class|return|for|in|while|if|elif|else|try|except|raise|with|not|and|or|is|None|True|False|print)\b/,
  name: /\b[A-Za-z_]\w*(?=\()/,
});

const http = language({
  word: /^HTTP\/[\d.]+ \d{3}[^\n]*|\b(?:true|false|null)\b/,
  name: /^[A-Za-z][A-Za-z-]*(?=:)|"(?:[^"\\\n]|\\.)*"(?=\s*:)/,
  string: json.string,
});

const languages: Readonly<Record<string, RegExp>> = {
  json: language(json),
  sh: shell,
  bash: shell,
  ts: typescript,
  js: typescript,
  python,
  http,
};

/** The tokens of a text in order. Joined, they are the text. */
export function tokensOf(text: string, language: string): Token[] {
  const tokens: Token[] = [];
  let done = 0;
  const addPlain = (until: number) => {
    if (until > done) tokens.push({ kind: "text", text: text.slice(done, until) });
  };
  const form = languages[language];
  for (const { 0: found, index, groups = {} } of form ? text.matchAll(form) : []) {
    addPlain(index);
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined) as TokenKind;
    tokens.push({ kind, text: found });
    done = index + found.length;
  }
  addPlain(text.length);
  return tokens;
}
