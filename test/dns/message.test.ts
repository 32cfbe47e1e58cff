import { describe, expect, test } from "bun:test";
import { type Answer, AUTHORITATIVE_ANSWER, encode, RECURSION_DESIRED } from "dns-packet";
import { readMessage, writeQuestion } from "../../src/hosting/dns/message.ts";
import fc from "../../testkit/fastCheck.ts";
import {
  authoritativeFlag,
  bytes,
  label,
  message,
  name,
  questionName,
  responseFlag,
  truncatedFlag,
  typeNumber,
  uint16,
  uint32,
} from "./wire.ts";

const readValue = (type: number, data: Uint8Array) =>
  readMessage(message({ answers: [{ type, data }] }))?.answers[0]?.value;

describe("a name", () => {
  const cnameTo = (data: Uint8Array) => readValue(typeNumber.CNAME, data);

  test("is told in lower case without a final dot", () => {
    expect(cnameTo(name("Docs", "PETSTORE", "example"))).toBe("docs.petstore.example");
  });

  test("with a dot inside a label is not the name with two labels", () => {
    expect(cnameTo(name("docs.petstore", "example"))).toBe("docs\\.petstore.example");
  });

  test("with a Kelvin sign is not the name with a k", () => {
    expect(cnameTo(name("\u212Aey", "example"))).toBe("\\226\\132\\170ey.example");
  });

  test("with odd bytes has each of them escaped", () => {
    expect(cnameTo(name(bytes(0, 0x20, 0x5c, 0x7f, 0xff)))).toBe("\\000\\032\\\\\\127\\255");
  });

  test("may end in a pointer to an earlier one", () => {
    expect(cnameTo(bytes(1, "w", questionName))).toBe("w.shop.example");
  });

  test("of no label is the root", () => {
    expect(cnameTo(name())).toBe(".");
  });

  const tooLong = name(..."abcd".split("").map((letter) => letter.repeat(63)));
  const bad: [what: string, data: Uint8Array][] = [
    ["points at itself", uint16(0xc000 + 12 + 14 + 4 + 12)],
    ["points past the end", uint16(0xffff)],
    ["is longer than 255 bytes", tooLong],
    ["has a label of an unknown kind", bytes(0x40, "a".repeat(0x40), 0)],
    ["ends in the middle of a label", bytes(5, "ab")],
    ["ends before its record does", bytes(name("a"), 1)],
    ["is empty", bytes()],
  ];
  for (const [what, data] of bad) {
    test(`that ${what} makes the message unreadable`, () => {
      expect(readMessage(message({ answers: [{ type: typeNumber.CNAME, data }] }))).toBeUndefined();
    });
  }

  test("that points forward makes the message unreadable, even where a name is there", () => {
    const secondRecord = 12 + 14 + 4 + 12 + 2;
    const address = { owner: name("later"), type: typeNumber.A, data: bytes(1, 2, 3, 4) };
    const cnameTo = (at: number) =>
      message({ answers: [{ type: typeNumber.CNAME, data: uint16(0xc000 + at) }, address] });
    expect(cnameTo(secondRecord).subarray(secondRecord, secondRecord + 6)).toEqual(label("later"));
    expect(readMessage(cnameTo(12))?.answers[0]?.value).toBe("shop.example");
    expect(readMessage(cnameTo(secondRecord))).toBeUndefined();
  });

  test("of exactly 255 bytes is read", () => {
    const longest = name(...["a", "b", "c"].map((letter) => letter.repeat(63)), "d".repeat(61));
    expect(longest.byteLength).toBe(255);
    expect(cnameTo(longest)).toHaveLength(253);
  });

  test("behind thousands of pointers is refused without following them all", () => {
    const hops = 8000;
    const first = 12 + 14 + 4 + 12;
    const ladder = Array.from({ length: hops }, (_, step) =>
      step === 0 ? bytes(0, 0) : uint16(0xc000 + first + 2 * (step - 1)),
    );
    const owner = uint16(0xc000 + first + 2 * (hops - 1));
    const answers = [
      { type: 65_000, data: bytes(...ladder) },
      { owner, type: typeNumber.A, data: bytes(1, 2, 3, 4) },
    ];
    expect(readMessage(message({ answers }))).toBeUndefined();
  });
});

