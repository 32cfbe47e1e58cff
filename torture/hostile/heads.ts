/** Requests whose first lines no honest client sends, floods of them, and many at once. */
import {
  authorized,
  hostile,
  type Ingredients,
  type Recipe,
  refusals,
  refused,
  smuggled,
} from "./hostileCase.ts";

const answered = (name: string, text: string, ...reading: (readonly number[])[]) =>
  hostile(name, text, { reading });

function listing(given: Ingredients, target: string, headers = "", rest = ""): string {
  return `GET ${target} HTTP/1.1\r\nHost: outer\r\n${authorized(given)}${headers}\r\n${rest}`;
}

const pets = "/v1/pets?limit=1";

const heads: Recipe[] = [
  (given) => refused("a bare LF for every CRLF", listing(given, pets).replaceAll("\r\n", "\n")),
  (given) =>
    refused(
      "a bare LF in a value",
      listing(given, pets, "X: a\nContent-Length: 500\r\n", smuggled(given)),
    ),
  (given) =>
    refused(
      "a bare CR in a value",
      listing(given, pets, "X: a\rContent-Length: 500\r\n", smuggled(given)),
    ),
  (given) => refused("a NUL in a value", listing(given, pets, "X: a\0b\r\n", smuggled(given))),
  (given) => refused("a NUL in a name", listing(given, pets, "X\0: ab\r\n", smuggled(given))),
  (given) => refused("a NUL in the target", listing(given, "/v1/pe\0ts", "", smuggled(given))),
  (given) => refused("a folded header", listing(given, pets, "X: a\r\n b\r\n", smuggled(given))),
  (given) => refused("a header without a colon", listing(given, pets, "Xabc\r\n", smuggled(given))),
  (given) => refused("a header without a name", listing(given, pets, ": abc\r\n", smuggled(given))),
  (given) => refused("a space in a name", listing(given, pets, "X Y: abc\r\n", smuggled(given))),
  (given) =>
    refused("no Host", listing(given, pets, "", smuggled(given)).replace("Host: outer\r\n", "")),
  (given) => refused("Host twice", listing(given, pets, "Host: other\r\n")),
  (given) => refused("Host is garbage", listing(given, pets).replace("outer", "\xff\xfe][")),
  (given) =>
    answered(
      "Host is another's",
      listing(given, pets).replace("outer", "evil.example"),
      [200, 400],
    ),
  (given) =>
    answered(
      "absolute form",
      listing(given, "http://evil.example/v1/pets?limit=1"),
      [200, 400, 421],
    ),
  (given) =>
    answered("absolute form of no host", listing(given, "http:///v1/pets"), [200, 400, 404]),
  (given) => answered("authority in a path", listing(given, "//evil.example/v1/pets"), [400, 404]),
  (given) => answered("dots above the root", listing(given, "/v1/../../../etc/passwd"), [400, 404]),
  (given) =>
    answered("dots in disguise", listing(given, "/docs/..%2f..%2f..%2fpackage.json"), [400, 404]),
  (given) =>
    answered(
      "percent signs of nothing",
      listing(given, "/v1/pets/%zz%%%25?limit=%&%=1"),
      [400, 404],
    ),
  (given) =>
    answered(
      "bytes beyond ASCII in the target",
      listing(given, "/v1/pets/\xff\xc3\x28"),
      [400, 404],
    ),
  ...["/v1/..\\internal/v1/session", "/v1/../internal/v1/session", "/v1/%2e%2e/internal"].map(
    (target): Recipe =>
      (given) =>
        answered(`${target}, as it was sent`, listing(given, target), [404]),
  ),
  (given) => answered("asterisk form", listing(given, "*").replace("GET", "OPTIONS"), [405]),
  (given) => refused("a target without a slash", listing(given, "v1/pets", "", smuggled(given))),
  (given) => refused("no target", listing(given, "", "", smuggled(given))),
  (given) =>
    refused("a space in the target", listing(given, "/v1/pets HTTP/1.1 /v1", "", smuggled(given))),
  (given) =>
    hostile(
      "CONNECT",
      listing(given, "evil.example:443", "", smuggled(given)).replace("GET", "CONNECT"),
      { reading: [refusals] },
    ),
  (given) => answered("TRACE", listing(given, pets).replace("GET", "TRACE"), refusals),
  (given) => answered("an unknown method", listing(given, pets).replace("GET", "BREW"), [405]),
  (given) =>
    answered("a method in small letters", listing(given, pets).replace("GET", "get"), [405]),
  (given) =>
    refused(
      "a method of other characters",
      listing(given, pets, "", smuggled(given)).replace("GET", "GE(T"),
    ),
  (given) =>
    refused(
      "a very long method",
      listing(given, pets, "", smuggled(given)).replace("GET", "G".repeat(30_000)),
    ),
  (given) =>
    answered(
      "HTTP/1.0 is answered once",
      listing(given, pets, "", smuggled(given)).replace("1.1", "1.0"),
      [200],
    ),
  ...["1.2", "2.0", "3.0", "9.9", "11", "1.", "x"].map(
    (version): Recipe =>
      (given) =>
        refused(
          `HTTP/${version}`,
          listing(given, pets, "", smuggled(given)).replace("1.1", version),
        ),
  ),
  (given) =>
    refused(
      "http in small letters",
      listing(given, pets, "", smuggled(given)).replace("HTTP/", "http/"),
    ),
  () => refused("HTTP/0.9", "GET /v1/pets\r\n\r\n"),
  () => refused("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0"),
  () => refused("a TLS hello", Buffer.from(`16030100c8010000c40303${"5a".repeat(190)}`, "hex")),
  () =>
    refused(
      "a proxy's header",
      "PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n",
    ),
  (given) =>
    answered(
      "an upgrade to h2c",
      listing(
        given,
        pets,
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n",
      ),
      [200, 400, 426],
    ),
  (given) =>
    answered(
      "an upgrade to WebSocket",
      listing(
        given,
        pets,
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n",
      ),
      [200, 400, 426],
    ),
];

