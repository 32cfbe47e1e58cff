/** The name servers and the recursor do what the tests that rely on them take for granted. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { ask } from "../../../../testkit/testBed/ask.ts";
import { run } from "../../../../testkit/testBed/processes.ts";
import { startTestBed, type TestBed } from "../../../../testkit/testBed/testBed.ts";
import { describeWithTestBed } from "../../../../testkit/testBed/tools.ts";
import { rejectionOf } from "../../../store/rejection.ts";

let testBed: TestBed;

describeWithTestBed("the test bed", () => {
  beforeAll(async () => {
    testBed = await startTestBed();
  });
  afterAll(() => testBed?.stop());

  const askServer = ({ address }: { address: string }, name: string, type: string) =>
    ask({ address, port: testBed.dnsPort, name, type });
  const askRecursor = (name: string, type: string) => askServer(testBed.unbound, name, type);

  /** The data of the answers as text, whatever the type. */
  async function dataOf(server: { address: string }, name: string, type: string) {
    const { answers = [] } = await askServer(server, name, type);
    return answers.map((answer) => ("data" in answer ? `${answer.type} ${answer.data}` : ""));
  }

  test("knot serves every kind of record with authority", async () => {
    await testBed.zone("kinds.test", {
      records: `
        www CNAME sites.platform.test.
        both A 192.0.2.1
        both AAAA 2001:db8::1
        note TXT "one" "two"
        @ CAA 128 issue "ca.example; accounturi=none"
        *.wild A 192.0.2.2
        odd TYPE65280 \\# 4 01020304
      `,
    });
    const { knotA } = testBed;
    expect(await dataOf(knotA, "www.kinds.test", "A")).toEqual(["CNAME sites.platform.test"]);
    expect(await dataOf(knotA, "both.kinds.test", "A")).toEqual(["A 192.0.2.1"]);
    expect(await dataOf(knotA, "both.kinds.test", "AAAA")).toEqual(["AAAA 2001:db8::1"]);
    expect(await dataOf(knotA, "note.kinds.test", "TXT")).toEqual(["TXT one,two"]);
    expect(await dataOf(knotA, "any.thing.wild.kinds.test", "A")).toEqual(["A 192.0.2.2"]);
    const odd = await askServer(knotA, "odd.kinds.test", "UNKNOWN_65280");
    expect(odd.answers).toMatchObject([{ data: Buffer.from([1, 2, 3, 4]) }]);
    const caa = await askServer(knotA, "kinds.test", "CAA");
    expect(caa.flag_aa).toBe(true);
    expect(caa.answers).toMatchObject([
      { data: { flags: 128, tag: "issue", value: "ca.example; accounturi=none" } },
    ]);
  });

  test("another client sees the same through the recursor", async () => {
    await testBed.zone("seen.test", { records: `www CNAME ${testBed.target}.` });
    const args = [
      `@${testBed.unbound.address}`,
      "-p",
      `${testBed.dnsPort}`,
      "+short",
      "www.seen.test",
      "A",
    ];
    expect((await run("kdig", args)).trim().split("\n")).toEqual([
      `${testBed.target}.`,
      "127.0.0.1",
    ]);
  });

  test("a change is served by the time its promise resolves", async () => {
    const zone = await testBed.zone("change.test", { records: "www A 192.0.2.0" });
    for (let round = 1; round <= 5; round++) {
      await zone.set(`www A 192.0.2.${round}`);
      expect(await dataOf(testBed.knotA, "www.change.test", "A")).toEqual([`A 192.0.2.${round}`]);
    }
  });

  test("zones made at the same time do not get in each other's way", async () => {
    const names = ["one.test", "two.test", "three.test"];
    await Promise.all(names.map((name) => testBed.zone(name, { records: `@ TXT ${name}` })));
    for (const name of names)
      expect(await dataOf(testBed.unbound, name, "TXT")).toEqual([`TXT ${name}`]);
  });

  test("a zone that makes no sense is refused with the server's own words", async () => {
    const { knotA, powerDns } = testBed;
    const beside = { records: "www CNAME a.test.\nwww A 192.0.2.1" };
    expect((await rejectionOf(knotA.setZone("broken.test", beside))).message).toMatch(/CNAME/);
    await knotA.setZone("broken.test", { records: "www A 192.0.2.1" });
    expect(await dataOf(knotA, "www.broken.test", "A")).toEqual(["A 192.0.2.1"]);
    const nonsense = powerDns.setZone("broken.test", { records: "www NONSENSE 1" });
    expect((await rejectionOf(nonsense)).message).toMatch(/broken\.test/);
  });

  test("the absence of a name says how long it may be remembered", async () => {
    await testBed.zone("negative.test", { minimum: 17, ttl: 900 });
    const { rcode, authorities } = await askServer(testBed.knotA, "www.negative.test", "A");
    expect(rcode).toBe("NXDOMAIN");
    expect(authorities).toMatchObject([{ type: "SOA", ttl: 17, data: { minimum: 17 } }]);
    expect((await askRecursor("www.negative.test", "A")).authorities).toMatchObject([
      { type: "SOA", ttl: 17 },
    ]);
  });

  test("two name servers of one zone can disagree", async () => {
    const { knotA, knotB } = testBed;
    const zone = await testBed.zone("split.test", {
      servers: [knotA, knotB],
      records: "www A 192.0.2.1",
    });
    await zone.setOn(knotB, "www A 192.0.2.2");
    expect(await dataOf(knotA, "www.split.test", "A")).toEqual(["A 192.0.2.1"]);
    expect(await dataOf(knotB, "www.split.test", "A")).toEqual(["A 192.0.2.2"]);
  });

  test("a zone's NS records lead from the recursor to the servers themselves", async () => {
    const { knotA, knotB } = testBed;
    await testBed.zone("walk.test", { servers: [knotA, knotB], records: "www A 192.0.2.7" });
    const named = await dataOf(testBed.unbound, "walk.test", "NS");
    expect(named.sort()).toEqual(["NS ns1.walk.test", "NS ns2.walk.test"]);
    const addresses = await Promise.all(
      named.map((each) => dataOf(testBed.unbound, each.slice(3), "A")),
    );
    expect(addresses.flat()).toEqual([`A ${knotA.address}`, `A ${knotB.address}`]);
    for (const server of [knotA, knotB])
      expect(await dataOf(server, "www.walk.test", "A")).toEqual(["A 192.0.2.7"]);
  });

  test("CNAMEs can lead from zone to zone, and in a circle", async () => {
    await testBed.zone("left.test", { records: "www CNAME www.right.test." });
    const right = await testBed.zone("right.test", { records: `www CNAME ${testBed.target}.` });
    expect(await dataOf(testBed.unbound, "www.left.test", "A")).toEqual([
      "CNAME www.right.test",
      `CNAME ${testBed.target}`,
      "A 127.0.0.1",
    ]);
    await right.set("www CNAME www.left.test.");
    await testBed.flush();
    expect(await dataOf(testBed.knotA, "www.right.test", "A")).toContain("CNAME www.left.test");
    expect(await dataOf(testBed.unbound, "www.left.test", "A")).not.toContain("A 127.0.0.1");
  });

  test("PowerDNS answers an ALIAS at the apex with the addresses of its target", async () => {
    const { powerDns, knotA } = testBed;
    const goal = await testBed.zone("goal.test", {
      records: "www A 192.0.2.4\nwww AAAA 2001:db8::4",
    });
    const apex = await testBed.zone("apex.test", {
      servers: [powerDns],
      records: "@ ALIAS www.goal.test.",
    });
    expect(await dataOf(powerDns, "apex.test", "A")).toEqual(["A 192.0.2.4"]);
    expect(await dataOf(powerDns, "apex.test", "AAAA")).toEqual(["AAAA 2001:db8::4"]);
    expect(await dataOf(testBed.unbound, "apex.test", "A")).toEqual(["A 192.0.2.4"]);
    await goal.setOn(knotA, "www A 192.0.2.5");
    await testBed.flush();
    expect(await dataOf(powerDns, "apex.test", "A")).toEqual(["A 192.0.2.5"]);
    await apex.set("@ A 192.0.2.6");
    expect(await dataOf(powerDns, "apex.test", "A")).toEqual(["A 192.0.2.6"]);
    await apex.remove();
    expect((await askServer(powerDns, "apex.test", "A")).rcode).toBe("REFUSED");
  });

  test("the recursor remembers until it is told to forget", async () => {
    const zone = await testBed.zone("stale.test", { ttl: 3600, records: "www A 192.0.2.1" });
    expect(await dataOf(testBed.unbound, "www.stale.test", "A")).toEqual(["A 192.0.2.1"]);
    await zone.set("www A 192.0.2.2");
    expect(await dataOf(testBed.knotA, "www.stale.test", "A")).toEqual(["A 192.0.2.2"]);
    expect(await dataOf(testBed.unbound, "www.stale.test", "A")).toEqual(["A 192.0.2.1"]);
    await testBed.flush("www.stale.test");
    expect(await dataOf(testBed.unbound, "www.stale.test", "A")).toEqual(["A 192.0.2.2"]);
  });

  test("the recursor also remembers what was not there, of any type", async () => {
    const zone = await testBed.zone("later.test", { minimum: 3600 });
    expect((await askRecursor("www.later.test", "CAA")).rcode).toBe("NXDOMAIN");
    await zone.set('www CAA 0 issue "ca.example"');
    expect((await askRecursor("www.later.test", "CAA")).rcode).toBe("NXDOMAIN");
    await testBed.flush("www.later.test");
    expect((await askRecursor("www.later.test", "CAA")).answers).toHaveLength(1);
  });

  test("a name of no zone does not exist, its top-level domain does", async () => {
    expect((await askRecursor("nobody.test", "A")).rcode).toBe("NXDOMAIN");
    const top = await askRecursor("test", "CAA");
    expect([top.rcode, top.answers]).toEqual(["NOERROR", []]);
  });

  test("a zone that was removed is gone for everybody", async () => {
    const zone = await testBed.zone("sold.test", { records: "www A 192.0.2.1" });
    expect((await askRecursor("www.sold.test", "A")).rcode).toBe("NOERROR");
    await zone.remove();
    expect((await askRecursor("www.sold.test", "A")).rcode).toBe("NXDOMAIN");
    expect((await askServer(testBed.knotA, "www.sold.test", "A")).rcode).toBe("NXDOMAIN");
  });

  test("a misbehaving server is named and asked like any other", async () => {
    const lame = await testBed.silentServer("servfail");
    await testBed.zone("lame.test", { servers: [], furtherServers: [lame] });
    expect((await askRecursor("www.lame.test", "A")).rcode).toBe("SERVFAIL");
    lame.records = [{ name: "www.lame.test", type: "A", ttl: 60, data: "192.0.2.9" }];
    lame.mode = "truncated";
    await testBed.flush();
    expect(await dataOf(testBed.unbound, "www.lame.test", "A")).toEqual(["A 192.0.2.9"]);
    expect(lame.heard.map(({ transport }) => transport)).toContain("tcp");
  });

  test("a test bed of which one part cannot start leaves nothing running", async () => {
    const before = children();
    const fault = await rejectionOf(startTestBed({ cacheMaxTtl: Number.NaN }));
    expect(fault.message).toMatch(/unbound did not start/);
    expect(children()).toEqual(before);
  });

  test("a second test bed stands beside the first, with the same names and other contents", async () => {
    const second = await startTestBed({ ipv6: true });
    try {
      expect(await dataOf(testBed.unbound, testBed.target, "AAAA")).toEqual([]);
      const { address } = second.unbound;
      const there = await ask({
        address,
        port: second.dnsPort,
        name: testBed.target,
        type: "AAAA",
      });
      expect(there.answers).toMatchObject([{ data: "::1" }]);
    } finally {
      await second.stop();
    }
  });
});

/** The processes that this one has started and that are still there. */
function children(): string[] {
  const statuses = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => statusOf(pid));
  return statuses
    .filter((status) => new RegExp(`^PPid:\\s+${process.pid}$`, "m").test(status))
    .map((status) => /^Pid:.*$/m.exec(status)?.[0] ?? "")
    .sort();
}

function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}
