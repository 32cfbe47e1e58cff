import { describe, expect, test } from "bun:test";
import { domainToUnicode } from "node:url";
import { proofFor, recordFor } from "../../src/hosting/domains/finding.ts";
import {
  likelyZone,
  parseHost,
  registrableOf,
  withParents,
} from "../../src/hosting/domains/hostName.ts";
import fc from "../../testkit/fastCheck.ts";

const host = "docs.example.com";
/** A soft hyphen, which is no part of the name. With 996 of them, `host` is as long as is read. */
const ignored = "\u00ad";
const reserved = ["sites.petstore.example", "api.petstore.example"];

function hostOf(text: string): string {
  const reading = parseHost(text, reserved);
  return reading.kind === "host" ? reading.host : `refused: ${reading.why}`;
}

function whyOf(text: string): string {
  const reading = parseHost(text, reserved);
  return reading.kind === "refused" ? reading.why : `attached as ${reading.host}`;
}

describe("a name is brought to one form", () => {
  const forms: Readonly<Record<string, readonly string[]>> = {
    "docs.example.com": [
      "docs.example.com",
      "Docs.EXAMPLE.com",
      "docs.example.com.",
      "  docs.example.com\n",
      "ｄｏｃｓ.example.com",
      "docs。example。com",
      "docs｡example．com",
      "docs.example.com。",
      "docs.example.com．",
    ],
    "xn--mnchen-3ya.example": [
      "münchen.example",
      "MÜNCHEN.example",
      "mu\u0308nchen.example",
      "xn--mnchen-3ya.example",
      "XN--MNCHEN-3YA.example.",
    ],
    "xn--e1afmkfd.xn--p1ai": ["пример.рф", "ПРИМЕР.РФ"],
  };
  for (const [host, texts] of Object.entries(forms)) {
    for (const text of texts) {
      test(`${JSON.stringify(text)} is ${host}`, () => expect(hostOf(text)).toBe(host));
    }
  }

  test("and taken apart where it was registered", () => {
    for (const [text, registrable] of [
      ["docs.example.co.uk", "example.co.uk"],
      ["example.co.uk", "example.co.uk"],
      ["a.b.example.com", "example.com"],
      ["docs.someone.github.io", "someone.github.io"],
      ["hilfe.münchen.de", "xn--mnchen-3ya.de"],
    ] as const) {
      expect(registrableOf(hostOf(text))).toBe(registrable);
    }
  });
});

describe("a name that cannot be attached is refused with a reason that fits", () => {
  const reasons: readonly [reason: RegExp, texts: readonly string[]][] = [
    [
      /IP address/,
      ["192.0.2.1", "192.0.2.1.", "0x7f.1", "0177.0.0.1", "2130706433", "1.2.3", "１.１.１.１"],
    ],
    [/IP address/, ["::1", "[::1]", "2001:db8::1", "[2001:DB8::1]", "::ffff:192.0.2.1"]],
    [/wildcard/, ["*.example.com", "docs.*.com", "*"]],
    [
      /belongs to the platform/,
      [
        "sites.petstore.example",
        "SITES.petstore.example.",
        "shop.sites.petstore.example",
        "api.petstore.example",
        "petstore.example",
        "Petstore.Example.",
      ],
    ],
    [/public suffix/, ["co.uk", "github.io", "CO.UK.", "s3.amazonaws.com"]],
    [
      /no https:\/\/, path or port/,
      [
        "https://docs.example.com",
        "docs.example.com/start",
        "docs.example.com:443",
        "someone@example.com",
        "docs.example.com?x",
        "docs.example.com#x",
        "docs example.com",
        "1:[2::3]",
        "[1::]2",
      ],
    ],
    [
      /not public/,
      ["a.localhost", "a.local", "a.onion", "a.internal", "a.invalid", "a.alt", "home.arpa"],
    ],
    [/end in \.local are not public/, ["printer.office.local"]],
    [
      /not a host name/,
      [
        "",
        ".",
        "com",
        "localhost",
        "my_docs.example.com",
        "_acme-challenge.example.com",
        "docs..example.com",
        ".example.com",
        "example.com..",
        "-docs.example.com",
        "docs-.example.com",
        "example.123",
        "xn--.com",
        "do%63s.example.com",
        "docs\\.example.com",
        "docs\u202e.example.com",
        `${"a".repeat(64)}.com`,
        `${`${"a".repeat(62)}.`.repeat(4)}example.com`,
        `${"a.".repeat(11)}example.com`,
        `${`${"a".repeat(63)}.`.repeat(3)}${"a".repeat(58)}.com`,
        ignored.repeat(997) + host,
      ],
    ],
  ];
  for (const [reason, texts] of reasons) {
    for (const text of texts) {
      const shown = text.length > 40 ? `${text.slice(0, 37)}…` : text;
      test(`${JSON.stringify(shown)}: ${reason.source}`, () => expect(whyOf(text)).toMatch(reason));
    }
  }

  test("while one that only resembles a refused one is taken", () => {
    for (const text of [
      "mysites.petstore.example",
      "store.example",
      "someone.github.io",
      "local.example.com",
      "docs.local.example.com",
      `${`${"a".repeat(63)}.`.repeat(3)}${"a".repeat(57)}.com`,
      "123.example.com",
      `${"a".repeat(63)}.com`,
      `${"a234567890.".repeat(9)}long.example.com`,
    ]) {
      expect(hostOf(text)).toBe(text);
    }
    expect(hostOf(ignored.repeat(996) + host)).toBe(host);
  });
});

