/** The declarations of the client, rolled into one file that refers to nothing outside. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";

interface Declaration {
  readonly text: string;
  /** The names that occur in it: those of other declarations are the ones it needs. */
  readonly mentions: readonly string[];
}

/** What the entry exports, and the declarations that these need. Throws where they do not compile. */
export function rollDeclarations(root: string, entry: string): string {
  const files = declare(root, entry);
  const declarations = new Map<string, Declaration>();
  for (const statement of files.flatMap(({ statements }) => [...statements])) {
    for (const name of namesOf(statement)) {
      // Two interfaces of the same name would merge silently.
      if (declarations.has(name)) throw new Error(`Two declarations are named ${name}.`);
      declarations.set(name, declarationOf(statement));
    }
  }
  const exported = files.filter(({ fileName }) => fileName.endsWith("/client.d.ts"));
  const names = exported.flatMap(exportsOf).sort();
  const needed = reachable(names, declarations);
  const texts = [...declarations].filter(([name]) => needed.has(name)).map(([, one]) => one.text);
  return `${texts.join("\n")}\nexport { ${names.join(", ")} };\n`;
}

/**
 * Compiles with the web's types alone: a use of Node's or Bun's own interfaces in the client fails
 * the build.
 */
function declare(root: string, entry: string): ts.SourceFile[] {
  const folder = mkdtempSync(join(tmpdir(), "petstore-declarations-"));
  try {
    execFileSync(
      join(root, "node_modules/typescript7/bin/tsc"),
      [
        ...["--ignoreConfig", "--target", "esnext", "--module", "nodenext", "--types", ""],
        ...["--lib", "esnext,dom,dom.iterable", "--skipDefaultLibCheck", "--strict"],
        ...["--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes"],
        ...["--allowImportingTsExtensions", "--declaration", "--emitDeclarationOnly"],
        ...["--rootDir", join(root, "src"), "--outDir", folder, "--singleThreaded", entry],
      ],
      { encoding: "utf8", stdio: "pipe" },
    );
    const names = readdirSync(folder, { encoding: "utf8", recursive: true });
    return names
      .filter((name) => name.endsWith(".d.ts"))
      .sort()
      .map((name) => {
        const text = readFileSync(join(folder, name), "utf8");
        return ts.createSourceFile(`/${name}`, text, ts.ScriptTarget.ESNext, true);
      });
  } catch (cause) {
    const { stdout = "" } = cause as { stdout?: string };
    throw new Error(`The client does not compile.\n${stdout}`, { cause });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The names that a statement declares. */
export function namesOf(statement: ts.Statement): string[] {
  if (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) return [];
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  }
  const { name } = statement as ts.DeclarationStatement;
  if (name === undefined) throw new Error(`A declaration has no name: ${statement.getText()}`);
  return [name.text];
}

/** The names that a module exports, or declares that it does. */
export function exportsOf(file: ts.SourceFile): string[] {
  return file.statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement)) {
      const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
      return modifiers?.some(isExport) ? namesOf(statement) : [];
    }
    const { exportClause } = statement;
    if (exportClause === undefined || !ts.isNamedExports(exportClause)) {
      throw new Error(`An export does not list its names: ${statement.getText()}`);
    }
    return exportClause.elements.map(({ name }) => name.text);
  });
}

const isExport = ({ kind }: ts.Node) => kind === ts.SyntaxKind.ExportKeyword;

/** The statement without its `export`, and without what no type of the client looks at. */
function declarationOf(statement: ts.Statement): Declaration {
  const generated = statement.getSourceFile().fileName.includes("/generated/");
  const cuts: [from: number, to: number][] = [];
  const mentions: string[] = [];
  const visit = (node: ts.Node): void => {
    if (generated && isUnused(node)) cuts.push([node.getFullStart(), node.getEnd()]);
    else if (isExport(node)) cuts.push([node.getStart(), node.getEnd() + 1]);
    else if (ts.isIdentifier(node)) mentions.push(node.text);
    else ts.forEachChild(node, visit);
  };
  visit(statement);
  const start = statement.getFullStart();
  let text = statement.getFullText();
  for (const [from, to] of cuts.reverse()) {
    text = text.slice(0, from - start) + text.slice(to - start);
  }
  return { text: (generated ? withShortComments(text) : text).trim(), mentions };
}

/** Without examples, which editors would show at every mention, and what the types say themselves. */
function withShortComments(text: string): string {
  return (
    text
      .replace(/^ *\* @example (?:[[{]\n(?: *\* {2}.*\n)*|.*\n)/gm, "")
      .replace(/^ *\* (?:Format: int64|@enum .*)\n/gm, "")
      .replaceAll("* @description ", "* ")
      .replace(/^( *\/\*\*)\n *\* (.*)\n *\*\//gm, "$1 $2 */")
      .replace(/^ *\/\*\*\n *\*\/\n/gm, "")
      // Each operation says it of its own parameters again.
      .replace(/^ {4}parameters: \{\n[\s\S]*?^ {4}\}/gm, (shared) =>
        shared.replace(/^ *\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n/gm, ""),
      )
      // No editor shows what is said of a whole body.
      .replace(/^ *\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n(?= *(?:requestBody|20[0-9])\b)/gm, "")
  );
}

// The client's types read the schemas, the path and query parameters, the bodies and the successful
// responses of the contract. The rest would be half of the declarations.
const unusedMembers = /^(?:headers?|cookie|pathItems|default|[345][0-9]{2})$/;
/** The parameters of the contract that are headers. */
const headerParameters = /^(?:ifMatch|ifNoneMatch|idempotencyKey|lastEventId|prefer|listPrefer)$/;

function isUnused(node: ts.Node): boolean {
  if (!ts.isPropertySignature(node)) return false;
  const name = node.name.getText();
  return (
    unusedMembers.test(name) ||
    headerParameters.test(name) ||
    (name === "responses" && ts.isInterfaceDeclaration(node.parent))
  );
}

function reachable(
  names: readonly string[],
  declarations: ReadonlyMap<string, Declaration>,
): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const declaration = declarations.get(name);
    if (declaration === undefined || found.has(name)) continue;
    found.add(name);
    waiting.push(...declaration.mentions);
  }
  return found;
}
