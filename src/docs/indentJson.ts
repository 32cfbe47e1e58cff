/** Indents JSON without parsing its values, so an int64 keeps every digit. */
const piece = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Objects and lists that fit stay on one line. */
export function indentJson(text: string, widthMax = 64): string {
  const pieces = text.match(piece) ?? [];
  const { lines, end } = laidOut(pieces, 0, "", widthMax);
  // Text that is not one JSON value is returned unchanged.
  return end === pieces.length && pieces.length > 0 ? lines : text;
}

interface LaidOut {
  readonly lines: string;
  /** The piece after the value. */
  readonly end: number;
}

function laidOut(pieces: readonly string[], start: number, indent: string, width: number): LaidOut {
  const opening = pieces[start];
  if (opening !== "{" && opening !== "[") return { lines: opening ?? "", end: start + 1 };
  const closing = opening === "{" ? "}" : "]";
  const inner = `${indent}  `;
  const items: string[] = [];
  let at = start + 1;
  while (at < pieces.length && pieces[at] !== closing) {
    let name = "";
    if (opening === "{" && pieces[at + 1] === ":") {
      name = `${pieces[at]}: `;
      at += 2;
    }
    const value = laidOut(pieces, at, inner, width);
    items.push(name + value.lines);
    at = value.end;
    if (pieces[at] === ",") at++;
    else if (pieces[at] !== closing) return { lines: "", end: -1 };
  }
  if (at >= pieces.length) return { lines: "", end: -1 };
  return { lines: joined(items, opening, closing, indent, width), end: at + 1 };
}

function joined(
  items: readonly string[],
  opening: string,
  closing: string,
  indent: string,
  width: number,
): string {
  if (items.length === 0) return opening + closing;
  const space = opening === "{" ? " " : "";
  const line = `${opening}${space}${items.join(", ")}${space}${closing}`;
  const nested = opening === "[" && items.some((item) => item.startsWith("{"));
  if (!line.includes("\n") && !nested && indent.length + line.length <= width) return line;
  return `${opening}\n${items.map((item) => `${indent}  ${item}`).join(",\n")}\n${indent}${closing}`;
}
