import { expect, test } from "bun:test";
import type { Socket } from "bun";
import { BunTransport } from "../../src/wire/sockets.ts";

/** A socket that takes so many bytes, and then nothing until it is given more room. */
function narrowSocket(room: number) {
  const taken: Uint8Array[] = [];
  const socket = {
    remoteAddress: "192.0.2.1",
    write(bytes: Uint8Array, offset = 0, length = bytes.byteLength) {
      const count = Math.min(length, room);
      room -= count;
      taken.push(new Uint8Array(bytes.subarray(offset, offset + count)));
      return count;
    },
  };
  return {
    transport: new BunTransport(socket as unknown as Socket<unknown>, { sentBytes: 0 }),
    widen(by: number) {
      room += by;
    },
    text: () => Buffer.concat(taken).toString(),
  };
}

test("text that is not taken at once survives the text of another connection", () => {
  const slow = narrowSocket(4);
  const other = narrowSocket(1_000);
  expect(slow.transport.writeText("żółw, one")).toBe(false);
  expect(other.transport.writeText("another response")).toBe(true);
  expect(slow.transport.writeText(", two")).toBe(false);
  expect(other.transport.writeText("x".repeat(100))).toBe(true);
  slow.widen(100);
  expect(slow.transport.flush()).toBe(true);
  expect(slow.text()).toBe("żółw, one, two");
});

test("bytes that are not taken at once are those of the time when they were written", () => {
  const slow = narrowSocket(1);
  const bytes = Buffer.from("Date: 1");
  expect(slow.transport.write(bytes)).toBe(false);
  bytes.write("Date: 2");
  slow.widen(100);
  slow.transport.flush();
  expect(slow.text()).toBe("Date: 1");
});

test("text of any length is written in UTF-8", () => {
  const socket = narrowSocket(1_000_000);
  const text = `é${"x".repeat(30_000)}${"€".repeat(30_000)}`;
  expect(socket.transport.writeText("é€")).toBe(true);
  expect(socket.transport.writeText(text)).toBe(true);
  expect(socket.text()).toBe(`é€${text}`);
});
