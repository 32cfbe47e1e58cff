import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { problems } from "../../src/core/problems.ts";
import { bodyBytesMax } from "../../src/http/input.ts";
import type { Client } from "../end-to-end/client.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

describeOnEngines("createPet", (engine) => {
  let running: TestService;
  let client: Client;
  beforeAll(async () => {
    running = await startTestService({ engine });
    client = running.client;
  });
  afterAll(() => running.stop());

  const stored = async () => ((await client.get("/pets?limit=100")).body as unknown[]).length;

  test("answers 201 with the stored pet and its address, where it can be fetched", async () => {
    const seen = await client.post("/pets", { name: "Bella", categoryId: 3, status: "sold" });
    expect(seen.status).toBe(201);
    const { id } = seen.body as { id: number };
    expect(seen.text).toBe(`{"id":${id},"name":"Bella","categoryId":3,"status":"sold"}`);
    expect(seen.headers.get("location")).toBe(`${running.base}/pets/${id}`);
    expect(seen.headers.get("cache-control")).toBe("no-store");
    expect((await client.get(`/pets/${id}`)).text).toBe(seen.text);
  });

  test("a pet without a status is available", async () => {
    const seen = await client.post("/pets", { name: "Rex", categoryId: 4 });
    expect(seen.body).toMatchObject({ status: "available" });
  });

  test("unknown members are neither stored nor echoed, and refused by name when strict", async () => {
    const pet = { name: "Rex", categoryId: 4, colour: "red", id: 77, __proto__x: 1 };
    const seen = await client.post("/pets", pet);
    expect(Object.keys(seen.body as object)).toEqual(["id", "name", "categoryId", "status"]);
    expect((seen.body as { id: number }).id).not.toBe(77);
    const strict = await client.post("/pets", pet, { prefer: "handling=strict" });
    expect(strict.body).toEqual({
      code: "body_invalid",
      message:
        "colour is not a member of this body. id is not a member of this body. __proto__x is not a member of this body.",
      status: 400,
    });
  });

  const exact: [sent: string, digits: string][] = [
    ["9223372036854775807", "9223372036854775807"],
    ["-9223372036854775808", "-9223372036854775808"],
    ["9007199254740993", "9007199254740993"],
    ["1.0", "1"],
    ["1e2", "100"],
    ["1E+2", "100"],
    ["-0", "0"],
    ["1.234567890123457e18", "1234567890123457000"],
    ["922337203685477580.7e1", "9223372036854775807"],
    ["9223372036854775807000e-3", "9223372036854775807"],
    ["0.0000e99999999999", "0"],
  ];
  for (const [sent, digits] of exact) {
    test(`categoryId ${sent} is kept as ${digits}`, async () => {
      const seen = await client.post("/pets", `{"name":"Big","categoryId":${sent}}`);
      expect(seen.status).toBe(201);
      expect(seen.text).toContain(`"categoryId":${digits},`);
      const id = /"id":(\d+)/.exec(seen.text)?.[1];
      expect((await client.get(`/pets?id=${id}`)).text).toBe(`[${seen.text}]`);
    });
  }

  const names = [
    "a",
    "x".repeat(255),
    "🐈".repeat(255),
    'He said "hi" \\ / \b\f\n\r\t',
    "é\u0301 ‮ \u2028",
    " a ",
  ];
  for (const name of names) {
    test(`the name ${JSON.stringify(name.slice(0, 20))} (${[...name].length}) comes back as sent`, async () => {
      const seen = await client.post("/pets", { name, categoryId: 1 });
      expect(seen.body).toMatchObject({ name });
    });
  }

  const nameMust =
    "name must be a string of 1 to 255 characters, not only white space, and without U+0000.";
  const idMust = "categoryId must be an integer from -9223372036854775808 to 9223372036854775807.";
  const statusMust = "status must be one of available, pending, sold.";
  const invalid: [body: string, message: string][] = [
    ["{}", "name is required. categoryId is required."],
    ['{"name":"A"}', "categoryId is required."],
    ['{"categoryId":1}', "name is required."],
    ['{"name":null,"categoryId":null,"status":null}', `${nameMust} ${idMust} ${statusMust}`],
    ['{"name":1,"categoryId":"1","status":1}', `${nameMust} ${idMust} ${statusMust}`],
    ['{"name":[],"categoryId":{},"status":[]}', `${nameMust} ${idMust} ${statusMust}`],
    ['{"name":true,"categoryId":false,"status":true}', `${nameMust} ${idMust} ${statusMust}`],
    ['{"name":"","categoryId":1}', nameMust],
    ['{"name":" \\t\\n\\u00a0\\u3000","categoryId":1}', nameMust],
    [`{"name":"${"x".repeat(256)}","categoryId":1}`, nameMust],
    [`{"name":"${"🐈".repeat(256)}","categoryId":1}`, nameMust],
    ['{"name":"a\\u0000b","categoryId":1}', nameMust],
    ['{"name":"\\ud800","categoryId":1}', nameMust],
    ['{"name":"a\\udc00\\ud800","categoryId":1}', nameMust],
    ...[
      "9223372036854775808",
      "-9223372036854775809",
      "1.5",
      "1e19",
      "1e400",
      "-1e400",
      "1e-1",
      "0.99999999999999999999",
      "999999999999999.99999",
      "9007199254740993.5",
      "1e-400",
    ].map((number): [string, string] => [`{"name":"A","categoryId":${number}}`, idMust]),
    ['{"name":"A","categoryId":1,"status":"Sold"}', statusMust],
    ['{"name":"A","categoryId":1,"status":""}', statusMust],
    ["[]", "The body must be a JSON object."],
    ['"text"', "The body must be a JSON object."],
    ["null", "The body must be a JSON object."],
    ["12", "The body must be a JSON object."],
    ['[{"name":"A","categoryId":1}]', "The body must be a JSON object."],
    ['{"__proto__":{"name":"A","categoryId":1}}', "name is required. categoryId is required."],
  ];
  for (const [body, message] of invalid) {
    test(`${body.slice(0, 60)} is refused, all of it named, and nothing stored`, async () => {
      const before = await stored();
      const seen = await client.post("/pets", body);
      expect(seen.body).toEqual({ code: "body_invalid", message, status: 400 });
      expect(await stored()).toBe(before);
    });
  }

  const unreadable: [what: string, body: string | Uint8Array][] = [
    ["an empty body", ""],
    ["white space", "  "],
    ["half an object", '{"name":"A"'],
    ["single quotes", "{'name':'A','categoryId':1}"],
    ["a trailing comma", '{"name":"A","categoryId":1,}'],
    ["two values", '{"name":"A","categoryId":1}{}'],
    ["NaN", '{"name":"A","categoryId":NaN}'],
    ["a leading zero", '{"name":"A","categoryId":01}'],
    ["a raw control character", '{"name":"A\u0001","categoryId":1}'],
    ["a NUL byte", '{"name":"A\0","categoryId":1}'],
    [
      "invalid UTF-8",
      new Uint8Array([
        ...Buffer.from('{"name":"'),
        0xff,
        0xfe,
        ...Buffer.from('","categoryId":1}'),
      ]),
    ],
    [
      "overlong UTF-8",
      new Uint8Array([
        ...Buffer.from('{"name":"'),
        0xc0,
        0xaf,
        ...Buffer.from('","categoryId":1}'),
      ]),
    ],
    [
      "a surrogate in UTF-8",
      new Uint8Array([
        ...Buffer.from('{"name":"'),
        0xed,
        0xa0,
        0x80,
        ...Buffer.from('","categoryId":1}'),
      ]),
    ],
    ["UTF-16", new Uint8Array(Buffer.from('{"name":"A","categoryId":1}', "utf16le"))],
    ["50,000 open brackets", "[".repeat(50_000)],
    [
      "nesting 30,000 deep around a number with a point",
      `${"[".repeat(30_000)}1.5${"]".repeat(30_000)}`,
    ],
  ];
  for (const [what, body] of unreadable) {
    test(`${what} is unreadable, and nothing is stored`, async () => {
      const before = await stored();
      const seen = await client.post("/pets", body);
      expect(seen.body).toMatchObject({ code: "body_unreadable", status: 400 });
      expect(await stored()).toBe(before);
    });
  }

  test("nesting 50,000 deep in a member that is ignored does no harm", async () => {
    const deep = `{"name":"Deep","categoryId":1,"x":${"[".repeat(30_000)}${"]".repeat(30_000)}}`;
    expect((await client.post("/pets", deep)).status).toBe(201);
  });

  test("a byte order mark is passed over", async () => {
    expect((await client.post("/pets", '\uFEFF{"name":"Bom","categoryId":1}')).status).toBe(201);
  });

  test("the last of two members with one name counts", async () => {
    const seen = await client.post("/pets", '{"name":"A","name":"B","categoryId":1}');
    expect(seen.body).toMatchObject({ name: "B" });
  });

  describe("size", () => {
    const padded = (bytes: number) => {
      const rest = '{"name":"Sized","categoryId":1,"x":""}';
      return rest.replace('""', `"${"y".repeat(bytes - rest.length)}"`);
    };
    const streamed = (text: string) =>
      new ReadableStream({
        start(controller) {
          for (let at = 0; at < text.length; at += 8192) {
            controller.enqueue(Buffer.from(text.slice(at, at + 8192)));
          }
          controller.close();
        },
      });

    test("65,536 bytes are taken, with and without a Content-Length", async () => {
      expect((await client.post("/pets", padded(bodyBytesMax))).status).toBe(201);
      expect((await client.post("/pets", streamed(padded(bodyBytesMax)))).status).toBe(201);
    });

    test("one byte more is 413, with and without a Content-Length, and stores nothing", async () => {
      const before = await running.stores.catalogue.list({ limit: 1000 });
      for (const body of [padded(bodyBytesMax + 1), streamed(padded(bodyBytesMax + 1))]) {
        const seen = await client.post("/pets", body);
        expect(seen.body).toEqual({
          code: "body_too_large",
          message: problems.body_too_large.message,
          status: 413,
        });
      }
      expect(await running.stores.catalogue.list({ limit: 1000 })).toEqual(before);
    });
  });

  const taken = [
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
    " application/json ",
  ];
  for (const type of taken) {
    test(`Content-Type ${type} is taken`, async () => {
      const seen = await client.post(
        "/pets",
        { name: "T", categoryId: 1 },
        { "content-type": type },
      );
      expect(seen.status).toBe(201);
    });
  }

  const refused = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "application/jsonp",
    "application/json-patch+json",
    "application/problem+json",
    "application/json; charset=latin1",
    "json",
    "application/json, text/plain",
    "",
  ];
  for (const type of refused) {
    test(`Content-Type ${JSON.stringify(type)} is 415`, async () => {
      const seen = await client.post(
        "/pets",
        { name: "T", categoryId: 1 },
        { "content-type": type },
      );
      expect(seen.body).toMatchObject({ code: "media_type_unsupported", status: 415 });
    });
  }

  test("a compressed body is 415, and says why", async () => {
    const seen = await client.post(
      "/pets",
      Bun.gzipSync(Buffer.from('{"name":"Z","categoryId":1}')),
      {
        "content-encoding": "gzip",
      },
    );
    expect(seen.body).toEqual({
      code: "media_type_unsupported",
      message: "Send the body without a Content-Encoding.",
      status: 415,
    });
  });

  test("a query that createPet does not know is ignored, and refused when strict", async () => {
    const pet = { name: "Q", categoryId: 1 };
    expect((await client.post("/pets?dry=1", pet)).status).toBe(201);
    const strict = await client.post("/pets?dry=1", pet, { prefer: "handling=strict" });
    expect(strict.body).toMatchObject({ code: "parameter_invalid" });
  });
});
