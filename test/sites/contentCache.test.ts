import { describe, expect, test } from "bun:test";
import { cachedContents } from "../../src/hosting/edge/siteResponse.ts";
import type { SiteContents } from "../../src/hosting/sites/sites.ts";

/** A store of contents that are as long as their hash says, and how often each was asked for. */
function countingStore(later: boolean) {
  const asked: string[] = [];
  const content: SiteContents["content"] = (hash, encoding) => {
    asked.push(`${hash} ${encoding}`);
    const found = hash === "none" ? undefined : new Uint8Array(Number(hash));
    return later ? Promise.resolve(found) : found;
  };
  const store = { content, file: () => undefined } as unknown as SiteContents;
  return { store, asked };
}

describe.each([false, true])("recent contents, from a store that answers later: %p", (later) => {
  test("are asked for once in each form", async () => {
    const { store, asked } = countingStore(later);
    const { content } = cachedContents(store, 100);
    for (let round = 0; round < 3; round++) {
      expect((await content("10", "identity"))?.byteLength).toBe(10);
      expect((await content("10", "br"))?.byteLength).toBe(10);
    }
    expect(asked).toEqual(["10 identity", "10 br"]);
  });

  test("make room by leaving the one that was not asked for longest", async () => {
    const { store, asked } = countingStore(later);
    const { content } = cachedContents(store, 100);
    for (const hash of ["40", "41", "40", "42"]) await content(hash, "identity");
    asked.length = 0;
    await content("40", "identity");
    await content("42", "identity");
    expect(asked).toEqual([]);
    await content("41", "identity");
    expect(asked).toEqual(["41 identity"]);
  });

  test("never take more bytes than they may, and what is too large is not kept", async () => {
    const { store, asked } = countingStore(later);
    const { content } = cachedContents(store, 100);
    await content("40", "identity");
    await content("51", "identity");
    await content("51", "identity");
    await content("40", "identity");
    expect(asked).toEqual(["40 identity", "51 identity", "51 identity"]);
    await content("49", "identity");
    await content("50", "identity");
    asked.length = 0;
    await content("40", "identity");
    expect(asked).toEqual(["40 identity"]);
  });

  test("what is not there is asked for each time", async () => {
    const { store, asked } = countingStore(later);
    const { content } = cachedContents(store, 100);
    expect(await content("none", "br")).toBeUndefined();
    expect(await content("none", "br")).toBeUndefined();
    expect(asked).toHaveLength(2);
  });
});