describe("a value", () => {
  test("of an A record is the dotted address", () => {
    expect(readValue(typeNumber.A, bytes(198, 51, 100, 7))).toBe("198.51.100.7");
  });

  test("of an AAAA record is the address in its short form", () => {
    const data = Buffer.from("20010db8000000000001000000000001", "hex");
    expect(readValue(typeNumber.AAAA, data)).toBe("2001:db8::1:0:0:1");
    expect(readValue(typeNumber.AAAA, Buffer.alloc(16))).toBe("::");
  });

  test("of a TXT record is its strings joined, even where they cut a character in two", () => {
    const [first = 0, second = 0] = Buffer.from("é");
    expect(readValue(typeNumber.TXT, bytes(3, "ab", first, 2, second, "c"))).toBe("abéc");
  });

  test("of a TXT record shows a replacement for what is no UTF-8", () => {
    expect(readValue(typeNumber.TXT, bytes(2, "a", 0xff))).toBe("a\uFFFD");
  });

  test("of a SOA record is the first name server", () => {
    const data = bytes(name("NS1", "example"), name("host"), uint32(1), Buffer.alloc(16));
    expect(readValue(typeNumber.SOA, data)).toBe("ns1.example");
  });

  const misfits: [what: string, type: number, data: Uint8Array][] = [
    ["an A record of three bytes", typeNumber.A, bytes(1, 2, 3)],
    ["an A record of five bytes", typeNumber.A, bytes(1, 2, 3, 4, 5)],
    ["an AAAA record of four bytes", typeNumber.AAAA, bytes(1, 2, 3, 4)],
    ["a TXT string longer than its record", typeNumber.TXT, bytes(9, "short")],
    ["a SOA record without numbers", typeNumber.SOA, bytes(name("a"), name("b"))],
    ["a CAA record without a tag", typeNumber.CAA, bytes(0, 0, "value")],
    ["a CAA tag longer than its record", typeNumber.CAA, bytes(0, 200, "issue")],
  ];
  for (const [what, type, data] of misfits) {
    test(`cannot be read from ${what}`, () => {
      // A second record follows, so that reading too far would find bytes to read.
      const answers = [
        { type, data },
        { type: typeNumber.A, data: bytes(1, 2, 3, 4) },
      ];
      expect(readMessage(message({ answers }))).toBeUndefined();
    });
  }
});

describe("a CAA record", () => {
  const caa = (data: Uint8Array) => {
    const record = readMessage(message({ answers: [{ type: typeNumber.CAA, data }] }))?.answers[0];
    return { ...record?.caa, value: record?.value };
  };

  test("with an unknown critical tag keeps tag and mark", () => {
    const data = bytes(0b1000_0000, 7, "Unknown", "some value");
    expect(caa(data)).toEqual({ critical: true, tag: "unknown", value: "some value" });
  });

  test("with other flags alone is not critical", () => {
    const data = bytes(0b0111_1111, 5, "issue", "ca.example; policy=ev");
    expect(caa(data)).toEqual({ critical: false, tag: "issue", value: "ca.example; policy=ev" });
  });

  test("may have an empty value", () => {
    expect(caa(bytes(0, 9, "issuewild"))).toEqual({
      critical: false,
      tag: "issuewild",
      value: "",
    });
  });
});

describe("a message", () => {
  test("whose record claims more bytes than there are is unreadable", () => {
    const answers = [{ type: 65_000, data: bytes(1), length: 2 }];
    expect(readMessage(message({ answers }))).toBeUndefined();
  });

  test("may have a thousand records, and not one more", () => {
    const record = { type: typeNumber.A, data: bytes(1, 2, 3, 4) };
    const many = (count: number) => message({ answers: Array(count).fill(record) });
    expect(readMessage(many(1000))?.answers).toHaveLength(1000);
    expect(readMessage(many(1001))).toBeUndefined();
  });

  test("that is a question itself is no answer", () => {
    expect(readMessage(message({ flags: authoritativeFlag }))).toBeUndefined();
  });

  test("that was cut is read as far as its question", () => {
    const cut = message({
      flags: responseFlag | truncatedFlag,
      answers: [{ type: typeNumber.A, data: bytes(1, 2, 3, 4) }],
    }).subarray(0, -3);
    expect(readMessage(cut)).toMatchObject({
      truncated: true,
      asked: { name: "shop.example", type: typeNumber.A },
      answers: [],
    });
  });

  test("keeps the upper bits of its code in EDNS, so that BADVERS is not success", () => {
    const opt = { owner: name(), type: typeNumber.OPT, recordClass: 1232, data: bytes() };
    const read = readMessage(message({ additionals: [{ ...opt, ttl: 0x0100_0000 }] }));
    expect(read?.rcode).toBe(16);
  });

  test("tells what an error is due to, whatever other options are there", () => {
    const option = (code: number, data: Uint8Array, length = data.byteLength) =>
      bytes(uint16(code), uint16(length), data);
    const errorsIn = (data: Uint8Array) =>
      readMessage(message({ additionals: [{ owner: name(), type: typeNumber.OPT, data }] }))
        ?.extendedErrors;
    expect(errorsIn(bytes())).toEqual([]);
    const cookie = option(10, bytes("12345678"));
    const expired = option(15, bytes(0, 7, "signature expired"));
    expect(errorsIn(bytes(cookie, expired, option(15, bytes(1, 0))))).toEqual([7, 256]);
    for (const broken of [bytes(15), option(15, bytes(7)), option(9, bytes(1), 900)]) {
      expect(errorsIn(bytes(expired, broken))).toEqual([7]);
    }
  });

  test("loses records of other classes and types, and no others", () => {
    const address = bytes(1, 2, 3, 4);
    const answers = [
      { type: typeNumber.A, recordClass: 3, data: address },
      { type: 46, data: bytes("whatever") },
      { type: typeNumber.A, data: address },
    ];
    expect(readMessage(message({ answers }))?.answers).toEqual([
      { name: "shop.example", type: "A", ttlSeconds: 60, value: "1.2.3.4" },
    ]);
  });

  test("with a TTL of which the highest bit is set is not to be kept", () => {
    const answers = [{ type: typeNumber.A, ttl: 0x8000_0001, data: bytes(1, 2, 3, 4) }];
    expect(readMessage(message({ answers }))?.answers[0]?.ttlSeconds).toBe(0);
  });
});

