import { describe, expect, test } from "bun:test";
import {
  destinationOf,
  findRedirect,
  headerLengthMax,
  headerRulesMax,
  parseRules,
  redirectLengthMax,
  redirectPatternsMax,
  redirectsMax,
  rulesError,
  withRuleHeaders,
} from "../../src/hosting/sites/siteRules.ts";
import fc from "../../testkit/fastCheck.ts";

/** Where `_redirects` leads an address that begins with a slash, and with which status. */
function led(redirects: string, address: string, which: "any" | "forced" = "any") {
  const parsed = parseRules({ redirects });
  expect(parsed.errors).toEqual([]);
  const [path = "", ...query] = address.split(/(?=\?)/);
  const place = { path: path.replace(/^\/|\/$/g, ""), folder: path.endsWith("/") };
  const match = findRedirect(parsed.rules, place, which);
  return match && `${match.redirect.status} ${destinationOf(match, query.join(""))}`;
}

const errorOf = (texts: Parameters<typeof parseRules>[0]) => rulesError(parseRules(texts));

describe("a redirect", () => {
  test.each([
    ["/old /new", "/old", "302 /new"],
    ["/old /new 301", "/old", "301 /new"],
    ["/old\t/new   308", "/old", "308 /new"],
    ["  /old /new 303  # moved", "/old", "303 /new"],
    ["/old /new 301 # was lang=de", "/old", "301 /new"],
    ["/old /new 307\r", "/old", "307 /new"],
    ["/old /new 200", "/old", "200 /new"],
    ["/old /new 404!", "/old", "404 /new"],
    ["/old /new", "/old/", "302 /new"],
    ["/old/ /new", "/old", "302 /new"],
    ["/ /home", "/", "302 /home"],
    ["/old https://www.example.com", "/old", "302 https://www.example.com"],
    ["/old HTTPS://Example.com:8443/x 301", "/old", "301 https://example.com:8443/x"],
    ["/old http://bücher.example/ä", "/old", "302 http://xn--bcher-kva.example/%C3%A4"],
    ["/gr%C3%B6%C3%9Fe /size", "/größe", "302 /size"],
    ["/größe /ä", "/größe", "302 /%C3%A4"],
    ["/a%3Ab /x", "/a:b", "302 /x"],
  ])("%j leads %s to %s", (rules, address, destination) => {
    expect(led(rules, address)).toBe(destination);
  });

  test.each([
    ["/blog/* /news/:splat", "/blog/a/b", "302 /news/a/b"],
    ["/blog/* /news/:splat", "/blog/a/b/", "302 /news/a/b/"],
    ["/blog/* /news/:splat", "/blog/", "302 /news/"],
    ["/blog/* /news/:splat", "/blog", "302 /news/"],
    ["/* https://new.example/:splat 301!", "/", "301 https://new.example/"],
    ["/* https://new.example/:splat 301!", "/a b/ü", "301 https://new.example/a%20b/%C3%BC"],
    ["/*.php /:splat", "/blog/post.php", "302 /blog/post"],
    ["/*.php /:splat", "/blog/post.php/", "302 /blog/post"],
    ["/:a/:b /:b/:a 301", "/one/two", "301 /two/one"],
    ["/m/:title /media?t=:title#:title", "/m/a&b", "302 /media?t=a%26b#a%26b"],
    ["/:lang/* /docs/:lang/:splat", "/de/x/y", "302 /docs/de/x/y"],
    ["/n/:y/:m /:y-:m.html", "/n/2026/11", "302 /2026-11.html"],
    ["/x/* /:splat/y", "/x", "302 /y"],
    ["/x/* /y 200", "/x/1", "200 /y"],
  ])("%j leads %s to %s", (rules, address, destination) => {
    expect(led(rules, address)).toBe(destination);
  });

  test.each([
    ["/old /new", "/Old"],
    ["/old /new", "/old/er"],
    ["/blog/* /new", "/blogs"],
    ["/:a /new", "/"],
    ["/:a /new", "/a/b"],
    ["/a.b /new", "/aXb"],
    ["/*.php /x", "/a.phpx"],
    ["/constructor /x", "/__proto__"],
  ])("%j does not match %s", (rules, address) => {
    expect(led(rules, address)).toBeUndefined();
  });

  test("keeps the query, unless the destination has its own", () => {
    expect(led("/a /b", "/a?x=1&y=//z")).toBe("302 /b?x=1&y=//z");
    expect(led("/a /b#top", "/a?x=1")).toBe("302 /b?x=1#top");
    expect(led("/a /b?y=2#top", "/a?x=1")).toBe("302 /b?y=2#top");
    expect(led("/a https://b.example", "/a?x=1")).toBe("302 https://b.example?x=1");
    expect(led("/a /b 200", "/a?x=1")).toBe("200 /b");
  });

  test("that stands first wins, whether it has a pattern or not", () => {
    expect(led("/a/* /one\n/a/b /two", "/a/b")).toBe("302 /one");
    expect(led("/a/b /two\n/a/* /one", "/a/b")).toBe("302 /two");
    expect(led("/a/* /one\n/:x/b /two", "/a/b")).toBe("302 /one");
  });

  test("that is forced is found on its own", () => {
    expect(led("/a /one\n/* https://b.example 301!", "/a", "forced")).toBe("301 https://b.example");
    expect(led("/a /one", "/a", "forced")).toBeUndefined();
  });

  test("within the site never leads to another host, whatever visitors send", () => {
    const segment = fc.oneof(
      fc.constantFrom("\\", "evil.example", ":splat", ":a", "@", "%2f", "?", "#", "..a"),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }).filter((s) => !s.includes("/")),
    );
    const template = fc.constantFrom("/:splat", "/x/:splat", "/:splat/y", "/:a/:splat", "/:a");
    fc.assert(
      fc.property(template, fc.array(segment, { maxLength: 4 }), (to, segments) => {
        const { rules } = parseRules({ redirects: `/old/:a/* ${to} 301` });
        const path = ["old", ...segments].join("/");
        const match = findRedirect(rules, { path, folder: false }, "any");
        if (match === undefined) return;
        const { origin } = new URL(destinationOf(match, ""), "https://own.example/");
        expect(origin).toBe("https://own.example");
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("_redirects is refused", () => {
  test.each([
    ["/old", "The destination is missing."],
    ["/old # /new", "The destination is missing."],
    ["old /new", '"old" is not a path of this site. Begin it with "/".'],
    ["https://a.example/* /x", '"https://a.example/*" is not a path of this site.'],
    ["/a?b=c /x", '"/a?b=c" is not a path'],
    ["/a//b /x", '"/a//b" is not a path'],
    ["/store id=:id /blog/:id 301", '"id=:id" is not supported: a rule has no conditions.'],
    ["/a /b 301 302", '"302" is not supported'],
    ["/ /de 302 Language=de", '"Language=de" is not supported'],
    ["/a b", '"b" is not a destination.'],
    ["/a //evil.example", '"//evil.example" is not a destination.'],
    ["/a javascript:alert(1)", '"javascript:alert(1)" is not a destination.'],
    ["/a ftp://x.example/", '"ftp://x.example/" is not a destination.'],
    ["/a /\\evil.example", "has a backslash"],
    ["/* https://:splat/", '"https://:splat" is not the address of a site'],
    ["/* https://:splat.example.com/", "is not the address of a site"],
    ["/* https://example.com:splat", "is not the address of a site"],
    ["/a https://user:word@example.com/", "is not the address of a site"],
    ["/a https:///x", "is not the address of a site"],
    ["/a /b 300", '"300" is not a status of a rule.'],
    ["/a /b 410", '"410" is not a status of a rule.'],
    ["/a /b 301!!", '"301!!" is not a status of a rule.'],
    ["/api/* https://api.example/:splat 200", "With 200, the destination is a path of this site."],
    ["/a /b?x=1 200", "With 200, the destination is a path of this site."],
    ["/a /:splat", "The destination has :splat, but the path has no *."],
    ["/:a /:b", "The destination has :b, but the path has no :b."],
    ["/a*b*c /x", "may have one *"],
    ["/*/:a /x", "no :placeholder after it"],
    ["/a-:b /x", "A :placeholder is a whole segment"],
    ["/:a/:a /x", "two placeholders of one name"],
    ["/100% /x", "For a percent sign, write %25."],
    ["/a /a/ 301", "The rule leads to itself."],
    ["/a/* /a/:splat", "The rule leads to itself."],
    ["/* /new 301!", "The rule leads to itself."],
    ["/a/* /a/b/ 302!", "The rule leads to itself."],
    ["/a\u0000b /x", "control characters"],
    ["/a\ufffdb /x", "is not UTF-8"],
    [`/a /${"b".repeat(redirectLengthMax)}`, `more than ${redirectLengthMax} characters`],
  ])("%j: %s", (line, said) => {
    const error = errorOf({ redirects: `# Moved\n/fine /well\n\n${line}` });
    expect(error).toStartWith("_redirects, line 4: ");
    expect(error).toContain(said);
  });

  test("when two rules are for one path", () => {
    expect(errorOf({ redirects: "/a /b\n/a/ /c 301!" })).toBe(
      "_redirects, line 2: Line 1 has a rule for this path already. Remove one of the two.",
    );
    expect(errorOf({ redirects: "/a/* /b\n/a/* /c" })).toContain("Line 1 has a rule");
  });

  test("with each line that is wrong, up to five", () => {
    const error = errorOf({ redirects: "x\n".repeat(7) });
    expect(error?.match(/_redirects, line \d/g)).toHaveLength(5);
    expect(error).toEndWith("There are 2 more errors.");
  });

  test.each([
    [redirectsMax, (n: number) => `/${n} /x\n`, "rules"],
    [redirectPatternsMax, (n: number) => `/${n}/* /x\n`, "with * or :placeholders"],
  ])("beyond %d rules", (max, line, said) => {
    const lines = Array.from({ length: max }, (_, n) => line(n)).join("");
    expect(errorOf({ redirects: lines })).toBeUndefined();
    const error = errorOf({ redirects: lines + line(max) });
    expect(error).toStartWith(`_redirects, line ${max + 1}: There are more than ${max} rules`);
    expect(error).toContain(said);
  });
});

describe("_headers", () => {
  const ours = { "x-frame": "ours", "cache-control": "no-cache" };
  const applied = (headers: string, path: string) => {
    const parsed = parseRules({ headers });
    expect(parsed.errors).toEqual([]);
    return withRuleHeaders(parsed.rules, path, ours);
  };

  test("add to ours, replace them, join one another, and remove", () => {
    const headers = `# All
/*
  X-One: 1
  X-FRAME: theirs
/docs/*
  X-One: 2
  ! Cache-Control
/docs/:page
	X-Page: yes: very
/docs/plain
! X-One
!X-Frame`;
    expect(applied(headers, "")).toEqual({ ...ours, "x-one": "1", "x-frame": "theirs" });
    expect(applied(headers, "docs/a/b")).toEqual({ "x-one": "1, 2", "x-frame": "theirs" });
    expect(applied(headers, "docs/a")).toMatchObject({ "x-page": "yes: very" });
    expect(applied(headers, "docs/plain")).toEqual({ "x-page": "yes: very" });
  });

  test("are set anew after they were removed", () => {
    expect(applied("/*\n  A: 1\n/x\n  ! A\n/x\n  A: 2", "x")).toEqual({ ...ours, a: "2" });
  });

  test("a splat may stand before the end of a name", () => {
    expect(applied("/*.jpg\n  A: 1", "img/a.jpg")).toEqual({ ...ours, a: "1" });
    expect(applied("/*.jpg\n  A: 1", "img/a.jpg.html")).toEqual(ours);
  });

  test.each([
    ["X-A: 1", "There is no path above this header."],
    ["https://a.example/*\n  X-A: 1", "is not a path of this site"],
    ["/a b\n  X-A: 1", "A path has a line of its own."],
    ["/*\n  X-A", '"X-A" is not a header.'],
    ["/*\n  X A: 1", '"X A: 1" is not a header.'],
    ["/*\n  __proto__: 1", "is not a header."],
    ["/*\n  X-A:", "The value of X-A must be printable ASCII and not empty."],
    ["/*\n  X-A: ü", "The value of X-A must be printable ASCII"],
    ["/*\n  Location: /x", "Write a rule in _redirects instead."],
    ["/*\n  Basic-Auth: a:b", "Pages are public"],
    [`/*\n  X-A: ${"a".repeat(headerLengthMax)}`, `more than ${headerLengthMax} characters`],
  ])("%j is refused: %s", (headers, said) => {
    const error = errorOf({ headers });
    expect(error).toMatch(/^_headers, line [12]: /);
    expect(error).toContain(said);
    // A path that is wrong hides nothing that is wrong below it, and adds nothing.
    expect(parseRules({ headers }).errors).toHaveLength(1);
  });

  test.each([
    ...[
      "Set-Cookie",
      "Clear-Site-Data",
      "Strict-Transport-Security",
      "Date",
      "Content-Length",
      "Transfer-Encoding",
    ],
    ...["Connection", "Keep-Alive", "Upgrade", "TE", "Trailer", "Proxy-Authenticate", "Alt-Svc"],
    ...["Content-Encoding", "Content-Range", "Accept-Ranges", "ETag", "Vary", "Age", "Server"],
    ...["X-Accel-Redirect", "X-Sendfile", "x-accel-buffering", "X-LIGHTTPD-Send-File"],
  ])("cannot set or remove %s", (name) => {
    for (const line of [`${name}: x`, `! ${name}`]) {
      expect(errorOf({ headers: `/*\n  ${line}` })).toBe(
        `_headers, line 2: A site cannot change ${name}. Remove this line.`,
      );
    }
  });

  test("have no more paths than they may", () => {
    const paths = Array.from({ length: headerRulesMax }, (_, n) => `/${n}\n  A: 1\n`).join("");
    expect(errorOf({ headers: paths })).toBeUndefined();
    expect(errorOf({ headers: `${paths}/x` })).toContain(`more than ${headerRulesMax} paths`);
  });
});

test("whatever is in the files, it is rules or an error", () => {
  const word = fc.constantFrom(
    ...["/", "/a", "/*", "/:a", ":splat", "https://x.example", "301", "200!", "#", "!", "A: b"],
    ...["\n", " ", "\t", "%", "\\", "(", "[", "*", "é", "\u2028"],
  );
  const text = fc.array(fc.oneof(word, fc.string({ maxLength: 5 }))).map((words) => words.join(""));
  fc.assert(
    fc.property(text, fc.string(), (both, path) => {
      const { rules } = parseRules({ redirects: both, headers: both });
      const match = findRedirect(rules, { path, folder: true }, "any");
      if (match !== undefined) expect(destinationOf(match, "?q")).toMatch(/^(?:\/(?!\/)|https?:)/);
      withRuleHeaders(rules, path, {});
    }),
    { numRuns: 5_000 },
  );
});
