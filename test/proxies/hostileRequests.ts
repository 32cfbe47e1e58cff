/** Requests that have taken a process away behind a proxy, or could. */
import type { ProxyName } from "./proxy.ts";

export interface HostileRequest {
  readonly name: string;
  /** What is sent, each piece after the one before was taken. */
  readonly pieces: readonly string[];
  /** What the service answers, in order; nothing where the client leaves after the last piece. */
  readonly statuses: readonly number[];
  /** What else a proxy makes of it: it answers by itself, or passes on something else. */
  readonly otherwise: Readonly<Partial<Record<ProxyName, number>>>;
}

const host = "Host: api.example.com\r\n";
const head = (method: string, target: string, headers = "", version = "HTTP/1.1") =>
  `${method} ${target} ${version}\r\n${host}${headers}\r\n`;
const json = "Content-Type: application/json\r\n";
const pet = '{"name":"Bella","categoryId":3}';
const chunked = "Transfer-Encoding: chunked\r\n";
const length = (bytes: number) => `Content-Length: ${bytes}\r\n`;
const page = "/v1/pets?limit=1";
const openapi = head("GET", "/v1/openapi.json");

const one = (
  name: string,
  text: string,
  status: number,
  otherwise: HostileRequest["otherwise"] = {},
): HostileRequest => ({ name, pieces: [text], statuses: [status], otherwise });

const several = (
  name: string,
  pieces: readonly string[],
  ...statuses: readonly number[]
): HostileRequest => ({ name, pieces, statuses, otherwise: {} });

