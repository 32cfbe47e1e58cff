import { describe, expect, test } from "bun:test";
import { Problem } from "../../src/core/problems.ts";
import { noRouting } from "../../src/hosting/domains/domains.ts";
import {
  parseRouting,
  type Redirect,
  type Routing,
  redirectStatuses,
  redirectsMax,
  routingErrors,
  withoutHost,
} from "../../src/hosting/domains/routing.ts";
import fc from "../../testkit/fastCheck.ts";

const [a, b, c, d] = ["a.example", "b.example", "c.example", "d.example"] as const;
const attached = new Set<string>([a, b, c, d]);
const to = (from: string, target: string, status: Redirect["status"] = 301): Redirect => ({
  from,
  to: target,
  status,
});
const routed = (primary: string | undefined, ...redirects: Redirect[]): Routing => ({
  primary,
  redirects,
});

describe("a routing", () => {
  const fine: Readonly<Record<string, Routing>> = {
    "of nothing": noRouting,
    "with a primary alone": routed(a),
    "with redirects to the primary": routed(a, to(b, a), to(c, a, 308)),
    "with redirects to another name than the primary": routed(a, to(b, c)),
    "with redirects and no primary": routed(undefined, to(b, a), to(c, d)),
  };
  for (const [what, routing] of Object.entries(fine)) {
    test(`${what} can be used`, () => expect(routingErrors(routing, attached)).toEqual([]));
  }

  const wrong: readonly [what: string, routing: Routing, complaints: readonly RegExp[]][] = [
    ["to itself", routed(undefined, to(a, a)), [/^a\.example would redirect to itself/]],
    [
      "in a circle of two",
      routed(undefined, to(a, b), to(b, a)),
      [/loop: a\.example to b\.example to a\.example/],
    ],
    [
      "in a circle of three",
      routed(undefined, to(a, b), to(b, c), to(c, a)),
      [/loop: a.* to b.* to c.* to a/],
    ],
    [
      "by way of another one",
      routed(c, to(a, b), to(b, c)),
      [/^a\.example would redirect to b\.example, which redirects to c\.example/],
    ],
    [
      "into a circle of others",
      routed(undefined, to(d, a), to(a, b), to(b, a)),
      [/^d\.example would redirect to a\.example, which/, /loop: a/],
    ],
    ["to a foreign name", routed(a, to(b, "evil.example")), [/^evil\.example is not attached/]],
    ["from a foreign name", routed(a, to("x.example", a)), [/^x\.example is not attached/]],
    ["twice from one name", routed(a, to(b, a), to(b, c)), [/^b\.example has more than one/]],
    [
      "from the primary",
      routed(a, to(a, b)),
      [/^a\.example redirects to b\.example, so it cannot be the primary/],
    ],
  ];
  for (const [what, routing, complaints] of wrong) {
    test(`that redirects ${what} is refused`, () => {
      const told = routingErrors(routing, attached);
      expect(told).toHaveLength(complaints.length);
      for (const complaint of complaints) {
        expect(told.filter((each) => complaint.test(each))).toHaveLength(1);
      }
    });
  }

  test("with a foreign primary is refused", () => {
    expect(routingErrors(routed("x.example"), attached)).toEqual([
      "x.example is not attached to this project. Add it first.",
    ]);
  });

  test("has at most 100 redirects", () => {
    const names = Array.from({ length: redirectsMax + 1 }, (_, index) => `n${index}.example`);
    const all = new Set([a, ...names]);
    const redirects = names.map((name) => to(name, a));
    expect(routingErrors(routed(a, ...redirects.slice(1)), all)).toEqual([]);
    expect(routingErrors(routed(a, ...redirects), all)).toEqual([
      "A project has at most 100 redirects; these are 101.",
    ]);
  });

  test("that is accepted ends after one step at an attached name that shows the site", () => {
    const names = [a, b, c, d, "x.example", "y.example"];
    const name = fc.constantFrom(...names);
    const redirect = fc.record({
      from: name,
      to: name,
      status: fc.constantFrom(...redirectStatuses),
    });
    const routings = fc.record({
      primary: fc.option(name, { nil: undefined }),
      redirects: fc.array(redirect, { maxLength: 4 }),
    });
    let accepted = 0;
    fc.assert(
      fc.property(routings, fc.subarray(names), (routing, mine) => {
        const here = new Set(mine);
        if (routingErrors(routing, here).length > 0) return;
        accepted += routing.redirects.length;
        const from = routing.redirects.map((each) => each.from);
        expect(new Set(from).size).toBe(from.length);
        for (const each of routing.redirects) {
          expect(here.has(each.from) && here.has(each.to)).toBe(true);
          expect(from).not.toContain(each.to);
        }
        if (routing.primary === undefined) return;
        expect(here.has(routing.primary)).toBe(true);
        expect(from).not.toContain(routing.primary);
      }),
      { numRuns: 3_000 },
    );
    expect(accepted).toBeGreaterThan(50);
  });

  test("without a name that goes away is still one that can be used", () => {
    const routing = routed(a, to(b, a), to(c, d));
    expect(withoutHost(routing, a)).toEqual(routed(undefined, to(c, d)));
    expect(withoutHost(routing, b)).toEqual(routed(a, to(c, d)));
    expect(withoutHost(routing, d)).toEqual(routed(a, to(b, a)));
    expect(withoutHost(routing, "x.example")).toEqual(routing);
  });
});

