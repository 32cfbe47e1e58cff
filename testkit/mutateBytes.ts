/** Spoils the bytes of an honest request in ways that parsers are known to stumble over. */
import type { SeededRandom } from "./seededRandom.ts";

const tokens = [
  ...[
    "\r\n",
    "\n",
    "\r",
    "\r\n\r\n",
    "\0",
    " ",
    "\t",
    ":",
    ",",
    ";",
    "\x7f",
    "\xff",
    "\x80",
    "%00",
  ],
  ...[
    "0\r\n\r\n",
    "chunked",
    "Content-Length: 3\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Host: y\r\n",
  ],
  ...[
    "HTTP/1.1",
    "HTTP/1.0",
    "GET / HTTP/1.1\r\n\r\n",
    "../torture/",
    "//",
    "?",
    "#",
    "-1",
    "18446744073709551616",
  ],
].map((token) => Buffer.from(token, "latin1"));

const splice = (bytes: Buffer, from: number, to: number, between: Buffer) =>
  Buffer.concat([bytes.subarray(0, from), between, bytes.subarray(to)]);

type Mutation = (bytes: Buffer, at: number, random: SeededRandom) => Buffer;

const none = Buffer.alloc(0);

const mutations: readonly Mutation[] = [
  // One byte is another.
  (bytes, at, random) => splice(bytes, at, at + 1, Buffer.from(random.bytes(1))),
  // One bit is another.
  (bytes, at, random) =>
    splice(bytes, at, at + 1, Buffer.from([(bytes[at] ?? 0) ^ (1 << random.between(0, 8))])),
  // Something is missing.
  (bytes, at, random) => splice(bytes, at, at + random.between(1, 12), none),
  // Something is there twice.
  (bytes, at, random) => {
    const end = at + random.between(1, 60);
    return splice(bytes, end, end, bytes.subarray(at, end));
  },
  // Something means something.
  (bytes, at, random) => splice(bytes, at, at, random.oneOf(tokens)),
  (bytes, at, random) => splice(bytes, at, at + random.between(1, 5), random.oneOf(tokens)),
  // The rest is noise.
  (bytes, at, random) => splice(bytes, at, bytes.length, Buffer.from(random.bytes(200))),
  // The rest does not come.
  (bytes, at) => bytes.subarray(0, at),
];

export function mutateBytes(bytes: Buffer, random: SeededRandom): Buffer {
  let mutated = bytes;
  for (let left = random.between(1, 4); left > 0; left--) {
    mutated = random.oneOf(mutations)(mutated, random.between(0, mutated.length + 1), random);
  }
  return mutated;
}

const bytesMaxSingly = 500;

/** In one piece, in a few, or byte by byte: the reading must be the same. */
export function piecesOf(bytes: Buffer, random: SeededRandom): Buffer[] {
  if (random.happens(0.5)) return [bytes];
  if (bytes.length <= bytesMaxSingly && random.happens(0.3)) {
    return Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
  }
  const cuts = Array.from({ length: random.between(1, 5) }, () => random.between(0, bytes.length));
  const bounds = [0, ...cuts.sort((a, b) => a - b), bytes.length];
  return bounds
    .slice(1)
    .map((end, at) => bytes.subarray(bounds[at], end))
    .filter((piece) => piece.length > 0);
}
