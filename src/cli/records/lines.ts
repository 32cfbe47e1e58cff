/** Cuts bytes into whole lines of valid UTF-8, some thousands at a time, in constant memory. */
import { isUtf8 } from "node:buffer";
import { lineBytesMax, type Unreadable, unreadable } from "./record.ts";

export interface Lines {
  readonly kind: "lines";
  readonly firstLine: number;
  /** Ends with a line feed, unless it is the end of the file. */
  readonly bytes: Buffer;
}

const notUtf8 =
  "The line is not valid UTF-8. Save the file as UTF-8; spreadsheets call it CSV UTF-8.";

const lineFeed = 10;
const byteOrderMark = Buffer.from("\uFEFF");

/** What comes before a line that cannot be read is given out before the complaint. */
export async function* wholeLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Lines | Unreadable> {
  let tail: Uint8Array = new Uint8Array();
  let line = 1;
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([tail, chunk]);
    const end = bytes.lastIndexOf(lineFeed) + 1;
    tail = bytes.subarray(end);
    if (end > 0) {
      const judged = judge(bytes.subarray(0, end), line);
      yield* judged.parts;
      if (judged.stop) return;
      line = judged.nextLine;
    }
    if (tail.length > lineBytesMax) return yield tooLong(line);
  }
  if (tail.length > 0) yield* judge(Buffer.from(tail), line).parts;
}

interface Judged {
  readonly parts: readonly (Lines | Unreadable)[];
  readonly nextLine: number;
  readonly stop: boolean;
}

function judge(bytes: Buffer, firstLine: number): Judged {
  const valid = isUtf8(bytes);
  let line = firstLine;
  // A file from a spreadsheet may begin with a byte order mark, which belongs to no line.
  const marked = firstLine === 1 && bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark);
  const start = marked ? byteOrderMark.length : 0;
  let from = start;
  while (from < bytes.length) {
    const found = bytes.indexOf(lineFeed, from);
    const to = found === -1 ? bytes.length : found + 1;
    const fault =
      to - from > lineBytesMax
        ? tooLong(line)
        : !valid && !isUtf8(bytes.subarray(from, to))
          ? unreadable(line, notUtf8, true)
          : undefined;
    if (fault !== undefined) {
      const good: Lines = { kind: "lines", firstLine, bytes: bytes.subarray(start, from) };
      return { parts: from > start ? [good, fault] : [fault], nextLine: line, stop: true };
    }
    from = to;
    line++;
  }
  const parts: Lines[] = [{ kind: "lines", firstLine, bytes: bytes.subarray(start) }];
  return { parts, nextLine: line, stop: false };
}

function tooLong(line: number): Unreadable {
  return unreadable(line, `The line is longer than ${lineBytesMax} bytes.`, true);
}