describe("any bytes at all", () => {
  test("are read or refused, and never thrown about", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (random) => {
        expect([undefined, 7]).toContain(readMessage(bytes(0, 7, random))?.id);
      }),
      { numRuns: 2000 },
    );
  });

  test("put into a good message are read or refused, too", () => {
    const good = message({
      answers: [
        { type: typeNumber.CNAME, data: bytes(1, "w", questionName) },
        { type: typeNumber.CAA, data: bytes(0, 5, "issue", "ca.example") },
        { type: typeNumber.TXT, data: bytes(3, "abc") },
      ],
      authorities: [
        { type: typeNumber.SOA, data: bytes(name("ns"), questionName, Buffer.alloc(20)) },
      ],
      additionals: [{ owner: name(), type: typeNumber.OPT, data: bytes() }],
    });
    const change = fc.tuple(fc.nat(good.byteLength - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
        const changed = Buffer.from(good);
        for (const [at, byte] of changes) changed[at] = byte;
        expect(["object", "undefined"]).toContain(typeof readMessage(changed));
      }),
      { numRuns: 5000 },
    );
  });

  test("that another implementation wrote mean here what they meant there", () => {
    const word = fc.stringMatching(/^[a-z0-9_-]{1,20}$/);
    const host = fc.array(word, { minLength: 1, maxLength: 5 }).map((labels) => labels.join("."));
    const address = fc.ipV4();
    const record: fc.Arbitrary<Answer> = fc.oneof(
      fc.record({ type: fc.constant("A" as const), name: host, ttl: fc.nat(), data: address }),
      fc.record({
        type: fc.constantFrom("CNAME" as const, "NS" as const),
        name: host,
        ttl: fc.nat(),
        data: host,
      }),
      fc.record({
        type: fc.constant("TXT" as const),
        name: host,
        ttl: fc.nat(),
        data: fc.string({ maxLength: 60, minLength: 1 }),
      }),
    );
    fc.assert(
      fc.property(fc.array(record, { maxLength: 8 }), (answers) => {
        const expected = answers.map((answer) => {
          const { name, type, ttl, data } = answer as { ttl: number; data: string } & Answer;
          return { name, type, ttlSeconds: ttl, value: data };
        });
        const written = encode({ type: "response", flags: AUTHORITATIVE_ANSWER, answers });
        const read = readMessage(written)?.answers;
        expect(read).toEqual(expected as never);
      }),
    );
  });
});

describe("a question", () => {
  const types = ["A", "NS", "CNAME", "SOA", "TXT", "AAAA", "CAA"] as const;
  const opt: Answer = {
    type: "OPT",
    name: ".",
    udpPayloadSize: 1232,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  };

  test.each(types)("of type %s has the bytes that dns-packet writes", (type) => {
    for (const name of ["docs.example.com", "xn--bcher-kva.example", `${"a".repeat(63)}.b`]) {
      for (const recursive of [true, false]) {
        for (const additionals of [[opt], []]) {
          const expected = encode({
            type: "query",
            id: 0xbeef,
            flags: recursive ? RECURSION_DESIRED : 0,
            questions: [{ name, type, class: "IN" }],
            additionals,
          });
          const written = writeQuestion({ name, type, recursive }, 0xbeef, additionals.length > 0);
          expect([...written]).toEqual([...expected]);
        }
      }
    }
  });
});
