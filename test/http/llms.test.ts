import { expect, test } from "bun:test";
import { allOperations } from "../../src/contract/operations.ts";
import { startTestService } from "../end-to-end/service.ts";

test("/llms.txt is enough for a correct call of every operation", async () => {
  const running = await startTestService();
  try {
    const response = await fetch(`${running.origin}/llms.txt`);
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const text = await response.text();
    const [, base = ""] = /^Base URL: (\S+)$/m.exec(text) ?? [];
    const [, header = "", scheme = ""] = /header `(\w+): (\w+) <API_KEY>`/.exec(text) ?? [];
    expect([base, header, scheme]).toEqual([running.base, "Authorization", "Bearer"]);

    const calls = text
      .split(/^## (?=[A-Z]+ \/)/m)
      .slice(1)
      .map((call) => ({ call, method: call.split(" ")[0] ?? "", path: call.split(/\s/)[1] ?? "" }));
    expect(calls).toHaveLength(allOperations.length);
    // The examples speak of pet 1 and order 1, which earlier calls make, so deletions come last.
    const inOrder = calls.toSorted((a, b) => Number(/^D/.test(a.call)) - Number(/^D/.test(b.call)));
    for (const { call, method, path } of inOrder) {
      const examples = [...call.matchAll(/`(\w+)` \(path, required\): such as (\S+)/g)];
      const filled = examples.reduce(
        (now, [, name, value]) => now.replace(`{${name}}`, `${value}`),
        path,
      );
      const body = /```json\n(.+)\n```/.exec(call)?.[1];
      const seen = await fetch(base + filled, {
        method,
        headers: { [header]: `${scheme} ${running.token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body }),
      });
      const [, success = ""] = /Success: ([\d, ]+)\./.exec(call) ?? [];
      // An event that the order is past is refused for what it is about, not for how it was sent.
      const fine = [...success.split(", "), ...(path.includes("{") ? ["409"] : [])];
      expect([call, await seen.text(), fine]).toEqual([
        call,
        expect.anything(),
        expect.arrayContaining([String(seen.status)]),
      ]);
    }
    expect(text).toContain(`${running.origin}/docs/llms.txt`);
    expect((await fetch(`${running.origin}/docs/llms.txt`)).status).toBe(200);
  } finally {
    await running.stop();
  }
});

test("/llms.txt names the configured base URL", async () => {
  const variables = { PETSTORE_BASE_URL: "https://api.example.com/v1" };
  const running = await startTestService({ variables });
  try {
    const text = await (await fetch(`${running.origin}/llms.txt`)).text();
    expect(text).toContain("\nBase URL: https://api.example.com/v1\n");
  } finally {
    await running.stop();
  }
});
