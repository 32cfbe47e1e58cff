import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reasonOf, unpackedAt } from "./packedChromium.ts";

const folder = mkdtempSync(join(tmpdir(), "petstore-unpacked-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("those who unpack at once all find one whole copy, and nothing beside it", async () => {
  const place = join(folder, "together/browser");
  const { promise: allAreHere, resolve } = Promise.withResolvers<void>();
  let here = 0;
  const unpack = async (draft: string) => {
    writeFileSync(join(draft, "first"), "1");
    if (++here === 3) resolve();
    await allAreHere;
    expect(existsSync(join(place, "second")) || !existsSync(place)).toBe(true);
    writeFileSync(join(draft, "second"), "2");
  };
  await Promise.all([1, 2, 3].map(() => unpackedAt(place, unpack)));
  expect(readdirSync(join(folder, "together"))).toEqual(["browser"]);
  expect(readFileSync(join(place, "second"), "utf8")).toBe("2");
  await unpackedAt(place, () => Promise.reject(new Error("unpacked again")));
});

test("what cannot be unpacked leaves nothing behind", async () => {
  const place = join(folder, "failing/browser");
  const full = new Error("No space left on device");
  await expect(unpackedAt(place, () => Promise.reject(full))).rejects.toBe(full);
  await unpackedAt(place, async () => {});
  expect(readdirSync(join(folder, "failing"))).toEqual(["browser"]);
});

test("a browser that does not start is skipped with what it said", () => {
  const message = `browserType.launch: Target page, context or browser has been closed
Browser logs:
<launching> /x/chromium --headless
[pid=7][err] /x/chromium: error while loading shared libraries: libnspr4.so: cannot open shared object file`;
  expect(reasonOf(new Error(message))).toBe(
    "chromium: error while loading shared libraries: libnspr4.so: cannot open shared object file",
  );
  expect(reasonOf(new Error("spawn ENOENT\nCall log"))).toBe("spawn ENOENT");
});
