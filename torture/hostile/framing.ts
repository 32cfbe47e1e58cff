/** Requests whose body ends where two readers might not agree, and a second request hidden there. */
import {
  authorized,
  type HostileCase,
  hostile,
  type Ingredients,
  type Recipe,
  refusals,
  refused,
  smuggled,
} from "./hostileCase.ts";

// It is refused by every reading that is right, so that nothing of these requests is ever stored.
const harmless = '{"name":"outer","categoryId":"none"}';
const size = harmless.length.toString(16);

function posted(given: Ingredients, headers: string, body: string): string {
  return `POST /v1/pets HTTP/1.1\r\nHost: outer\r\n${authorized(given)}Content-Type: application/json\r\n${headers}\r\n${body}`;
}

const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

/** One request, one refusal; what stands behind it is no request by any right reading. */
function ambiguous(name: string, headers: string, body: (harmful: string) => string): Recipe {
  return (given) => refused(name, posted(given, headers, body(smuggled(given))));
}

const codings: readonly (readonly [string, string])[] = [
  [
    "a coding after a length",
    `Content-Length: ${harmless.length}\r\nTransfer-Encoding: chunked\r\n`,
  ],
  ["a coding before a length", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"],
  ["an unknown coding", "Transfer-Encoding: xchunked\r\n"],
  ["identity", "Transfer-Encoding: identity\r\n"],
  ["chunked, then identity", "Transfer-Encoding: chunked, identity\r\n"],
  ["identity, then chunked", "Transfer-Encoding: identity, chunked\r\n"],
  ["chunked twice in a line", "Transfer-Encoding: chunked, chunked\r\n"],
  ["chunked in two lines", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"],
  ["identity in a line before", "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n"],
  ["a space before the colon", "Transfer-Encoding : chunked\r\n"],
  ["a vertical tab", "Transfer-Encoding:\x0bchunked\r\n"],
  ["a NUL behind", "Transfer-Encoding: chunked\0\r\n"],
  ["in quotes", 'Transfer-Encoding: "chunked"\r\n'],
  ["a parameter", "Transfer-Encoding: chunked;q=1\r\n"],
  ["nothing", "Transfer-Encoding: \r\n"],
  ["folded", "Transfer-Encoding:\r\n chunked\r\n"],
  ["a space before the name", "X: y\r\n Transfer-Encoding: chunked\r\n"],
  ["a bare LF before the name", "X: y\nTransfer-Encoding: chunked\r\n"],
];

const lengths: readonly string[] = [
  `Content-Length: ${harmless.length}\r\nContent-Length: 5\r\n`,
  `Content-Length: 5\r\nContent-Length: ${harmless.length}\r\n`,
  `Content-Length: ${harmless.length}, ${harmless.length}\r\n`,
  `Content-Length: ${harmless.length}, 5\r\n`,
  `Content-Length: +${harmless.length}\r\n`,
  "Content-Length: -1\r\n",
  `Content-Length: 0x${size}\r\n`,
  "Content-Length: 3 6\r\n",
  `Content-Length: ${harmless.length}abc\r\n`,
  `Content-Length: ${harmless.length}.0\r\n`,
  `Content-Length: 1e2\r\n`,
  `Content-Length : ${harmless.length}\r\n`,
  `Content-Length: "${harmless.length}"\r\n`,
  "Content-Length: \r\n",
  "Content-Length: 99999999999999999999999\r\n",
  // What is left of it in 64 bits is the right length.
  `Content-Length: ${2n ** 64n + BigInt(harmless.length)}\r\n`,
  `Content-Length: ${harmless.length}\r\n \r\n`,
];

const coding = "Transfer-Encoding: chunked\r\n";

const chunkings: readonly (readonly [string, (harmful: string) => string])[] = [
  ["a size beyond 64 bits", (then) => `fffffffffffffffff\r\n${harmless}\r\n0\r\n\r\n${then}`],
  [
    "a size that wraps around",
    (then) => `10000000000000000${size}\r\n${harmless}\r\n0\r\n\r\n${then}`,
  ],
  ["a negative size", (then) => `-${size}\r\n${harmless}\r\n0\r\n\r\n${then}`],
  ["a size with a plus", (then) => `+${size}\r\n${harmless}\r\n0\r\n\r\n${then}`],
  ["a size with 0x", (then) => `0x${size}\r\n${harmless}\r\n0\r\n\r\n${then}`],
  ["a size after a space", (then) => ` ${size}\r\n${harmless}\r\n0\r\n\r\n${then}`],
  ["a size before a space", (then) => `${size} \r\n${harmless}\r\n0\r\n\r\n${then}`],
  [
    "a size with an underscore",
    (then) => `${size[0]}_${size[1]}\r\n${harmless}\r\n0\r\n\r\n${then}`,
  ],
  ["no size", (then) => `\r\n${harmless}\r\n0\r\n\r\n${then}`],
  ["no number", (then) => `zz\r\n${harmless}\r\n0\r\n\r\n${then}`],
  ["a bare LF after the size", (then) => `${size}\n${harmless}\r\n0\r\n\r\n${then}`],
  ["a bare LF after an extension", (then) => `${size};a\n${harmless}\r\n0\r\n\r\n${then}`],
  ["a bare CR after the size", (then) => `${size}\r${harmless}\r\n0\r\n\r\n${then}`],
  ["bare LFs everywhere", (then) => `${size}\n${harmless}\n0\n\n${then}`],
  [
    "data beyond the size",
    (then) => `${(harmless.length - 1).toString(16)}\r\n${harmless}\r\n0\r\n\r\n${then}`,
  ],
  ["something else after the data", (then) => `${size}\r\n${harmless}XX0\r\n\r\n${then}`],
  [
    "an extension of 100,000 letters",
    (then) => `${size};${"a".repeat(100_000)}\r\n${harmless}\r\n0\r\n\r\n${then}`,
  ],
];

/** Framed rightly: the body is refused, and nothing in the body is a request. */
function framed(
  name: string,
  make: (given: Ingredients) => string,
  more: Partial<HostileCase> = {},
): Recipe {
  return (given) => hostile(name, make(given), { reading: [[400]], ...more });
}

const rightly: readonly Recipe[] = [
  framed("chunked in capitals", (given) =>
    posted(given, "TRANSFER-ENCODING: CHUNKED\r\n", chunked(harmless)),
  ),
  framed("a tab before the coding", (given) =>
    posted(given, "Transfer-Encoding:\tchunked\r\n", chunked(harmless)),
  ),
  framed("a chunk extension", (given) =>
    posted(given, coding, `${size};a=b\r\n${harmless}\r\n0\r\n\r\n`),
  ),
  framed("a chunk extension in quotes", (given) =>
    posted(given, coding, `${size};a="\r\n${harmless}\r\n0\r\n\r\n`),
  ),
  framed("a chunk for each byte", (given) =>
    posted(given, coding, `${[...harmless].map((byte) => `1\r\n${byte}\r\n`).join("")}0\r\n\r\n`),
  ),
  framed("a last chunk of many zeros", (given) =>
    posted(given, coding, `${size}\r\n${harmless}\r\n0000\r\n\r\n`),
  ),
  framed("a trailer", (given) =>
    posted(given, coding, `${size}\r\n${harmless}\r\n0\r\nX-Trailer: 1\r\n\r\n`),
  ),
  framed("a trailer with a length", (given) =>
    posted(given, coding, `${size}\r\n${harmless}\r\n0\r\nContent-Length: 500\r\n\r\n`),
  ),
  framed(
    "a request in place of trailers",
    (given) => posted(given, coding, `${size}\r\n${harmless}\r\n0\r\n${smuggled(given)}`),
    { ends: true },
  ),
  framed("a length with zeros before it", (given) =>
    posted(given, `Content-Length: 0000${harmless.length}\r\n`, harmless),
  ),
  framed("a length with a space behind", (given) =>
    posted(given, `Content-Length: ${harmless.length} \r\n`, harmless),
  ),
  framed("the same length twice", (given) =>
    posted(
      given,
      `Content-Length: ${harmless.length}\r\nContent-Length: ${harmless.length}\r\n`,
      harmless,
    ),
  ),
  framed("a name almost that of the coding", (given) =>
    posted(given, `Transfer_Encoding: chunked\r\nContent-Length: ${harmless.length}\r\n`, harmless),
  ),
  framed("a request in a JSON body", (given) => {
    const inner = smuggled(given);
    return posted(given, `Content-Length: ${inner.length}\r\n`, inner);
  }),
  framed("a request in a chunk", (given) => posted(given, coding, chunked(smuggled(given)))),
  framed("100-continue", (given) =>
    posted(given, `Expect: 100-continue\r\nContent-Length: ${harmless.length}\r\n`, harmless),
  ),
  framed(
    "an expectation of something else",
    (given) =>
      posted(given, `Expect: 200-maybe\r\nContent-Length: ${harmless.length}\r\n`, harmless),
    { reading: [[400, 417]] },
  ),
  framed(
    "a body that is not announced",
    (given) => posted(given, "", `${harmless}\r\n\r\n${smuggled(given)}`),
    { reading: [[400], refusals], ends: true },
  ),
  framed(
    "a length that lies below",
    (given) => posted(given, "Content-Length: 5\r\n", `${harmless}\r\n\r\n${smuggled(given)}`),
    { reading: [[400], refusals], ends: true },
  ),
  framed(
    "a length that lies above",
    (given) => posted(given, "Content-Length: 500\r\n", harmless),
    { reading: [], mayWait: true },
  ),
  framed("a request within a read's body", (given) => bodyOfRead(given, "GET"), {
    reading: [[200]],
  }),
  framed("a request within a HEAD's body", (given) => bodyOfRead(given, "HEAD"), {
    reading: [[200]],
    methods: ["HEAD"],
  }),
  framed(
    "a request within a refused body",
    (given) =>
      bodyOfRead(given, "GET").replaceAll(/(outer\r\nAuthorization: Bearer )\S+/g, "$1none"),
    { reading: [[401]] },
  ),
  framed(
    "a body of 70,000 bytes",
    (given) => posted(given, "Content-Length: 70000\r\n", `${"x".repeat(70_000)}`),
    { reading: [[413]] },
  ),
  framed("70,000 bytes in chunks", (given) => posted(given, coding, chunked("x".repeat(70_000))), {
    reading: [[413]],
  }),
  framed(
    "a body of a gigabyte, announced",
    (given) => posted(given, "Content-Length: 1073741824\r\n", smuggled(given)),
    { reading: [[413]] },
  ),
  framed(
    "a body beyond all bounds, announced",
    (given) => posted(given, "Content-Length: 9007199254740991\r\n", smuggled(given)),
    { reading: [[413]] },
  ),
];

function bodyOfRead(given: Ingredients, method: string): string {
  const inner = smuggled(given);
  return `${method} /v1/pets?limit=1 HTTP/1.1\r\nHost: outer\r\n${authorized(given)}Content-Length: ${inner.length}\r\n\r\n${inner}`;
}

export const framingCases: readonly Recipe[] = [
  ...codings.map(([name, headers]) =>
    ambiguous(`coding: ${name}`, headers, (then) => `${chunked(harmless)}${then}`),
  ),
  ...lengths.map((headers) =>
    ambiguous(`length: ${JSON.stringify(headers)}`, headers, (then) => `${harmless}${then}`),
  ),
  ...chunkings.map(([name, body]) => ambiguous(`chunks: ${name}`, coding, body)),
  ...rightly,
];
