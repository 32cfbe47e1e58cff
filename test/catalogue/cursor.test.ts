import { describe, expect, test } from "bun:test";
import { int64Max, int64Min } from "../../src/contract/int64.ts";
import { Problem } from "../../src/core/problems.ts";
import { openCursor, petQuestion, sealCursor } from "../../src/petstore/catalogue/cursor.ts";
import fc from "../../testkit/fastCheck.ts";

const int64 = fc.bigInt({ min: int64Min, max: int64Max });
const filters = fc.record({
  status: fc.option(fc.constantFrom("available", "pending", "sold"), { nil: undefined }),
  ids: fc.option(fc.array(int64, { maxLength: 5 }), { nil: undefined }),
});
const secret = fc.string({ minLength: 1 });

function refusedWith(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (thrown) {
    return thrown instanceof Problem ? thrown.code : `${thrown}`;
  }
}

const same = (ids: readonly bigint[] | undefined) =>
  ids === undefined ? "*" : [...new Set(ids)].map(String).sort().join();

describe("a cursor", () => {
  test("opens to the id it was made of, for the same filter and secret", () => {
    fc.assert(
      fc.property(secret, filters, int64, (key, filter, id) => {
        expect(openCursor(key, petQuestion(filter), sealCursor(key, petQuestion(filter), id))).toBe(
          id,
        );
      }),
    );
  });

  test("is refused for every other filter", () => {
    fc.assert(
      fc.property(secret, filters, filters, int64, (key, made, asked, id) => {
        fc.pre(made.status !== asked.status || same(made.ids) !== same(asked.ids));
        expect(
          refusedWith(() =>
            openCursor(key, petQuestion(asked), sealCursor(key, petQuestion(made), id)),
          ),
        ).toBe("cursor_invalid");
      }),
    );
  });

  test("is refused under another secret", () => {
    fc.assert(
      fc.property(secret, secret, filters, int64, (one, other, filter, id) => {
        fc.pre(one !== other);
        expect(
          refusedWith(() =>
            openCursor(other, petQuestion(filter), sealCursor(one, petQuestion(filter), id)),
          ),
        ).toBe("cursor_invalid");
      }),
    );
  });

  test("of an earlier version is accepted", () => {
    const filter = { status: "sold", ids: [2n, 10n, 1n, 2n], categoryIds: [3n, -3n] } as const;
    const whole = petQuestion({ ...filter, words: ["rex", "bella"] });
    expect(whole).toBe("pets sold 1,2,10 categories -3,3 words bella,rex");
    expect([petQuestion({}), petQuestion({ ids: [] })]).toEqual(["pets * *", "pets * "]);
    expect(openCursor("secret", "pets * *", "AAAAAAAAACr_tSua0DbL1bjf4lg")).toBe(42n);
  });

  test("is refused when it is too short or too long", () => {
    const cursor = sealCursor("secret", "pets * *", 42n);
    for (const text of ["", cursor.slice(0, 26), cursor.slice(0, 24), `${cursor}A`, ` ${cursor}`]) {
      expect(refusedWith(() => openCursor("secret", "pets * *", text))).toBe("cursor_invalid");
    }
  });

  test("is refused when any one character of it is changed", () => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    fc.assert(
      fc.property(
        filters,
        int64,
        fc.nat(26),
        fc.constantFrom(...alphabet),
        (filter, id, place, character) => {
          const cursor = sealCursor("secret", petQuestion(filter), id);
          fc.pre(cursor[place] !== character);
          const changed = cursor.slice(0, place) + character + cursor.slice(place + 1);
          expect(refusedWith(() => openCursor("secret", petQuestion(filter), changed))).toBe(
            "cursor_invalid",
          );
        },
      ),
    );
  });

  test("no text makes it fail in another way than being refused", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(refusedWith(() => openCursor("secret", "anything", text))).toBe("cursor_invalid");
      }),
    );
  });

  test("needs no escaping in an address", () => {
    fc.assert(
      fc.property(filters, int64, (filter, id) => {
        expect(sealCursor("secret", petQuestion(filter), id)).toMatch(/^[A-Za-z0-9_-]{27}$/);
      }),
    );
  });
});
