/**
 * The client's modules as one, line by line as they were written. Types and comments are erased and
 * nothing is formatted anew: a map of lines is enough then, and the sources in the map repeat the code,
 * which gzip stores once.
 */
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import tsBlankSpace from "ts-blank-space";
import ts from "typescript";
import { exportsOf, namesOf } from "./declarations.ts";

export interface Bundle {
  /** Begins with a comment, and ends before the exports. */
  readonly code: string;
  readonly exported: readonly string[];
  /** The source map, as JSON. */
  readonly map: string;
}

interface Module {
  /** Its path from the root. */
  readonly source: string;
  /** How each of its lines begins, types included. */
  readonly indents: readonly string[];
  readonly file: ts.SourceFile;
}

/** `sourceRoot` is an absolute URL: Deno takes the lines of a map but no relative name of a source. */
export function bundleModules(root: string, entry: string, sourceRoot: string): Bundle {
  const modules = modulesFrom(root, entry);
  requireOwnNames(modules);
  const lines: string[] = [];
  const mappings: string[] = [];
  let last = { source: 0, line: 0 };
  for (const [source, module] of modules.entries()) {
    lines.push(`// ${module.source}`);
    mappings.push("");
    const literal = linesInLiterals(module.file);
    for (const [line, text] of textOf(module, isCode).split("\n").entries()) {
      // A semicolon by itself is what is left of a type.
      if (/^[ ;]*$/.test(text) && !literal.has(line)) continue;
      lines.push(text);
      mappings.push([0, source - last.source, line - last.line, 0].map(vlq).join(""));
      last = { source, line };
    }
  }
  return {
    code: `${lines.join("\n")}\n`,
    exported: modules.slice(-1).flatMap(({ file }) => exportsOf(file)),
    map: JSON.stringify({
      version: 3,
      sources: modules.map(({ source }) => sourceRoot + source),
      sourcesContent: modules.map((module) => textOf(module, () => true)),
      names: [],
      mappings: mappings.join(";"),
    }),
  };
}

/** In the order in which an engine would run them: the entry is the last one. */
function modulesFrom(root: string, entry: string): Module[] {
  const seen = new Set<string>();
  const modules: Module[] = [];
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const typescript = readFileSync(path, "utf8");
    const javascript = tsBlankSpace(typescript, (node) => {
      throw new Error(`${path} has more to erase than types: ${ts.SyntaxKind[node.kind]}.`);
    });
    const file = ts.createSourceFile("module.js", javascript, ts.ScriptTarget.ESNext, true);
    for (const imported of importsOf(file)) visit(join(dirname(path), imported));
    const indents = typescript.split("\n").map((line) => /^ */.exec(line)?.[0] ?? "");
    modules.push({ source: relative(root, path), indents, file });
  };
  visit(entry);
  return modules;
}

/** The modules share one scope here, where nothing is renamed. */
function requireOwnNames(modules: readonly Module[]): void {
  const names = new Set<string>();
  const statements = modules.flatMap(({ file }) => [...file.statements]);
  for (const name of statements.filter((one) => !ts.isEmptyStatement(one)).flatMap(namesOf)) {
    if (names.has(name)) throw new Error(`Two modules declare ${name}.`);
    if (name in globalThis) throw new Error(`A module declares ${name}, which is a global.`);
    names.add(name);
  }
}

function importsOf(file: ts.SourceFile): string[] {
  return file.statements.filter(isImportOrExport).flatMap((statement) => {
    const { moduleSpecifier } = statement;
    if (moduleSpecifier === undefined) return [];
    const clause = ts.isImportDeclaration(statement)
      ? statement.importClause?.namedBindings
      : statement.exportClause;
    const plain =
      clause !== undefined &&
      (ts.isNamedImports(clause) || ts.isNamedExports(clause)) &&
      clause.elements.every(({ propertyName }) => propertyName === undefined) &&
      /^"\.\/\w+\.ts"$/.test(moduleSpecifier.getText());
    if (!plain) throw new Error(`Only names of modules beside: ${statement.getText()}`);
    return [(moduleSpecifier as ts.StringLiteral).text];
  });
}

const isImportOrExport = (node: ts.Node): node is ts.ImportDeclaration | ts.ExportDeclaration =>
  ts.isImportDeclaration(node) || ts.isExportDeclaration(node);

function isCode(token: ts.Node): boolean {
  if (token.kind === ts.SyntaxKind.ExportKeyword) return false;
  return ts.findAncestor(token, isImportOrExport) === undefined;
}

/** The tokens that are kept, each in its line, without the comments between them. */
function textOf({ file, indents }: Module, kept: (token: ts.Node) => boolean): string {
  let text = "";
  let line = 0;
  for (const node of tokensIn(file)) {
    const token = node.getText();
    const between = file.text.slice(node.pos, node.getStart());
    const newLines = newLinesIn(between);
    line += newLines;
    if (newLines > 0) text += "\n".repeat(newLines) + indents[line];
    // More than one space is where a type was, and none is due where a line begins.
    else if (between === " " ? /\S$/.test(text) : between !== "" && !/^[(),;]/.test(token)) {
      text += " ";
    }
    if (kept(node)) text += token;
    line += newLinesIn(token);
  }
  return text;
}

/** The lines that begin within a template literal: an empty one is a part of its value. */
function linesInLiterals(file: ts.SourceFile): ReadonlySet<number> {
  const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line;
  return new Set(
    tokensIn(file).flatMap((token) => {
      const first = lineOf(token.getStart());
      return Array.from({ length: lineOf(token.end) - first }, (_, at) => first + 1 + at);
    }),
  );
}

const newLinesIn = (text: string) => text.split("\n").length - 1;

function tokensIn(node: ts.Node): ts.Node[] {
  if (ts.isJSDoc(node)) return [];
  const children = node.getChildren();
  return children.length === 0 ? [node] : children.flatMap(tokensIn);
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** A number as source maps write it (ECMA-426): five bits a digit, the sign in the lowest. */
function vlq(number: number): string {
  let text = "";
  let rest = number < 0 ? -number * 2 + 1 : number * 2;
  do {
    text += digits[(rest % 32) + (rest > 31 ? 32 : 0)];
    rest = Math.floor(rest / 32);
  } while (rest > 0);
  return text;
}