describe("whatever is typed", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.domain(),
    fc.webUrl(),
    fc.ipV4Extended(),
    fc.ipV6(),
    fc
      .array(fc.string({ unit: "grapheme", maxLength: 12 }), { maxLength: 6 })
      .map((labels) => labels.join(".")),
  );

  test("nothing is thrown, and what is taken stays as it is when it is read again", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const reading = parseHost(text, reserved);
        if (reading.kind === "refused") return expect(reading.why).not.toBe("");
        const { host } = reading;
        expect(host).toMatch(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/);
        expect(parseHost(host, reserved)).toEqual(reading);
        expect(parseHost(domainToUnicode(host), reserved)).toEqual(reading);
        expect(`.${host}`).toEndWith(`.${registrableOf(host)}`);
      }),
      { numRuns: 500 },
    );
  });
});

describe("the parts of a name", () => {
  test("the likely zone is what was registered, also below a private suffix", () => {
    for (const [name, zone] of [
      ["www.example.com", "example.com"],
      ["example.co.uk", "example.co.uk"],
      ["docs.acme.uk.com", "acme.uk.com"],
      ["acme.uk.com", "acme.uk.com"],
    ] as const) {
      expect(likelyZone(name)).toBe(zone);
    }
    expect(registrableOf("co.uk")).toBeUndefined();
  });

  test("the climb goes from the name to the top", () => {
    expect(withParents("a.example.co.uk")).toEqual([
      "a.example.co.uk",
      "example.co.uk",
      "co.uk",
      "uk",
    ]);
  });
});

describe("the records that an owner is asked to create", () => {
  const target = "sites.petstore.example";

  test("a subdomain gets a CNAME to exactly the target, with a TTL of 3600", () => {
    expect(recordFor("docs.example.co.uk", target)).toEqual({
      type: "CNAME",
      name: "docs",
      fullName: "docs.example.co.uk",
      value: target,
      ttlSeconds: 3600,
    });
    expect(recordFor("a.b.example.com", target).name).toBe("a.b");
  });

  test("an apex gets an ALIAS at @, with what to do where there is none", () => {
    const record = recordFor("example.co.uk", target);
    expect(record).toMatchObject({ type: "ALIAS", name: "@", fullName: "example.co.uk" });
    expect(record).toMatchObject({ value: target, ttlSeconds: 3600 });
    expect(record.note).toMatch(/ANAME.*subdomain/);
  });

  for (const [name, zone, record, proof] of [
    ["acme.uk.com", undefined, "ALIAS @", "_petstore-proof"],
    ["acme.uk.com", "acme.uk.com", "ALIAS @", "_petstore-proof"],
    ["acme.uk.com", "uk.com", "CNAME acme", "_petstore-proof.acme"],
    ["docs.acme.uk.com", "acme.uk.com", "CNAME docs", "_petstore-proof.docs"],
    ["dev.example.com", "dev.example.com", "ALIAS @", "_petstore-proof"],
    ["docs.dev.example.com", "dev.example.com", "CNAME docs", "_petstore-proof.docs"],
    ["docs.dev.example.com", "example.com", "CNAME docs.dev", "_petstore-proof.docs.dev"],
  ] as const) {
    test(`for ${name} in the zone ${zone ?? "that is likely"}: ${record}`, () => {
      const { type, name: label, fullName } = recordFor(name, target, zone);
      expect([`${type} ${label}`, fullName]).toEqual([record, name]);
      expect(proofFor(name, "t0k", zone).name).toBe(proof);
    });
  }

  test("a proof is a TXT record beside the name, by the name that providers ask for", () => {
    expect(proofFor("docs.example.com", "t0k")).toMatchObject({
      type: "TXT",
      name: "_petstore-proof.docs",
      fullName: "_petstore-proof.docs.example.com",
      value: "petstore-proof=t0k",
    });
    expect(proofFor("example.com", "t0k").name).toBe("_petstore-proof");
  });
});

test("a text of tens of thousands of marks is refused without being read", () => {
  // Its normal form alone would take seconds.
  const reading = parseHost(`a${"\u0316\u0301".repeat(30_000)}.example.com`);
  expect(reading.kind).toBe("refused");
});
