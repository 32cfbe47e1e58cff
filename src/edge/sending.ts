import type { Writable } from "node:stream";
import type { Exchange } from "./connections.ts";

const pieceBytes = 64 * 1024;

/** Sends a body no faster than it is taken, and notes each piece that was. */
export function sendBody(
  to: Writable,
  body: Uint8Array | string | undefined,
  exchange: Exchange,
): void {
  const bytes = typeof body === "string" ? Buffer.from(body) : (body ?? Buffer.alloc(0));
  let at = 0;
  const go = () => {
    // On a stream that was destroyed, Bun takes everything and says nothing.
    while (!to.destroyed) {
      exchange.progress();
      const piece = bytes.subarray(at, at + pieceBytes);
      at += piece.byteLength;
      if (at >= bytes.byteLength) return void to.end(piece);
      if (!to.write(piece)) return void to.once("drain", go);
    }
  };
  go();
}