describe("a routing document", () => {
  test("is read with its names in one form, and 301 where no status stands", () => {
    const document = {
      primary: "A.example.",
      redirects: [
        { from: "B.EXAMPLE", to: "münchen.example" },
        { from: c, to: a, status: 308 },
      ],
    };
    expect(parseRouting(document)).toEqual(
      routed(a, to(b, "xn--mnchen-3ya.example"), to(c, a, 308)),
    );
  });

  for (const document of [{}, { primary: null }, { redirects: [] }, { primary: undefined }]) {
    test(`such as ${JSON.stringify(document)} is no routing at all`, () =>
      expect(parseRouting(document)).toEqual(noRouting));
  }

  for (const status of redirectStatuses) {
    test(`may redirect with ${status}`, () =>
      expect(parseRouting({ redirects: [{ from: b, to: a, status }] }).redirects).toEqual([
        to(b, a, status),
      ]));
  }

  function complaintsOf(document: unknown): string[] {
    try {
      parseRouting(document);
    } catch (cause) {
      if (cause instanceof Problem && cause.code === "routing_invalid") {
        return cause.message.split("\n");
      }
      throw cause;
    }
    return [];
  }

  const statusWrong = "redirects[0].status must be one of 301, 302, 307, 308.";
  const wrong: readonly (readonly [document: unknown, complaints: readonly (string | RegExp)[]])[] =
    [
      [null, ["The document must be an object."]],
      [[], ["The document must be an object."]],
      ["primary", ["The document must be an object."]],
      [undefined, ["The document must be an object."]],
      [{ redirects: {} }, ["redirects must be a list."]],
      [{ redirects: null }, ["redirects must be a list."]],
      [{ primary: 7 }, ["primary must be a host name."]],
      [{ primary: "" }, [/^primary must be a host name\. This is not a host name/]],
      [{ primary: "https://a.example/" }, [/^primary must be a host name\. Write the host name/]],
      [{ redirects: [7] }, ["redirects[0] must be an object.", /\.from must/, /\.to must/]],
      [{ redirects: [{}] }, [/^redirects\[0\]\.from must be/, /^redirects\[0\]\.to must be/]],
      ...[300, 303, 304, 200, "301", null, 301.5].map(
        (status) => [{ redirects: [{ from: b, to: a, status }] }, [statusWrong]] as const,
      ),
      [
        { Primary: a, redirects: [{ from: 1, to: "*.example", code: 301 }] },
        [
          "Primary is not known here.",
          "redirects[0].code is not known here.",
          "redirects[0].from must be a host name.",
          /^redirects\[0\]\.to must be a host name\. A wildcard/,
        ],
      ],
    ];
  for (const [document, complaints] of wrong) {
    test(`such as ${JSON.stringify(document)} is told everything that is wrong`, () => {
      expect(complaintsOf(document)).toEqual(
        complaints.map((each) =>
          typeof each === "string" ? each : expect.stringMatching(each),
        ) as string[],
      );
    });
  }
});