/** `token` is an API key that the service knows. */
export function hostileRequests(token: string): readonly HostileRequest[] {
  const key = `Authorization: Bearer ${token}\r\n`;
  const get = (headers: string, target = page) => head("GET", target, key + headers);
  const post = (headers: string, body: string) =>
    head("POST", "/v1/pets", key + json + headers) + body;
  const withoutKey = (headers: string, body: string) =>
    head("POST", "/v1/pets", json + headers) + body;

  return [
    one("an unknown method", head("BREW", page, key), 405, { envoy: 400 }),
    one("one with a body", `${head("BREW", page, key + length(3))}abc`, 405, { envoy: 400 }),
    one("one without a key", head("BREW", page), 401, { envoy: 400 }),
    one("one outside the API", head("BREW", "/"), 501, { envoy: 400 }),
    one("a lower-case method", head("get", page, key), 405, { nginx: 400, envoy: 400 }),
    one("TRACE", head("TRACE", page, key), 405),
    one("OPTIONS *", head("OPTIONS", "*"), 405, { nginx: 400, caddy: 200, envoy: 404 }),
    one("a tunnel", head("CONNECT", "api.example.com:443"), 400, { envoy: 404 }),

    ...[65_537, 100_000, 300_000, 900_000, 3_000_000].flatMap((bytes) => {
      const body = "x".repeat(bytes);
      const chunks = `${bytes.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      return [
        one(`a body of ${bytes} bytes`, post(length(bytes), body), 413),
        one(`a chunked body of ${bytes} bytes`, post(chunked, chunks), 413),
        // nginx takes 1 MiB by default, and refuses more without asking anybody.
        one(`${bytes} bytes without a key`, withoutKey(length(bytes), body), 401, { nginx: 413 }),
      ];
    }),
    one("a body where none belongs", `${get(length(5))}hello`, 200),
    one("a malformed body", post(length(5), "{nope"), 400),
    one("no media type", `${head("POST", "/v1/pets", key + length(2))}{}`, 415),
    one("a bad chunk", post(chunked, "zz\r\nabc\r\n0\r\n\r\n"), 400, { caddy: 502 }),
    one("a good chunk, a bad one", post(chunked, `5\r\n{"nam\r\nzz\r\n\r\n`), 400, { caddy: 502 }),
    one("two lengths", post("Content-Length: 3\r\nContent-Length: 4\r\n", "abcd"), 400),
    one("length and chunks", post(length(5) + chunked, "0\r\n\r\n"), 400),
    one("another coding", post("Transfer-Encoding: gzip\r\n", "abc"), 400, {
      nginx: 501,
      caddy: 501,
      envoy: 501,
    }),
    one("trailers", post(chunked, `1f\r\n${pet}\r\n0\r\nX-Sum: 1\r\n\r\n`), 201),
    one("an expectation that is met", post(`${length(31)}Expect: 100-continue\r\n`, pet), 201),
    one("one that is refused", withoutKey(`${length(31)}Expect: 100-continue\r\n`, pet), 401),
    one("one that nobody knows", post(`${length(31)}Expect: tea\r\n`, pet), 201, { caddy: 417 }),
    several("a slow body", [post(length(31), ""), ...pet], 201),

    one("two Hosts", `GET ${page} HTTP/1.1\r\n${host}${host}${key}\r\n`, 400, { haproxy: 200 }),
    one("no Host", `GET ${page} HTTP/1.1\r\n${key}\r\n`, 400),
    one("a Host that is none", `GET ${page} HTTP/1.1\r\nHost: a b/c\r\n${key}\r\n`, 400),
    one("an empty line before the request", `\r\n${get("")}`, 200, { caddy: 400 }),
    one("a header of 20,000 bytes", get(`X: ${"x".repeat(20_000)}\r\n`), 431, {
      nginx: 400,
      haproxy: 400,
    }),
    one("150 headers", get("X: y\r\n".repeat(150)), 431, { haproxy: 400 }),
    one("a target of 9,000 bytes", get("", `/v1/${"x".repeat(9_000)}`), 414),
    one("HTTP/3.0", head("GET", page, key, "HTTP/3.0"), 505, { haproxy: 200, envoy: 426 }),
    one("HTTP/1.0", head("GET", page, key, "HTTP/1.0"), 200, { envoy: 426 }),
    one("nonsense", "\x16\x03\x01 nonsense\r\n\r\n", 400),
    one("Connection: close, X, Host", get("Connection: close, X, Host\r\n"), 200, { envoy: 400 }),
    one("Connection: Authorization", get("Connection: Authorization\r\n"), 200, {
      caddy: 401,
      envoy: 401,
    }),
    one("an upgrade", get("Connection: Upgrade\r\nUpgrade: h2c\r\n"), 200),
    one("a web socket", get("Connection: Upgrade\r\nUpgrade: websocket\r\n"), 200, {
      haproxy: 400,
      envoy: 403,
    }),

    ...["/v1/../internal/v1", "/v1/..\\internal/v1", "/v1/%2e%2e/internal/v1", "/v1/..%2finternal"]
      // As it was sent, so that no rule of a proxy about paths is about another path than ours.
      // Twice, so that the process with the dashboard gets one of them.
      .map((target) => several(target, [get("", target).repeat(2)], 404, 404)),
    one("/v1//../../internal/v1", get("", "/v1//../../internal/v1"), 404, { nginx: 400 }),
    one("half an escape", get("", "/v1/pets/%2"), 404, { nginx: 400, caddy: 400 }),
    one("a fragment", get("", `${page}#x`), 400),
    one("an absolute target", get("", `http://api.example.com${page}`), 200),

    several("five reads at once", [get("").repeat(5)], 200, 200, 200, 200, 200),
    several("a write and a read at once", [post(length(31), pet) + get("")], 201, 200),
    several("a line break behind a body", [`${post(length(31), pet)}\r\n`, get("")], 201, 200),

    several("a client that leaves before the body", [post(length(31), "")]),
    several("a client that leaves within the body", [post(length(31), '{"na')]),
    several("a client that leaves within a chunk", [post(chunked, "1f\r\n{")]),
    several("a client that leaves within the head", [`GET ${page} HTTP/1.1\r\nHo`]),
    several("a client that leaves before its response", [openapi]),
  ];
}
