import { afterEach, describe, expect, test } from "bun:test";
import { AUTHORITATIVE_ANSWER, TRUNCATED_RESPONSE } from "dns-packet";
import {
  a,
  aaaa,
  attemptMs,
  type Contents,
  closeAll,
  cname,
  ns,
  pass,
  rcode,
  reply,
  resolverOf,
  serverOf,
  soa,
  startServer,
  startSilentServer,
} from "./servers.ts";

afterEach(closeAll);

const good = { answers: [a("shop.example", "198.51.100.7")] };

describe("the answer of a recursor", () => {
  test("is its records, with the TTLs left in its cache", async () => {
    const server = await serverOf({ answers: [a("shop.example", "198.51.100.7", 41)] });
    expect(await resolverOf([server]).lookUp("shop.example", "A")).toEqual({
      kind: "found",
      records: [{ name: "shop.example", type: "A", ttlSeconds: 41, value: "198.51.100.7" }],
    });
    expect(server.heard).toMatchObject([{ recursive: true, udpBytes: 1232, over: "udp" }]);
  });

  test("counts however it spells the name", async () => {
    const server = await startServer({
      udp: (query, send) => {
        const loud = { ...query, name: "SHOP.Example" };
        send(reply(loud, { answers: [a("Shop.EXAMPLE", "198.51.100.7")] }));
      },
    });
    expect(await resolverOf([server]).lookUp("Shop.example", "A")).toMatchObject({
      kind: "found",
      records: [{ name: "shop.example" }],
    });
  });

  test("leads along the CNAMEs in their order, and past strangers", async () => {
    const server = await serverOf({
      answers: [
        a("b.example", "198.51.100.7"),
        cname("a.example", "b.example"),
        a("stranger.example", "198.51.100.8"),
        cname("shop.example", "a.example"),
        aaaa("b.example", "2001:db8::1"),
      ],
    });
    const answer = await resolverOf([server]).lookUp("shop.example", "A");
    expect(answer).toMatchObject({
      kind: "found",
      records: [
        { name: "shop.example", value: "a.example" },
        { name: "a.example", value: "b.example" },
        { name: "b.example", value: "198.51.100.7" },
      ],
    });
    expect(answer.kind === "found" && answer.records).toHaveLength(3);
  });

  test("for a CNAME is the one at the name, however the chain goes on", async () => {
    const server = await serverOf({
      answers: [cname("shop.example", "a.example"), cname("a.example", "shop.example")],
    });
    const answer = await resolverOf([server]).lookUp("shop.example", "CNAME");
    expect(answer).toEqual({
      kind: "found",
      records: [{ name: "shop.example", type: "CNAME", ttlSeconds: 300, value: "a.example" }],
    });
  });

  test("with CNAMEs in a circle is a failure that shows the circle", async () => {
    const server = await serverOf({
      answers: [cname("shop.example", "a.example"), cname("a.example", "shop.example")],
    });
    expect(await resolverOf([server]).lookUp("shop.example", "A")).toEqual({
      kind: "unreachable",
      reason: "servfail",
      detail: "The CNAME records form a loop: shop.example → a.example → shop.example.",
    });
  });

  const chainOf = (links: number) => [
    cname("shop.example", "c1.example"),
    ...Array.from({ length: links - 1 }, (_, at) =>
      cname(`c${at + 1}.example`, `c${at + 2}.example`),
    ),
    a(`c${links}.example`, "198.51.100.7"),
  ];

  test("may have 16 CNAMEs", async () => {
    const server = await serverOf({ answers: chainOf(16) });
    const answer = await resolverOf([server]).lookUp("shop.example", "A");
    expect(answer.kind === "found" && answer.records).toHaveLength(17);
  });

  test("may not have 17", async () => {
    const server = await serverOf({ answers: chainOf(17) });
    expect(await resolverOf([server]).lookUp("shop.example", "A")).toMatchObject({
      kind: "unreachable",
      reason: "servfail",
    });
  });
});

