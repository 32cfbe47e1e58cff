import { labelText, nameText } from "./names.ts";

const nameBytesMax = 255;
const labelBytesMax = 63;
/** No honest name is cut into more pieces than it can have labels. */
const pointersMax = 127;
const pointerMark = 0b1100_0000;

/** Reads a message from front to back, and throws a RangeError before it would pass the end. */
export class Cursor {
  readonly #message: Uint8Array;
  readonly #view: DataView;
  readonly #end: number;
  #at: number;

  constructor(message: Uint8Array, at = 0, end = message.byteLength) {
    if (end > message.byteLength) throw new RangeError("past the end of the message");
    this.#message = message;
    this.#view = new DataView(message.buffer, message.byteOffset, message.byteLength);
    this.#at = at;
    this.#end = end;
  }

  get left(): number {
    return this.#end - this.#at;
  }

  uint8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  uint16(): number {
    return this.#view.getUint16(this.#advance(2));
  }

  uint32(): number {
    return this.#view.getUint32(this.#advance(4));
  }

  bytes(count: number): Uint8Array {
    const from = this.#advance(count);
    return this.#message.subarray(from, from + count);
  }

  /** A cursor over the next bytes only, and moves on behind them. Names may still point back. */
  part(count: number): Cursor {
    const from = this.#advance(count);
    return new Cursor(this.#message, from, from + count);
  }

  /** A name, whose end may be a pointer to an earlier one (RFC 1035, section 4.1.4). */
  name(): string {
    const labels: string[] = [];
    let reader: Cursor = this;
    let earliest = this.#at;
    let pointers = 0;
    let bytesLeft = nameBytesMax - 1;
    for (;;) {
      const length = reader.uint8();
      if (length === 0) return nameText(labels);
      if (length >= pointerMark) {
        const target = ((length - pointerMark) << 8) | reader.uint8();
        // Each pointer leads before the last, so that no name goes round in a circle.
        if (target >= earliest || ++pointers > pointersMax) throw new RangeError("a bad pointer");
        earliest = target;
        reader = new Cursor(this.#message, target);
        continue;
      }
      bytesLeft -= length + 1;
      if (length > labelBytesMax || bytesLeft < 0) throw new RangeError("too long for a name");
      labels.push(labelText(reader.bytes(length)));
    }
  }

  #advance(count: number): number {
    const from = this.#at;
    if (count > this.left) throw new RangeError("past the end");
    this.#at = from + count;
    return from;
  }
}
