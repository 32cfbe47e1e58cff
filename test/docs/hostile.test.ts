/** Content that would like to be more than content. */
import { describe, expect, test } from "bun:test";
import type { ApiDocument } from "../../src/contract/document.ts";
import { createAddresses, pictureFrom } from "../../src/docs/addresses.ts";
import { html } from "../../src/docs/html.ts";
import { renderMarkdown } from "../../src/docs/markdown.ts";
import { build, document, elementsOf, pagesOf, textOf } from "./built.ts";

const attack = `<script>alert(1)</script><img src=x onerror=alert(1)> "' & </textarea></code>`;

function poisoned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(poisoned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      ["description", "summary", "title", "example"].includes(name) && typeof inner === "string"
        ? `${inner} ${attack}`
        : poisoned(inner),
    ]),
  );
}

describe("a hostile contract", () => {
  test("adds no element and no attribute to any page", async () => {
    const shape = (page: string) =>
      elementsOf(page)
        .filter(({ tag }) => /^(?:script|img|iframe|object|style|svg|form|a|textarea)$/.test(tag))
        .map(({ tag, attributes }) => `${tag} ${[...attributes.keys()].join(" ")}`);
    const [usual, hostile] = [
      await build(),
      await build({ document: poisoned(document) as ApiDocument }),
    ];
    for (const path of pagesOf(usual)) {
      expect([path, shape(textOf(hostile, path))]).toEqual([path, shape(textOf(usual, path))]);
    }
    expect(textOf(hostile, "reference/listPets/index.html")).toContain("&lt;script&gt;alert(1)");
  });

  test("in its paths and examples stays text in samples and forms", async () => {
    const hostile = structuredClone(document) as {
      paths: Record<string, { post?: { requestBody: { content: Record<string, object> } } }>;
    };
    const post = hostile.paths["/pets"]?.post;
    if (post === undefined) throw new Error("The contract lacks POST /pets.");
    post.requestBody.content["application/json"] = {
      schema: { type: "object" },
      examples: { it: { value: { name: `it's ${attack}` } } },
    };
    const files = await build({ document: hostile as unknown as ApiDocument });
    const page = textOf(files, "reference/createPet/index.html");
    expect(page).not.toContain("<img src=x");
    expect(textOf(files, "reference/createPet.md")).toContain(String.raw`it'\''s <script>`);
  });

  test("with a link that is a script ends the build", async () => {
    const hostile = structuredClone(document) as ApiDocument & { info: { description: string } };
    hostile.info.description = "[click](javascript:alert(1))";
    expect(build({ document: hostile })).rejects.toThrow("no page of the site");
  });
});

describe("Markdown", () => {
  const rendered = (text: string) => renderMarkdown(text, { link: (href) => href }).body.text;

  test("shows raw HTML as text", () => {
    expect(rendered("a <b onclick=x>b</b>")).toBe("<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>\n");
    expect(rendered("<script>x</script>")).not.toContain("<script>");
    // marked leaves text between such tags as it is.
    expect(rendered('a <code>1 <2 "3"</code>')).toBe(
      "<p>a &lt;code&gt;1 &lt;2 &quot;3&quot;&lt;/code&gt;</p>\n",
    );
  });

  test("keeps its entities, and nothing that only looks like one", () => {
    expect(rendered("a &amp; b&nbsp;c & d &lt;i&gt;")).toBe(
      "<p>a &amp; b&nbsp;c &amp; d &lt;i&gt;</p>\n",
    );
  });

  test("gives headings the anchors that GitHub gives them, and repeated ones a number", () => {
    const { headings } = renderMarkdown("# T\n\n## 1. A `code` & b!\n\n## Same\n\n## Same", {
      link: (href) => href,
    });
    expect(headings.map(({ anchor }) => anchor)).toEqual(["t", "1-a-code--b", "same", "same-1"]);
  });

  test("of a kind that the pages do not have ends the build", () => {
    expect(() => rendered("![a picture](x.png)")).toThrow('the kind "image"');
    expect(() => rendered("- [ ] a task")).toThrow('the kind "checkbox"');
  });

  test("shows pictures of the site alone, each with a text", () => {
    const addresses = createAddresses("/docs/");
    const picture = pictureFrom("docs/guide/a.md", new Set(["guide/chart.svg"]), addresses);
    const shown = (text: string) =>
      renderMarkdown(text, { link: (href) => href, picture }).body.text;
    expect(shown('![A "chart"](chart.svg)')).toBe(
      '<p><img src="/docs/guide/chart.svg" alt="A &quot;chart&quot;" loading="lazy"></p>\n',
    );
    expect(() => shown("![](chart.svg)")).toThrow("needs a text");
    for (const other of ["other.svg", "../chart.svg", "//example.com/docs/guide/chart.svg"]) {
      expect(() => shown(`![A chart](${other})`)).toThrow("no such picture");
    }
  });
});

describe("a template", () => {
  test("escapes what it is given, in elements and in attributes", () => {
    expect(html`<a title="${attack}">${attack}</a>`.text).not.toMatch(
      /<(?!\/?a\b)|onerror=alert\(1\)>/,
    );
    expect(html`${['"', "'", "&"]}`.text).toBe("&quot;&#39;&amp;");
  });

  test("leaves out what is not there", () => {
    expect(html`<p${false}>${undefined}${0}</p>`.text).toBe("<p>0</p>");
  });
});
