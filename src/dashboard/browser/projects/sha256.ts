/**
 * SHA-256 (FIPS 180-4), in hex. Browsers keep their own from pages that came over plain HTTP, as a
 * dashboard in a private network may.
 */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = crypto.subtle
    ? new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
    : digestOf(bytes);
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const primes = firstPrimes(64);
const fraction = (root: number) => Math.floor((root - Math.floor(root)) * 2 ** 32) >>> 0;
const constants = Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));
const initial = Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

function firstPrimes(count: number): number[] {
  const found: number[] = [];
  for (let each = 2; found.length < count; each++) {
    if (found.every((prime) => each % prime !== 0)) found.push(each);
  }
  return found;
}

const turned = (word: number, by: number) => (word >>> by) | (word << (32 - by));

export function digestOf(bytes: Uint8Array): Uint8Array {
  const padded = padding(bytes);
  const view = new DataView(padded.buffer);
  const state = initial.slice();
  const words = new Uint32Array(64);
  for (let at = 0; at < padded.length; at += 64) {
    for (let index = 0; index < 16; index++) words[index] = view.getUint32(at + index * 4);
    extend(words);
    round(state, words);
  }
  const digest = new Uint8Array(32);
  const out = new DataView(digest.buffer);
  for (const [index, word] of state.entries()) out.setUint32(index * 4, word);
  return digest;
}

function padding(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor((bytes.length * 8) / 2 ** 32));
  view.setUint32(padded.length - 4, (bytes.length * 8) >>> 0);
  return padded;
}

function extend(words: Uint32Array): void {
  const at = (index: number) => words[index] as number;
  for (let index = 16; index < 64; index++) {
    const [a, b] = [at(index - 15), at(index - 2)];
    const low = turned(a, 7) ^ turned(a, 18) ^ (a >>> 3);
    const high = turned(b, 17) ^ turned(b, 19) ^ (b >>> 10);
    words[index] = at(index - 16) + low + at(index - 7) + high;
  }
}

function round(state: Uint32Array, words: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < 64; index++) {
    const high = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const chosen = (e & f) ^ (~e & g);
    const one = (h + high + chosen + (constants[index] as number) + (words[index] as number)) | 0;
    const low = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const two = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) {
    state[index] = (state[index] as number) + word;
  }
}
