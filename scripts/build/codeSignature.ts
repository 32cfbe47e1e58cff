/**
 * Whether the ad-hoc signature of a Mach-O executable fits its bytes. Apple silicon kills a program
 * whose signature does not, without a word, and only there would it be seen.
 */
import { hash } from "node:crypto";

/** From Apple's mach-o/loader.h and kern/cs_blobs.h. The signature itself is big-endian. */
const machO64 = 0xfeedfacf;
const headerBytes = 32;
const codeSignatureCommand = 0x1d;
const embeddedSignature = 0xfade0cc0;
const codeDirectory = 0xfade0c02;
const sha256Type = 2;
const sha256Bytes = 32;

/** Throws with what is wrong. */
export function checkCodeSignature(file: Buffer): void {
  const signature = signatureIn(file);
  if (signature.readUInt32BE(0) !== embeddedSignature) throw new Error("It has no signature.");
  const directory = signature.subarray(directoryOffset(signature));
  const hashOffset = directory.readUInt32BE(16);
  const pageCount = directory.readUInt32BE(28);
  const codeLimit = directory.readUInt32BE(32);
  if (directory.readUInt8(37) !== sha256Type) throw new Error("Its hashes are not SHA-256.");
  const pageBytes = 2 ** directory.readUInt8(39);
  // Everything up to the signature itself is signed, the last page only as far as it goes.
  if (codeLimit !== signature.byteOffset - file.byteOffset) {
    throw new Error(`Its signature ends at ${codeLimit}, before the code does.`);
  }
  if (pageCount !== Math.ceil(codeLimit / pageBytes)) throw new Error("It lacks hashes of pages.");
  for (let page = 0; page < pageCount; page++) {
    const code = file.subarray(page * pageBytes, Math.min((page + 1) * pageBytes, codeLimit));
    const at = hashOffset + page * sha256Bytes;
    if (!directory.subarray(at, at + sha256Bytes).equals(hash("sha256", code, "buffer"))) {
      throw new Error(`Its signature does not fit page ${page} of ${pageCount}.`);
    }
  }
}

function signatureIn(file: Buffer): Buffer {
  if (file.readUInt32LE(0) !== machO64) throw new Error("It is no 64-bit Mach-O executable.");
  let at = headerBytes;
  for (let left = file.readUInt32LE(16); left > 0; left--) {
    if (file.readUInt32LE(at) === codeSignatureCommand) {
      const start = file.readUInt32LE(at + 8);
      return file.subarray(start, start + file.readUInt32LE(at + 12));
    }
    at += file.readUInt32LE(at + 4);
  }
  throw new Error("It has no signature.");
}

function directoryOffset(signature: Buffer): number {
  for (let index = 0; index < signature.readUInt32BE(8); index++) {
    const offset = signature.readUInt32BE(16 + index * 8);
    if (signature.readUInt32BE(offset) === codeDirectory) return offset;
  }
  throw new Error("Its signature has no code directory.");
}
