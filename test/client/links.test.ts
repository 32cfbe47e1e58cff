import { describe, expect, test } from "bun:test";
import { linksOf, linkTo } from "../../src/client/links.ts";
import fc from "../../testkit/fastCheck.ts";

const base = "https://api.example/v1/pets?limit=2";
const next = (header: string | null) => linkTo("next", header, base);

describe("the next page in a Link header (RFC 8288)", () => {
  const cases: [what: string, header: string, target: string | undefined][] = [
    [
      "an absolute address",
      '<https://api.example/v1/pets?cursor=a>; rel="next"',
      "https://api.example/v1/pets?cursor=a",
    ],
    ["a relative path", '</v1/pets?cursor=a>; rel="next"', "https://api.example/v1/pets?cursor=a"],
    ["a query alone", '<?cursor=a>; rel="next"', "https://api.example/v1/pets?cursor=a"],
    ["a relation without quotes", "<?a>; rel=next", "https://api.example/v1/pets?a"],
    ["a relation in capitals", '<?a>; REL="Next"', "https://api.example/v1/pets?a"],
    ["one relation of several", '<?a>; rel="last next"', "https://api.example/v1/pets?a"],
    ["white space wherever it may be", '  <?a>\t;\trel = "next" ', "https://api.example/v1/pets?a"],
    [
      "commas and semicolons in the address",
      "<?a=1,2;3>; rel=next",
      "https://api.example/v1/pets?a=1,2;3",
    ],
    [
      "the second link of three",
      '<?p>; rel=prev, <?a>; rel="next", <?l>; rel=last',
      "https://api.example/v1/pets?a",
    ],
    [
      "a quoted comma before it",
      '<?p>; title="a, <?x>; rel=next"; rel=prev, <?a>; rel=next',
      "https://api.example/v1/pets?a",
    ],
    [
      "an escaped quote before it",
      '<?a>; title="\\"; rel=prev"; rel="ne\\xt"',
      "https://api.example/v1/pets?a",
    ],
    ["empty parameters and links", ",, <?a>;; rel=next;, ,", "https://api.example/v1/pets?a"],
    [
      "the first rel where there are two",
      "<?a>; rel=next; rel=prev",
      "https://api.example/v1/pets?a",
    ],
    ["no rel=next in the second of two", "<?a>; rel=prev; rel=next", undefined],
    ["a link about another document", '<?a>; rel=next; anchor="#other"', undefined],
    ["no relation", "<?a>", undefined],
    ["another relation", '<?a>; rel="nextish"', undefined],
    ["no address", "<https://>; rel=next", undefined],
    ["no link at all", "nonsense; rel=next", undefined],
    ["nothing", "", undefined],
  ];
  for (const [what, header, target] of cases) {
    test(`${what}: ${header}`, () => expect(next(header)).toBe(target));
  }

  test("is none without the header", () => expect(next(null)).toBeUndefined());

  test("nothing that a header can hold stops the reader", () => {
    const unit = fc.constantFrom("<", ">", ";", ",", '"', "\\", "=", " ", "rel", "next", "a");
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 60 }), (parts) => {
        for (const { target } of linksOf(parts.join(""))) expect(target).not.toContain(">");
      }),
      { numRuns: 2_000 },
    );
  });
});
