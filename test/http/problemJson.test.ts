import { afterAll, beforeAll, expect, test } from "bun:test";
import { Client } from "../end-to-end/client.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

describeOnEngines("problem details", (engine) => {
  let running: TestService;
  beforeAll(async () => {
    running = await startTestService({ engine });
  });
  afterAll(() => running.stop());

  const asking = (accept: string, path = "/pets/99", client = running.client) =>
    client.get(path, { headers: { accept } });

  test("are what an error is for whoever accepts them, with a page that can be read", async () => {
    const seen = await asking("application/problem+json");
    expect(seen.headers.get("content-type")).toBe("application/problem+json");
    expect(seen.body).toEqual({
      type: `${running.origin}/docs/errors/pet_not_found.md`,
      title: "Pet not found",
      status: 404,
      detail: "No pet has this id.",
      code: "pet_not_found",
    });
    const { type } = seen.body as { type: string };
    expect((await fetch(type)).status).toBe(200);
  });

  const taken = [
    "application/problem+json;q=0.5",
    "Application/Problem+JSON",
    "application/problem+json; charset=utf-8 ; Q=0.001",
    "text/html,application/problem+json;q=0.9,*/*;q=0.1",
    "application/json;q=0.5, application/problem+json",
    "application/json;q=0.899, application/problem+json;q=0.9",
    "application/problem+json, application/*;q=0.9",
    "application/problem+json;q=0.2, application/json;q=0, */*",
    "application/json;q=0, */*",
    "application/problem+json;q=0.1, application/problem+json;q=0.7, application/json;q=0.5",
  ];
  for (const accept of taken) {
    test(`Accept: ${accept} asks for them`, async () => {
      expect((await asking(accept)).headers.get("content-type")).toBe("application/problem+json");
    });
  }

  const other = [
    "*/*",
    "application/json",
    "application/*",
    "application/json, application/problem+json",
    "application/problem+json, application/json",
    "application/problem+json;q=0.5, application/json;q=0.5",
    "application/json, application/problem+json;q=0.999",
    "application/problem+json, */*",
    "application/*, application/problem+json",
    "application/problem+json;q=0.5, */*",
    "*/*;q=0.1, application/problem+json;q=0",
    "application/problem+json;q=2",
    "application/problem+json;q=high",
    "application/problem+json;q=",
    "application/problem+json;q=0",
    "application/problem+json; q=0.0",
    "application/problem+jsonx",
    "text/html",
    "",
  ];
  for (const accept of other) {
    test(`Accept: ${JSON.stringify(accept)} does not`, async () => {
      expect((await asking(accept)).headers.get("content-type")).toBe("application/json");
    });
  }

  test("every error has them: without a key, of an unknown path, of a bad body", async () => {
    const anonymous = new Client(running.base);
    const accept = "application/problem+json";
    expect((await asking(accept, "/pets", anonymous)).body).toMatchObject({
      code: "key_missing",
      title: "Key missing",
    });
    expect((await asking(accept, "/nothing")).body).toMatchObject({ code: "path_not_found" });
    const bad = await running.client.post("/pets", "{}", { accept });
    expect(bad.body).toMatchObject({
      code: "body_invalid",
      detail: "name is required. categoryId is required.",
    });
  });

  test("what succeeds stays as it is", async () => {
    expect((await asking("application/problem+json", "/pets")).headers.get("content-type")).toBe(
      "application/json",
    );
  });
});
