import { describe, expect, test } from "bun:test";
import { transcriptOf } from "../../torture/hostile/answers.ts";

const bytes = (text: string) => Buffer.from(text, "latin1");
const ok = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const seen = (text: string, closed = false, methods?: string[]) =>
  transcriptOf(bytes(text), { closed, ...(methods && { methods }) });

describe("answers on a connection are counted", () => {
  test("one after the other, each with its own body", () => {
    const { answers, rest, fault } = seen(`${ok("one")}${ok("")}${ok("three")}`);
    expect(answers.map(({ body }) => body.toString())).toEqual(["one", "", "three"]);
    expect([rest.length, fault]).toEqual([0, undefined]);
  });

  test("by chunks as well, and with interim answers left out", () => {
    const text =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    const { answers } = seen(text);
    expect(answers.map(({ status, body }) => [status, body.toString()])).toEqual([[201, "abcde"]]);
  });

  test("without bodies where HEAD was asked, or the status has none", () => {
    const head = "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n";
    const { answers } = seen(`${head}HTTP/1.1 304 Not Modified\r\n\r\n${ok("x")}`, false, ["HEAD"]);
    expect(answers.map(({ status }) => status)).toEqual([200, 304, 200]);
  });

  test("up to the end of the connection only where the answer said that it closes", () => {
    const closing = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nrest";
    expect(seen(closing, true).answers.map(({ body }) => body.toString())).toEqual(["rest"]);
    expect(seen(closing, false).answers).toEqual([]);
    expect(seen("HTTP/1.1 400 Bad Request\r\n\r\n", true).fault).toContain("no length");
  });
});

describe("what is no answer is told", () => {
  test("an answer that is cut off is left over", () => {
    for (const cut of [1, 8, 20, ok("hello").length - 1]) {
      const { answers, rest, fault } = seen(ok("hello").slice(0, cut), true);
      expect([cut, answers.length, rest.length, fault]).toEqual([cut, 0, cut, undefined]);
    }
  });

  for (const [what, text] of [
    ["garbage", "\0\0\0\0"],
    ["another protocol", "SSH-2.0-x\r\n\r\n"],
    ["another version", "HTTP/2 200 OK\r\n\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
    [
      "a length and a coding",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\na",
    ],
    ["a length that is no number", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"],
    [
      "a header that was split by its value",
      "HTTP/1.1 200 OK\r\nX: a\nb\r\nContent-Length: 0\r\n\r\n",
    ],
    [
      "a chunk of another size",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n",
    ],
    ["a second answer that is none", `${ok("one")}and more\r\n\r\n`],
  ] as const) {
    test(what, () => expect(seen(text, true).fault).toBeString());
  }
});
