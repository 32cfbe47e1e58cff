/** One JSON text per line, as the service itself writes a pet. */
import type { JsonOf } from "../../contract/document.ts";
import { parseJson } from "../../contract/json.ts";
import type { Pet } from "../../petstore/catalogue/pet.ts";
import { wholeLines } from "./lines.ts";
import { type FileRecord, unreadable } from "./record.ts";

export async function* readNdjson(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly FileRecord[]> {
  for await (const part of wholeLines(chunks)) {
    if (part.kind === "unreadable") yield [part];
    else yield recordsOf(part.bytes.toString("utf8"), part.firstLine);
  }
}

function recordsOf(text: string, firstLine: number): FileRecord[] {
  const records: FileRecord[] = [];
  let line = firstLine;
  for (const json of text.split("\n")) {
    if (json.trim() !== "") records.push(recordOf(json, line));
    line++;
  }
  return records;
}

function recordOf(json: string, line: number): FileRecord {
  try {
    return { kind: "read", line, value: parseJson(json) };
  } catch (cause) {
    // A RangeError is nesting that exhausts the stack.
    if (!(cause instanceof SyntaxError || cause instanceof RangeError)) throw cause;
    return unreadable(line, "The line is not valid JSON.", false);
  }
}

/** The store's texts are lines as they are: JSON escapes every line break. */
export function writeNdjson(pets: readonly JsonOf<Pet>[]): string {
  return pets.length === 0 ? "" : `${pets.join("\n")}\n`;
}
