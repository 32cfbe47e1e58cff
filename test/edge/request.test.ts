import { describe, expect, test } from "bun:test";
import { hostOf, readRequest } from "../../src/edge/request.ts";

const read = (target: string, ...hosts: string[]) =>
  readRequest({ method: "GET", target, hosts, header: () => undefined });

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

describe("a request", () => {
  test("keeps path and query as they were sent", () => {
    const seen = read(
      `${"/a//b/../%2e%2E/é".replace("é", "%C3%A9")}?q=%0d%0a&r=//x?y`,
      "a.example",
    );
    expect(seen).toMatchObject({
      kind: "request",
      request: { path: "/a//b/../%2e%2E/%C3%A9", query: "?q=%0d%0a&r=//x?y" },
    });
  });

  test("may name its host in the target, if that is the same one", () => {
    const same = { host: "a.example", path: "/x", query: "?y" };
    expect(read("http://A.example:80/x?y", "a.example")).toMatchObject({ request: same });
    expect(read("http://a.example", "a.example")).toMatchObject({ request: { path: "/" } });
    expect(read("http://a.example?y", "a.example")).toMatchObject({ request: { path: "/" } });
    expect(read("http://b.example/x", "a.example").kind).toBe("unreadable");
    expect(read("http://user@a.example/x", "a.example").kind).toBe("unreadable");
    expect(read("ftp://a.example/x", "a.example").kind).toBe("unreadable");
  });

  test("names one host, however often", () => {
    expect(read("/").kind).toBe("unreadable");
    expect(read("/", "a.example", "a.example:443").kind).toBe("request");
    expect(read("/", "a.example", "b.example").kind).toBe("unreadable");
    expect(read("/", "a.example", "").kind).toBe("unreadable");
  });

  for (const target of ["", "*", "x", "/a b", "/a\tb", "/a\r\nb", "/é", "/a#b", "/a\u007f"]) {
    test(`for ${JSON.stringify(target)} cannot be read`, () => {
      expect(read(target, "a.example").kind).toBe("unreadable");
    });
  }
});
