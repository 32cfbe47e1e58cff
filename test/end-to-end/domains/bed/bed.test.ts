/** The name servers and the recursor do what the tests that rely on them take for granted. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { rejectionOf } from "../../../store/rejection.ts";
import { ask } from "./ask.ts";
import { type Bed, startBed } from "./bed.ts";
import { run } from "./processes.ts";
import { describeWithBed } from "./tools.ts";

let bed: Bed;

describeWithBed("the bed", () => {
  beforeAll(async () => {
    bed = await startBed();
  });
  afterAll(() => bed?.stop());

  const askServer = ({ address }: { address: string }, name: string, type: string) =>
    ask({ address, port: bed.dnsPort, name, type });
  const askRecursor = (name: string, type: string) => askServer(bed.unbound, name, type);

  /** The data of the answers as text, whatever the type. */
  async function dataOf(server: { address: string }, name: string, type: string) {
    const { answers = [] } = await askServer(server, name, type);
    return answers.map((answer) => ("data" in answer ? `${answer.type} ${answer.data}` : ""));
  }

  test("knot serves every kind of record with authority", async () => {
    await bed.zone("kinds.test", {
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
    const { knotA } = bed;
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
    await bed.zone("seen.test", { records: `www CNAME ${bed.target}.` });
    const args = [
      `@${bed.unbound.address}`,
      "-p",
      `${bed.dnsPort}`,
      "+short",
      "www.seen.test",
      "A",
    ];
    expect((await run("kdig", args)).trim().split("\n")).toEqual([`${bed.target}.`, "127.0.0.1"]);
  });

  test("a change is served by the time its promise resolves", async () => {
    const zone = await bed.zone("change.test", { records: "www A 192.0.2.0" });
    for (let round = 1; round <= 5; round++) {
      await zone.set(`www A 192.0.2.${round}`);
      expect(await dataOf(bed.knotA, "www.change.test", "A")).toEqual([`A 192.0.2.${round}`]);
    }
  });

  test("zones made at the same time do not get in each other's way", async () => {
    const names = ["one.test", "two.test", "three.test"];
    await Promise.all(names.map((name) => bed.zone(name, { records: `@ TXT ${name}` })));
    for (const name of names)
      expect(await dataOf(bed.unbound, name, "TXT")).toEqual([`TXT ${name}`]);
  });

  test("a zone that makes no sense is refused with the server's own words", async () => {
    const { knotA, powerDns } = bed;
    const beside = { records: "www CNAME a.test.\nwww A 192.0.2.1" };
    expect((await rejectionOf(knotA.setZone("broken.test", beside))).message).toMatch(/CNAME/);
    await knotA.setZone("broken.test", { records: "www A 192.0.2.1" });
    expect(await dataOf(knotA, "www.broken.test", "A")).toEqual(["A 192.0.2.1"]);
    const nonsense = powerDns.setZone("broken.test", { records: "www NONSENSE 1" });
    expect((await rejectionOf(nonsense)).message).toMatch(/broken\.test/);
  });

  test("the absence of a name says how long it may be remembered", async () => {
    await bed.zone("negative.test", { minimum: 17, ttl: 900 });
    const { rcode, authorities } = await askServer(bed.knotA, "www.negative.test", "A");
    expect(rcode).toBe("NXDOMAIN");
    expect(authorities).toMatchObject([{ type: "SOA", ttl: 17, data: { minimum: 17 } }]);
    expect((await askRecursor("www.negative.test", "A")).authorities).toMatchObject([
      { type: "SOA", ttl: 17 },
    ]);
  });

  test("two name servers of one zone can disagree", async () => {
    const { knotA, knotB } = bed;
    const zone = await bed.zone("split.test", {
      servers: [knotA, knotB],
      records: "www A 192.0.2.1",
    });
    await zone.setOn(knotB, "www A 192.0.2.2");
    expect(await dataOf(knotA, "www.split.test", "A")).toEqual(["A 192.0.2.1"]);
    expect(await dataOf(knotB, "www.split.test", "A")).toEqual(["A 192.0.2.2"]);
  });

  test("a zone's NS records lead from the recursor to the servers themselves", async () => {
    const { knotA, knotB } = bed;
    await bed.zone("walk.test", { servers: [knotA, knotB], records: "www A 192.0.2.7" });
    const named = await dataOf(bed.unbound, "walk.test", "NS");
    expect(named.sort()).toEqual(["NS ns1.walk.test", "NS ns2.walk.test"]);
    const addresses = await Promise.all(
      named.map((each) => dataOf(bed.unbound, each.slice(3), "A")),
    );
    expect(addresses.flat()).toEqual([`A ${knotA.address}`, `A ${knotB.address}`]);
    for (const server of [knotA, knotB])
      expect(await dataOf(server, "www.walk.test", "A")).toEqual(["A 192.0.2.7"]);
  });

  test("CNAMEs can lead from zone to zone, and in a circle", async () => {
    await bed.zone("left.test", { records: "www CNAME www.right.test." });
    const right = await bed.zone("right.test", { records: `www CNAME ${bed.target}.` });
    expect(await dataOf(bed.unbound, "www.left.test", "A")).toEqual([
      "CNAME www.right.test",
      `CNAME ${bed.target}`,
      "A 127.0.0.1",
    ]);
    await right.set("www CNAME www.left.test.");
    await bed.flush();
    expect(await dataOf(bed.knotA, "www.right.test", "A")).toContain("CNAME www.left.test");
    expect(await dataOf(bed.unbound, "www.left.test", "A")).not.toContain("A 127.0.0.1");
  });

  test("PowerDNS answers an ALIAS at the apex with the addresses of its target", async () => {
    const { powerDns, knotA } = bed;
    const goal = await bed.zone("goal.test", { records: "www A 192.0.2.4\nwww AAAA 2001:db8::4" });
    const apex = await bed.zone("apex.test", {
      servers: [powerDns],
      records: "@ ALIAS www.goal.test.",
    });
    expect(await dataOf(powerDns, "apex.test", "A")).toEqual(["A 192.0.2.4"]);
    expect(await dataOf(powerDns, "apex.test", "AAAA")).toEqual(["AAAA 2001:db8::4"]);
    expect(await dataOf(bed.unbound, "apex.test", "A")).toEqual(["A 192.0.2.4"]);
    await goal.setOn(knotA, "www A 192.0.2.5");
    await bed.flush();
    expect(await dataOf(powerDns, "apex.test", "A")).toEqual(["A 192.0.2.5"]);
    await apex.set("@ A 192.0.2.6");
    expect(await dataOf(powerDns, "apex.test", "A")).toEqual(["A 192.0.2.6"]);
    await apex.remove();
    expect((await askServer(powerDns, "apex.test", "A")).rcode).toBe("REFUSED");
  });

  test("the recursor remembers until it is told to forget", async () => {
    const zone = await bed.zone("stale.test", { ttl: 3600, records: "www A 192.0.2.1" });
    expect(await dataOf(bed.unbound, "www.stale.test", "A")).toEqual(["A 192.0.2.1"]);
    await zone.set("www A 192.0.2.2");
    expect(await dataOf(bed.knotA, "www.stale.test", "A")).toEqual(["A 192.0.2.2"]);
    expect(await dataOf(bed.unbound, "www.stale.test", "A")).toEqual(["A 192.0.2.1"]);
    await bed.flush("www.stale.test");
    expect(await dataOf(bed.unbound, "www.stale.test", "A")).toEqual(["A 192.0.2.2"]);
  });

  test("the recursor also remembers what was not there, of any type", async () => {
    const zone = await bed.zone("later.test", { minimum: 3600 });
    expect((await askRecursor("www.later.test", "CAA")).rcode).toBe("NXDOMAIN");
    await zone.set('www CAA 0 issue "ca.example"');
    expect((await askRecursor("www.later.test", "CAA")).rcode).toBe("NXDOMAIN");
    await bed.flush("www.later.test");
    expect((await askRecursor("www.later.test", "CAA")).answers).toHaveLength(1);
  });

  test("a name of no zone does not exist, its top-level domain does", async () => {
    expect((await askRecursor("nobody.test", "A")).rcode).toBe("NXDOMAIN");
    const top = await askRecursor("test", "CAA");
    expect([top.rcode, top.answers]).toEqual(["NOERROR", []]);
  });

  test("a zone that was removed is gone for everybody", async () => {
    const zone = await bed.zone("sold.test", { records: "www A 192.0.2.1" });
    expect((await askRecursor("www.sold.test", "A")).rcode).toBe("NOERROR");
    await zone.remove();
    expect((await askRecursor("www.sold.test", "A")).rcode).toBe("NXDOMAIN");
    expect((await askServer(bed.knotA, "www.sold.test", "A")).rcode).toBe("NXDOMAIN");
  });

  test("a misbehaving server is named and asked like any other", async () => {
    const lame = await bed.silentServer("servfail");
    await bed.zone("lame.test", { servers: [], furtherServers: [lame] });
    expect((await askRecursor("www.lame.test", "A")).rcode).toBe("SERVFAIL");
    lame.records = [{ name: "www.lame.test", type: "A", ttl: 60, data: "192.0.2.9" }];
    lame.mode = "truncated";
    await bed.flush();
    expect(await dataOf(bed.unbound, "www.lame.test", "A")).toEqual(["A 192.0.2.9"]);
    expect(lame.heard.map(({ transport }) => transport)).toContain("tcp");
  });

  test("a bed of which one part cannot start leaves nothing running", async () => {
    const before = children();
    const fault = await rejectionOf(startBed({ cacheMaxTtl: Number.NaN }));
    expect(fault.message).toMatch(/unbound did not start/);
    expect(children()).toEqual(before);
  });

  test("a second bed stands beside the first, with the same names and other contents", async () => {
    const second = await startBed({ ipv6: true });
    try {
      expect(await dataOf(bed.unbound, bed.target, "AAAA")).toEqual([]);
      const { address } = second.unbound;
      const there = await ask({ address, port: second.dnsPort, name: bed.target, type: "AAAA" });
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