describe("a no", () => {
  test("that the name does not exist holds for the smaller of TTL and minimum", async () => {
    for (const [ttl, minimum] of [
      [900, 300],
      [300, 900],
    ] as const) {
      const server = await serverOf({
        rcode: rcode.nxDomain,
        authorities: [soa("example", ttl, minimum)],
      });
      expect(await resolverOf([server]).lookUp("shop.example", "A")).toEqual({
        kind: "absent",
        reason: "nxdomain",
        records: [],
        rememberedSeconds: 300,
      });
    }
  });

  test("without a SOA does not say how long it holds", async () => {
    const server = await serverOf({ rcode: rcode.nxDomain });
    expect(await resolverOf([server]).lookUp("shop.example", "A")).toEqual({
      kind: "absent",
      reason: "nxdomain",
      records: [],
      rememberedSeconds: undefined,
    });
  });

  test("from the SOA of a zone that does not hold the name does not say either", async () => {
    const server = await serverOf({ authorities: [soa("elsewhere")] });
    expect(await resolverOf([server]).lookUp("shop.example", "A")).toMatchObject({
      reason: "nodata",
      rememberedSeconds: undefined,
    });
  });

  test("to the type alone is another no", async () => {
    const server = await serverOf({ authorities: [soa("example"), ns("example", "ns.example")] });
    expect(await resolverOf([server]).lookUp("shop.example", "AAAA")).toEqual({
      kind: "absent",
      reason: "nodata",
      records: [],
      rememberedSeconds: 300,
    });
  });

  test("behind CNAMEs shows them", async () => {
    const server = await serverOf({
      rcode: rcode.nxDomain,
      answers: [cname("shop.example", "gone.other")],
      authorities: [soa("other", 60, 60)],
    });
    expect(await resolverOf([server]).lookUp("shop.example", "A")).toEqual({
      kind: "absent",
      reason: "nxdomain",
      records: [{ name: "shop.example", type: "CNAME", ttlSeconds: 300, value: "gone.other" }],
      rememberedSeconds: 60,
    });
  });

  test("is final, and no other recursor is asked", async () => {
    const first = await serverOf({ rcode: rcode.nxDomain });
    const second = await serverOf({ answers: [a("shop.example", "198.51.100.7")] });
    const answer = await resolverOf([first, second]).lookUp("shop.example", "A");
    expect(answer).toMatchObject({ reason: "nxdomain" });
    expect(second.heard).toEqual([]);
  });

  test("counts only from a server that recurses or is in authority", async () => {
    const neither = await serverOf({ flags: 0, rcode: rcode.nxDomain });
    const authority = await serverOf({ flags: AUTHORITATIVE_ANSWER, rcode: rcode.nxDomain });
    expect(await resolverOf([neither]).lookUp("shop.example", "A")).toMatchObject({
      reason: "lame",
    });
    expect(await resolverOf([authority]).lookUp("shop.example", "A")).toMatchObject({
      reason: "nxdomain",
    });
  });

  test("is not what a server says that only names others", async () => {
    const server = await serverOf({ authorities: [ns("example", "ns.example")] });
    expect(await resolverOf([server]).lookUp("shop.example", "A")).toMatchObject({
      kind: "unreachable",
      reason: "lame",
    });
  });
});

describe("when a recursor fails", () => {
  for (const code of [rcode.servFail, rcode.refused, 15]) {
    test(`with code ${code}, the next is asked`, async () => {
      const first = await serverOf({ rcode: code });
      const second = await serverOf(good);
      const answer = await resolverOf([first, second], { attempts: 2 }).lookUp("shop.example", "A");
      expect(answer.kind).toBe("found");
      expect(first.heard.filter(({ unchecked }) => !unchecked)).toHaveLength(1);
    });
  }

  test("by silence, the next is asked", async () => {
    const silent = await startSilentServer();
    const second = await serverOf(good);
    const resolver = resolverOf([silent, second]);
    expect(await resolver.lookUp("shop.example", "A")).toMatchObject({ kind: "found" });
  });

  test("by silence once, it is asked again, with another id from another port", async () => {
    let times = 0;
    const server = await startServer({
      udp: (query, send) => {
        if (++times === 2) send(reply(query, good));
        else pass(attemptMs);
      },
    });
    const resolver = resolverOf([server], { attempts: 2 });
    expect(await resolver.lookUp("shop.example", "A")).toMatchObject({ kind: "found" });
    const [first, second] = server.heard;
    expect(first?.id === second?.id && first?.fromPort === second?.fromPort).toBe(false);
  });

  test("and all others, too, the last reason is told", async () => {
    const silent = await startSilentServer();
    const failing = await serverOf({ rcode: rcode.servFail });
    const resolver = resolverOf([silent, failing]);
    expect(await resolver.lookUp("shop.example", "A")).toEqual({
      kind: "unreachable",
      reason: "servfail",
      detail: "Recursor 2 answered SERVFAIL.",
    });
  });

  test("outright, it is not asked again, and one that was silent is", async () => {
    const silent = await startSilentServer();
    const failing = await serverOf({ rcode: rcode.servFail });
    const resolver = resolverOf([silent, failing], { attempts: 3 });
    await resolver.lookUp("shop.example", "A");
    // Once more without a check of the signatures, in case these were the reason.
    expect([silent.heard.length, failing.heard.length]).toEqual([3, 2]);
    expect(failing.heard.map(({ unchecked }) => unchecked)).toEqual([false, true]);
  });

  test("or there is none, nothing is learnt", async () => {
    expect(await resolverOf([]).lookUp("shop.example", "A")).toMatchObject({
      kind: "unreachable",
      reason: "servfail",
    });
  });

  test("to understand EDNS, it is asked without, and only once", async () => {
    for (const code of [rcode.formErr, rcode.notImp]) {
      const old = await startServer({
        udp: (query, send) => {
          // Such servers often send a header and nothing else.
          const header = reply(query, { rcode: code }).subarray(0, 12);
          header.writeUInt16BE(0, 4);
          send(query.udpBytes === undefined ? reply(query, good) : header);
        },
      });
      expect(await resolverOf([old]).lookUp("shop.example", "A")).toMatchObject({ kind: "found" });
      expect(old.heard.map(({ udpBytes }) => udpBytes)).toEqual([1232, undefined]);
    }
    const never = await serverOf({ rcode: rcode.formErr });
    expect(await resolverOf([never]).lookUp("shop.example", "A")).toMatchObject({
      reason: "servfail",
      detail: "Recursor 1 answered FORMERR.",
    });
    expect(never.heard).toHaveLength(2);
  });
});