const floods: Recipe[] = [
  ...[150, 199].map(
    (count): Recipe =>
      (given) =>
        answered(`${count} headers`, listing(given, pets, lines(count)), [200, 431]),
  ),
  ...[250, 5_000].map(
    (count): Recipe =>
      (given) =>
        refused(`${count} headers`, listing(given, pets, lines(count), smuggled(given))),
  ),
  (given) =>
    refused(
      "a header of 64 KiB",
      listing(given, pets, `X: ${"a".repeat(65_536)}\r\n`, smuggled(given)),
    ),
  (given) =>
    refused(
      "a header name of 64 KiB",
      listing(given, pets, `${"a".repeat(65_536)}: x\r\n`, smuggled(given)),
    ),
  (given) =>
    refused(
      "a target of 64 KiB",
      listing(given, `/v1/pets?x=${"a".repeat(65_536)}`, "", smuggled(given)),
    ),
  (given) =>
    answered(
      "a target of 8 KiB",
      listing(given, `${pets}&x=${"a".repeat(8_192)}`),
      [200, 414, 431],
    ),
  () =>
    refused(
      "a header that never ends",
      `GET /v1/pets HTTP/1.1\r\nHost: x\r\nX: ${"a".repeat(200_000)}`,
    ),
  () => refused("a method that never ends", "A".repeat(200_000)),
  (given) => answered("a hundred keys", listing(given, pets, authorized(given).repeat(100)), [431]),
  (given) =>
    answered(
      "a key of 10,000 letters",
      listing(given, pets).replace(given.token, "k".repeat(10_000)),
      [401, 431],
    ),
];

const lines = (count: number) =>
  Array.from({ length: count }, (_, at) => `X-${at}: y\r\n`).join("");

const pipelines: Recipe[] = [
  (given) =>
    hostile("hundreds of reads at once", listing(given, pets).repeat(300), {
      reading: Array(300).fill([200]),
    }),
  (given) =>
    hostile(
      "hundreds of refusals at once",
      listing(given, "/v1/nothing").replace(given.token, "none").repeat(300),
      { reading: Array(300).fill([401]) },
    ),
  (given) =>
    hostile(
      "HEAD and GET by turns",
      [0, 1, 2, 3]
        .map(() => `${listing(given, pets).replace("GET", "HEAD")}${listing(given, pets)}`)
        .join(""),
      {
        reading: Array(8).fill([200]),
        methods: Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? "HEAD" : "GET")),
      },
    ),
  (given) =>
    hostile(
      "empty lines around reads",
      `\r\n\r\n${listing(given, pets)}\r\n${listing(given, pets)}`,
      {
        reading: [[200], [200]],
      },
    ),
  (given) =>
    hostile(
      "a body that is refused, an empty line, and a read",
      `${listing(given, "/v1/pets", "Content-Type: application/json\r\nContent-Length: 2\r\n", "[]").replace("GET", "POST")}\r\n${listing(given, pets)}`,
      { reading: [[400], [200]] },
    ),
  (given) =>
    hostile(
      "a body over the limit, then a read",
      `${listing(given, "/v1/pets", "Content-Type: application/json\r\nContent-Length: 200000\r\n", "x".repeat(200_000)).replace("GET", "POST")}${listing(given, pets)}`,
      { reading: [[413], [200]] },
    ),
  (given) =>
    hostile("hundreds of large pages at once", listing(given, "/v1/pets?limit=100").repeat(500), {
      reading: Array(500).fill([200]),
    }),
  (given) =>
    hostile("a read, then garbage", `${listing(given, pets)}\0\0\0\0\r\n\r\n${smuggled(given)}`, {
      reading: [[200], refusals],
      ends: true,
    }),
];

export const headCases: readonly Recipe[] = [...heads, ...floods, ...pipelines];
