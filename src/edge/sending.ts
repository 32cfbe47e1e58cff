import type { Writable } from "node:stream";

const pieceBytes = 64 * 1024;

/** Sends a body no faster than it is taken, and notes each piece that was. */
export function sendBody(to: Writable, bytes: Uint8Array, progress: () => void): void {
  let at = 0;
  const go = () => {
    // On a stream that was destroyed, Bun takes everything and says nothing.
    while (!to.destroyed) {
      progress();
      const piece = bytes.subarray(at, at + pieceBytes);
      at += piece.byteLength;
      if (at >= bytes.byteLength) return void to.end(piece);
      if (!to.write(piece)) return void to.once("drain", go);
    }
  };
  go();
}
