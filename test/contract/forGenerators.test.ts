/** What generators and testers that we did not write need of the contract. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ApiDocument, resolved } from "../../src/contract/document.ts";
import contract from "../../src/contract/generated/document.json" with { type: "json" };
import { contractFor } from "../../src/contract/operations.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

type Json = Record<string, unknown>;

interface Link {
  readonly operationId: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

interface Message {
  readonly links?: Readonly<Record<string, Link>>;
  readonly content?: Readonly<
    Record<string, { readonly examples?: Readonly<Record<string, { readonly value: unknown }>> }>
  >;
}

interface Described {
  readonly operationId: string;
  readonly parameters: readonly (Json & { readonly name: string; readonly in: string })[];
  readonly requestBody?: Message;
  readonly responses: Readonly<Record<string, Message>>;
}

const whole = resolved(contract, contract as ApiDocument) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
};
const operations = Object.entries(whole.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);
const linksOf = ({ responses }: Described) =>
  Object.entries(responses).flatMap(([status, { links = {} }]) =>
    Object.entries(links).map(([name, link]) => ({ status, name, link })),
  );

describe("the contract, for generators", () => {
  test("has a short description, since they copy it into every file", () => {
    expect(contract.info.description.trim().split("\n")).toHaveLength(1);
    expect(contract.tags[0]?.description).toContain("Authorization: Bearer <API_KEY>");
  });

  test("says whom to ask, at the address of the installation", () => {
    const servers = { production: "https://a.example/shop/v1", staging: "https://b.example/v1" };
    const { info } = JSON.parse(contractFor(servers));
    expect(info.contact).toEqual({
      name: contract.info.contact.name,
      url: "https://a.example/shop/docs/",
    });
    expect(info.license).toEqual(contract.info.license);
  });

  test("has an example of every parameter", () => {
    const bare = Object.entries(contract.components.parameters).filter(
      ([, parameter]) => !("example" in parameter || "examples" in parameter),
    );
    expect(bare.map(([name]) => name)).toEqual([]);
  });

  test("allows no empty cursor", () => {
    expect(contract.components.parameters.cursor.schema.minLength).toBe(1);
  });

  test("has no null in an enum, of which they make a text or types of their own", () => {
    const lists = [...JSON.stringify(contract).matchAll(/"enum":(\[[^\]]*\])/g)];
    expect(lists.length).toBeGreaterThan(2);
    expect(lists.filter(([, list = ""]) => JSON.parse(list).includes(null))).toEqual([]);
  });

  // Beside literals: anchors, classes, \\s, \\S, \\d, \\w, \\x and two digits, groups and counts.
  const common =
    /^(?:(?:[^\\()[\]{}|*+?]|\\(?:[sSdw]|x[0-9A-F]{2}|[-\\.+*?()[\]{}|^$/])|\[\^?(?:[^\\[\]]|\\(?:[sSdw]|x[0-9A-F]{2}|[-\\\]^]))+\]|\))(?:[*+?]|\{\d+(?:,\d*)?\})?|\((?:\?:)?|\|)*$/;

  test("has patterns only of what JavaScript, PCRE, RE2, Java and Python share", () => {
    const patterns = [...JSON.stringify(contract).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
      ([, text = ""]) => JSON.parse(text) as string,
    );
    expect(patterns.length).toBeGreaterThan(2);
    expect(patterns.filter((pattern) => !common.test(pattern))).toEqual([]);
    for (const foreign of [
      "^[^\\u0000]$",
      "(?=a)",
      "(?<n>a)",
      "\\p{L}",
      "a*+",
      "\\cA",
      "[[:a:]]",
    ]) {
      expect([foreign, common.test(foreign)]).toEqual([foreign, false]);
    }
  });
});

describe("links", () => {
  let running: TestService;
  beforeAll(async () => {
    running = await startTestService();
  });
  afterAll(() => running.stop());

  /** `$response.body#/0/id` of a body. */
  function valueAt(expression: string, body: unknown): unknown {
    const [, pointer = ""] = /^\$response\.body#\/(.+)$/.exec(expression) ?? [];
    return pointer.split("/").reduce<unknown>((node, step) => (node as Json)?.[step], body);
  }

  const filled = (values: Readonly<Record<string, string>> | undefined, body: unknown) =>
    Object.entries(values ?? {}).map(([name, at]) => [name, valueAt(at, body)] as const);

  test("name operations and parameters that exist, and find their values in the examples", () => {
    const seen = operations.flatMap(({ operation }) =>
      linksOf(operation).map(({ status, name, link }) => {
        const target = operations.find((each) => each.operation.operationId === link.operationId);
        const examples = operation.responses[status]?.content?.["application/json"]?.examples ?? {};
        const body = Object.values(examples)[0]?.value;
        const known = (target?.operation.parameters ?? []).map((parameter) => parameter.name);
        for (const [parameter, value] of filled(link.parameters, body)) {
          expect([name, parameter, known.includes(parameter)]).toEqual([name, parameter, true]);
          expect([name, typeof value]).toEqual([name, "number"]);
        }
        // openapi-generator refuses a contract with anything but a string here.
        expect([name, Object.hasOwn(link, "requestBody")]).toEqual([name, false]);
        return name;
      }),
    );
    expect(seen.toSorted()).toEqual(
      expect.arrayContaining(Object.keys(contract.components.links).toSorted()),
    );
  });

  interface Step {
    readonly operationId: string;
    readonly link: Omit<Link, "operationId">;
  }

  const described = (operationId: string) => {
    const found = operations.find((each) => each.operation.operationId === operationId);
    if (found === undefined) throw new Error(`The contract has no ${operationId}.`);
    return found;
  };

  /** The shortest way by links to each operation, the first step included. */
  function waysFrom(operationId: string): ReadonlyMap<string, readonly Step[]> {
    const ways = new Map<string, readonly Step[]>([[operationId, [{ operationId, link: {} }]]]);
    // A map is walked in the order of insertion, also over what is inserted meanwhile.
    for (const [at, way] of ways) {
      for (const { link } of linksOf(described(at).operation)) {
        const { operationId: next } = link;
        if (!ways.has(next)) ways.set(next, [...way, { operationId: next, link }]);
      }
    }
    return ways;
  }

  /** Calls an operation as a link says, with what the response before had. */
  async function call({ operationId, link }: Step, from: unknown, given?: Json): Promise<unknown> {
    const { path, method, operation } = described(operationId);
    const query = new URLSearchParams();
    let address = path;
    for (const [name, value] of filled(link.parameters, from)) {
      const filledIn = address.replace(`{${name}}`, String(value));
      if (filledIn === address) query.append(name, String(value));
      address = filledIn;
    }
    const example = Object.values(operation.requestBody?.content ?? {})[0]?.examples ?? {};
    const body = given ?? Object.values(example)[0]?.value;
    const asked = query.size === 0 ? address : `${address}?${query}`;
    const response = await fetch(running.base + asked, {
      method: method.toUpperCase(),
      headers: { authorization: `Bearer ${running.token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    expect([operationId, response.status < 300, text]).toEqual([operationId, true, text]);
    return text === "" ? undefined : JSON.parse(text);
  }

  const firstStep = (operationId: string): Step => ({ operationId, link: {} });

  for (const [name, begin] of [
    ["pet", async () => ["createPet", await call(firstStep("createPet"), undefined)]],
    [
      "order",
      async () => {
        const { id } = (await call(firstStep("createPet"), undefined)) as { readonly id: number };
        return ["placeOrder", await call(firstStep("placeOrder"), undefined, { petId: id })];
      },
    ],
    [
      "category",
      async () => [
        "createCategory",
        await call(firstStep("createCategory"), undefined, { name: crypto.randomUUID() }),
      ],
    ],
  ] as const) {
    for (const { path, operation } of operations) {
      if (!path.includes(`{${name}Id}`)) continue;
      test(`lead from a new ${name} to ${operation.operationId}, which then succeeds`, async () => {
        const [first, body] = (await begin()) as [string, unknown];
        const [, ...way] = waysFrom(first).get(operation.operationId) ?? [];
        expect(way.length).toBeGreaterThan(0);
        let from = body;
        for (const step of way) from = await call(step, from);
      });
    }
  }
});
