/** Passes on whole lines of a stream of bytes, so that those of several processes never mix. */
export function wholeLines(pass: (lines: string) => void) {
  let rest: Uint8Array[] = [];
  let restBytes = 0;
  const add = (chunk: Uint8Array) => {
    if (chunk.byteLength === 0) return;
    rest.push(chunk);
    restBytes += chunk.byteLength;
  };
  const passRest = (end: string) => {
    if (restBytes > 0) pass(Buffer.concat(rest).toString("utf8") + end);
    rest = [];
    restBytes = 0;
  };
  return {
    take(chunk: Uint8Array): void {
      const end = chunk.lastIndexOf(newline) + 1;
      add(chunk.subarray(0, end));
      if (end > 0) passRest("");
      add(chunk.subarray(end));
      if (restBytes > lineBytesMax) passRest("\n");
    },
    /** What came last may be without its end. */
    end: () => passRest("\n"),
  };
}

const newline = 10;
const lineBytesMax = 1024 * 1024;
