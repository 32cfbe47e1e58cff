import { afterEach, expect, test } from "bun:test";
import { upload } from "../../src/dashboard/browser/projects/upload.ts";
import { rejectionOf } from "../store/rejection.ts";

const { fetch } = globalThis;
afterEach(() => {
  globalThis.fetch = fetch;
});

test("a deployment that is stopped while it begins is not published, though all of it is there", async () => {
  const stopping = new AbortController();
  const asked: string[] = [];
  globalThis.fetch = (async (path: string, { method }: RequestInit) => {
    asked.push(`${method} ${path}`);
    stopping.abort();
    return Response.json({ id: "dep_1", missing: [] });
  }) as unknown as typeof fetch;
  const files = [{ path: "index.html", file: new File(["<p>"], "index.html") }];
  const terms = { signal: stopping.signal, onProgress: () => {} };
  const cause = await rejectionOf(upload("shop", files, terms));
  expect(cause).toMatchObject({ name: "AbortError" });
  const place = "/internal/v1/projects/shop/deployments";
  expect(asked).toEqual([`POST ${place}`, `DELETE ${place}/dep_1`]);
});
