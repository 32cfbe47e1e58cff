/** Cuts bytes into whole lines of valid UTF-8, some thousands at a time, in constant memory. */
import { isUtf8 } from "node:buffer";
import { lineBytesMax, type Unreadable } from "./record.ts";

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
  let tail: Buffer = Buffer.alloc(0);
  let line = 1;
  for await (const chunk of chunksAfterMark(chunks)) {
    const end = chunk.lastIndexOf(lineFeed) + 1;
    if (end > 0) {
      const bytes =
        tail.length > 0 ? Buffer.concat([tail, chunk.subarray(0, end)]) : chunk.subarray(0, end);
      const judged = judge(bytes, line);
      yield* judged.parts;
      if (judged.stop) return;
      line = judged.nextLine;
    }
    const rest = chunk.subarray(end);
    tail = end === 0 && tail.length > 0 ? Buffer.concat([tail, rest]) : rest;
    if (tail.length > lineBytesMax) return yield tooLong(line);
  }
  if (tail.length > 0) yield* judge(tail, line).parts;
}

/** A file from a spreadsheet may begin with a byte order mark, which belongs to no line. */
async function* chunksAfterMark(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (head === undefined) {
      yield bytes;
      continue;
    }
    head = Buffer.concat([head, bytes]);
    if (head.length < byteOrderMark.length) continue;
    yield head.indexOf(byteOrderMark) === 0 ? head.subarray(byteOrderMark.length) : head;
    head = undefined;
  }
  if (head !== undefined) yield head;
}

interface Judged {
  readonly parts: readonly (Lines | Unreadable)[];
  readonly nextLine: number;
  readonly stop: boolean;
}

function judge(bytes: Buffer, firstLine: number): Judged {
  const valid = isUtf8(bytes);
  let line = firstLine;
  let from = 0;
  while (from < bytes.length) {
    const found = bytes.indexOf(lineFeed, from);
    const to = found === -1 ? bytes.length : found + 1;
    const fault =
      to - from > lineBytesMax
        ? tooLong(line)
        : !valid && !isUtf8(bytes.subarray(from, to))
          ? unreadable(line, notUtf8)
          : undefined;
    if (fault !== undefined) {
      const good: Lines = { kind: "lines", firstLine, bytes: bytes.subarray(0, from) };
      return { parts: from > 0 ? [good, fault] : [fault], nextLine: line, stop: true };
    }
    from = to;
    line++;
  }
  return { parts: [{ kind: "lines", firstLine, bytes }], nextLine: line, stop: false };
}

function tooLong(line: number): Unreadable {
  return unreadable(line, `The line is longer than ${lineBytesMax} bytes.`);
}

function unreadable(line: number, complaint: string): Unreadable {
  return { kind: "unreadable", line, complaint, rest: true };
}
