import { describe, expect, test } from "bun:test";
import { hash } from "node:crypto";
import { checkCodeSignature } from "../../scripts/build/codeSignature.ts";

const pageBits = 12;
const codeBytes = 2 * 2 ** pageBits + 100;
const directoryBytes = 44;

/** As small as an executable can be that has a signature: three pages, the last one partial. */
function signed(): Buffer {
  const code = Buffer.alloc(codeBytes, 7);
  code.writeUInt32LE(0xfeedfacf, 0);
  // Two load commands: another one, and the one that says where the signature is.
  code.writeUInt32LE(2, 16);
  code.writeUInt32LE(0x32, 32);
  code.writeUInt32LE(24, 36);
  code.writeUInt32LE(0x1d, 56);
  code.writeUInt32LE(16, 60);
  code.writeUInt32LE(codeBytes, 64);
  code.writeUInt32LE(20 + directoryBytes + 3 * 32, 68);

  const blob = Buffer.alloc(20 + directoryBytes);
  blob.writeUInt32BE(0xfade0cc0, 0);
  blob.writeUInt32BE(1, 8);
  blob.writeUInt32BE(20, 16);
  blob.writeUInt32BE(0xfade0c02, 20);
  blob.writeUInt32BE(directoryBytes, 36);
  blob.writeUInt32BE(3, 48);
  blob.writeUInt32BE(codeBytes, 52);
  blob.writeUInt8(32, 56);
  blob.writeUInt8(2, 57);
  blob.writeUInt8(pageBits, 59);
  const hashes = [0, 1, 2].map((page) =>
    hash("sha256", code.subarray(page << pageBits, (page + 1) << pageBits), "buffer"),
  );
  return Buffer.concat([code, blob, ...hashes]);
}

describe("the signature of an executable for macOS", () => {
  test("that fits is accepted", () => {
    expect(() => checkCodeSignature(signed())).not.toThrow();
  });

  test.each([
    ["a byte of the code was changed", 5_000, "does not fit page 1 of 3"],
    ["the last byte of the code was changed", codeBytes - 1, "does not fit page 2 of 3"],
    ["a hash was changed", codeBytes + 20 + directoryBytes, "does not fit page 0 of 3"],
    ["it ends before the code does", codeBytes + 55, "before the code does"],
    ["a page has no hash", codeBytes + 51, "lacks hashes of pages"],
    ["it is not there", codeBytes, "has no signature"],
    ["no load command names it", 56, "has no signature"],
    ["it is of an ELF executable", 0, "no 64-bit Mach-O"],
  ])("is refused where %s", (_what, at, message) => {
    const file = signed();
    file.writeUInt8(file.readUInt8(at) ^ 1, at);
    expect(() => checkCodeSignature(file)).toThrow(message);
  });
});