describe("a zone whose signatures do not verify", () => {
  const validating = (contents: Contents = good) =>
    startServer({
      udp: (query, send) =>
        send(reply(query, query.unchecked ? contents : { rcode: rcode.servFail })),
    });
  const bogus = { kind: "unreachable", reason: "bogus" };

  test("is told from one that fails, by an answer that comes without a check", async () => {
    for (const contents of [good, { rcode: rcode.nxDomain, authorities: [soa("example")] }]) {
      expect(await resolverOf([await validating(contents)]).lookUp("shop.example", "A")).toEqual({
        ...bogus,
        detail: "Recursor 1 cannot verify the signatures.",
      } as never);
    }
    const failing = await serverOf({ rcode: rcode.servFail });
    expect(await resolverOf([failing]).lookUp("shop.example", "A")).toMatchObject({
      reason: "servfail",
    });
  });

  test("is told with what the recursor says of it, and then at once", async () => {
    const server = await serverOf({ rcode: rcode.servFail, extendedErrors: [22, 7] });
    expect(await resolverOf([server]).lookUp("shop.example", "A")).toMatchObject({
      ...bogus,
      detail: "Recursor 1 cannot verify the signatures: they have expired.",
    });
    expect(server.heard).toHaveLength(1);
  });

  test("is asked of the next recursor, whose answer counts, and whose silence does not", async () => {
    const [first, second] = [await validating(), await serverOf(good)];
    expect(await resolverOf([first, second]).lookUp("shop.example", "A")).toMatchObject({
      kind: "found",
    });
    const silent = await startSilentServer();
    expect(await resolverOf([first, silent]).lookUp("shop.example", "A")).toMatchObject(bogus);
  });

  test("is no reason to ask a name server of the zone once more", async () => {
    const server = await serverOf({ rcode: rcode.servFail });
    const asked = resolverOf([server]).ask(
      { name: "ns1", address: server.address },
      "a.example",
      "A",
    );
    expect(await asked).toMatchObject({ reason: "servfail" });
    expect(server.heard).toHaveLength(1);
  });
});

describe("a name that fits no question", () => {
  const names = [
    "",
    ".",
    "a..b",
    "shop.example.",
    "a".repeat(64),
    "é.example",
    "\u212Aey.example",
    "a\\.b.example",
    "a b",
  ];
  const tooLong = Array.from({ length: 128 }, () => "a").join(".");
  for (const name of [...names, tooLong]) {
    test(`is refused without a packet: "${name.slice(0, 20)}"`, async () => {
      const server = await serverOf({});
      const answer = await resolverOf([server]).lookUp(name, "A");
      expect(answer).toMatchObject({ kind: "unreachable", reason: "malformed" });
      expect(server.heard).toEqual([]);
    });
  }
});

describe("an answer too large for UDP", () => {
  const many = Array.from({ length: 200 }, (_, at) => a("shop.example", `198.51.100.${at}`));

  test("is fetched over TCP", async () => {
    const server = await startServer({
      udp: (query, send) => send(reply(query, { flags: TRUNCATED_RESPONSE })),
      tcp: (query, connection) => {
        const answer = reply(query, { answers: many });
        const length = Buffer.alloc(2);
        length.writeUInt16BE(answer.byteLength);
        connection.write(Buffer.concat([length, answer]));
      },
    });
    const answer = await resolverOf([server]).lookUp("shop.example", "A");
    expect(answer.kind === "found" && answer.records).toHaveLength(200);
    expect(server.heard.map(({ over }) => over)).toEqual(["udp", "tcp"]);
  });
});

describe("servers with IPv6 addresses", () => {
  test("are asked as well", async () => {
    const server = await serverOf({ answers: [a("shop.example", "198.51.100.7")] }, "::1");
    expect(await resolverOf([server]).lookUp("shop.example", "A")).toMatchObject({ kind: "found" });
  });
});

describe("a recursor without an IP address", () => {
  test("is refused at once", () => {
    const create = () => resolverOf([{ address: "localhost", port: 53, heard: [] }]);
    expect(create).toThrow("localhost");
  });
});
