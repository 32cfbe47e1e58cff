import { describe, expect, test } from "bun:test";
import { hostOf, targetOf } from "../../src/wire/requestHead.ts";

const read = (target: string, ...hosts: string[]) => targetOf(target, hosts, 11, "GET");

describe("a host", () => {
  test("is looked up in lower case, without port and final dot", () => {
    expect(hostOf("Docs.EXAMPLE.com.:8443")).toBe("docs.example.com");
    expect(hostOf("docs.example.com:")).toBe("docs.example.com");
    expect(hostOf("[2001:DB8::1]:80")).toBe("[2001:db8::1]");
  });

  for (const garbage of [
    "",
    ".",
    ":443",
    "a.example,b.example",
    "a.example b.example",
    "user@a.example",
    "a.example/",
    "a.example#b",
    "a.example:99999999",
    "a.example:x",
    "a.example..",
    "ä.example",
    "a%2eexample",
    "a.example\u0000",
    "x".repeat(300),
  ]) {
    test(`is not ${JSON.stringify(garbage.slice(0, 30))}`, () => {
      expect(hostOf(garbage)).toBeUndefined();
    });
  }
});

describe("a target", () => {
  test("keeps path and query as they were sent", () => {
    expect(read("/a//b/../%2e%2E/%C3%A9\\x?q=%0d%0a&r=//x?y", "a.example")).toEqual({
      authority: "a.example",
      path: "/a//b/../%2e%2E/%C3%A9\\x",
      query: "?q=%0d%0a&r=//x?y",
    });
  });

  test("may name its host, if that is the one of the Host header", () => {
    const same = { authority: "a.example", path: "/x", query: "?y" };
    expect(read("http://A.example:80/x?y", "a.example")).toEqual(same);
    expect(read("http://a.example", "a.example")).toMatchObject({ path: "/" });
    expect(read("http://a.example?y", "a.example")).toMatchObject({ path: "/", query: "?y" });
    expect(read("http://b.example/x", "a.example")).toBe("host_invalid");
    expect(read("http://user@a.example/x", "a.example")).toBe("host_invalid");
    expect(read("ftp://a.example/x", "a.example")).toBe("malformed");
  });

  test("comes with exactly one Host, which HTTP/1.0 may leave out", () => {
    expect(read("/")).toBe("host_invalid");
    expect(read("/", "a.example", "a.example")).toBe("host_invalid");
    expect(read("/", "")).toBe("host_invalid");
    expect(targetOf("/", [], 10, "GET")).toEqual({ authority: "", path: "/", query: "" });
  });

  test("of OPTIONS may be the server itself, and of nothing else", () => {
    expect(targetOf("*", ["a.example"], 11, "OPTIONS")).toMatchObject({ path: "*" });
    expect(read("*", "a.example")).toBe("malformed");
  });

  for (const target of ["", "x", "/a b", "/a\tb", "/a\r\nb", "/é", "/a#b", "/a\u007f"]) {
    test(`is not ${JSON.stringify(target)}`, () => {
      expect(read(target, "a.example")).toBe("malformed");
    });
  }
});
