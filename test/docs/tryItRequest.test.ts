import { describe, expect, test } from "bun:test";
import { curlLine, type Filled, prepare } from "../../src/docs/browser/request.ts";
import { tokensOf } from "../../src/docs/highlight.ts";
import { indentJson } from "../../src/docs/indentJson.ts";

const filled = (changes: Partial<Filled> = {}): Filled => ({
  baseUrl: "http://127.0.0.1:8080/v1",
  method: "GET",
  path: "/pets",
  parameters: [],
  body: undefined,
  ...changes,
});
const parameter = (name: string, location: string, value: string, many = false) => ({
  name,
  location,
  value,
  many,
});

describe("a filled-in form", () => {
  test("asks with what was filled in, and leaves out the rest", () => {
    const { url, headers } = prepare(
      filled({
        parameters: [
          parameter("id", "query", "1, 2 3", true),
          parameter("status", "query", ""),
          parameter("q", "query", "a&b=c"),
          parameter("Prefer", "header", "handling=strict"),
        ],
      }),
    );
    expect(url).toBe("http://127.0.0.1:8080/v1/pets?id=1&id=2&id=3&q=a%26b%3Dc");
    expect(headers).toEqual([["Prefer", "handling=strict"]]);
  });

  test("keeps a value of the path within its segment", () => {
    const one = filled({
      path: "/pets/{petId}",
      parameters: [parameter("petId", "path", "../x?y")],
    });
    expect(prepare(one).url).toBe("http://127.0.0.1:8080/v1/pets/..%2Fx%3Fy");
  });

  test("says what is missing or wrong", () => {
    const missing = filled({ path: "/pets/{petId}", parameters: [parameter("petId", "path", "")] });
    expect(() => prepare(missing)).toThrow("petId is part of the path. Fill it in.");
    for (const baseUrl of ["", "localhost:8080/v1", "javascript:alert(1)", "ftp://a/b"]) {
      expect(() => prepare(filled({ baseUrl }))).toThrow("The base URL must be absolute");
    }
  });

  test("is the same as its curl line, which holds no key", () => {
    const body = `{"name":"it's"}`;
    const line = curlLine(prepare(filled({ method: "POST", body })));
    expect(line).toBe(
      [
        "curl 'http://127.0.0.1:8080/v1/pets' \\",
        '  -H "Authorization: Bearer $API_KEY" \\',
        "  -H 'Content-Type: application/json' \\",
        String.raw`  -d '{"name":"it'\''s"}'`,
      ].join("\n"),
    );
    expect(curlLine(prepare(filled({ method: "POST" })))).toStartWith("curl -X POST ");
  });
});

describe("JSON laid out", () => {
  test("keeps every digit and every character of its strings", () => {
    const text = '{"id":9223372036854775807,"name":"a {\\"b\\": [1]} , é","tags":[],"x":1.50e3}';
    const laidOut = indentJson(text, 20);
    expect(laidOut.split("\n")).toHaveLength(6);
    expect(laidOut).toContain('"id": 9223372036854775807,');
    expect(JSON.parse(laidOut)).toEqual(JSON.parse(text));
    expect(laidOut).toContain("1.50e3");
  });

  test("is left as it came when it is no JSON", () => {
    for (const text of ["", "<html>", '{"a":1', "[1 2]", "plain words"]) {
      expect(indentJson(text)).toBe(text);
    }
  });
});

describe("colours", () => {
  test("lose nothing of the text, in any language", () => {
    const text = `curl "a $B" \\\n  -H 'x' # c\nconst a = \`b\`; // d\n{"k": -1.5e3}\nf"{x}" \u0000 é`;
    for (const language of ["json", "sh", "ts", "python", "http", "unknown"]) {
      const tokens = tokensOf(text, language);
      expect(tokens.map((token) => token.text).join("")).toBe(text);
    }
  });
});
