/** The rules of `npm run cluster`; the cluster itself takes minutes. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { adapted, agreedView, deployed, leaseOf } from "../../torture/cluster/cluster.ts";
import { failoverSeconds, faults, switchoverSeconds } from "../../torture/cluster/faults.ts";
import { missing } from "../../torture/cluster/missing.ts";
import { dropRules } from "../../torture/cluster/network.ts";
import { readEnv } from "../../torture/cluster/node.ts";
import { longestGap } from "../../torture/cluster/outages.ts";
import { type Outcome, outcomeTable, tooLong } from "../../torture/cluster/outcomes.ts";

const outcome: Outcome = {
  ...{ name: "switchover", lastedSeconds: 1, readMs: 900, writeMs: 4_000 },
  ...{ readSecondsMax: 3, writeSecondsMax: 4 },
};

describe("an outage", () => {
  test("is the longest time without a success, in whichever order they came", () => {
    expect(longestGap(0, 1_000, [100, 900, 200])).toBe(700);
    expect(longestGap(0, 1_000, [950])).toBe(950);
    expect(longestGap(0, 1_000, [10])).toBe(990);
    expect(longestGap(0, 1_000, [])).toBe(1_000);
  });

  test("is too long beyond what the fault allows, for reads and for writes", () => {
    expect(tooLong(outcome)).toBeUndefined();
    expect(tooLong({ ...outcome, writeMs: 4_001 })).toMatch(/no writes for 4.0 of at most 4 s/);
    expect(tooLong({ ...outcome, readMs: 3_001 })).toMatch(/^switchover: no reads for 3.0/);
  });

  test("is shown once for each fault, at its longest", () => {
    const lines = outcomeTable([outcome, { ...outcome, readMs: 2_000, writeMs: 10 }]).split("\n");
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ["Fault", "Times", "No reads", "At most", "No writes", "At most"],
      ["switchover", "2", "2.0", "3", "4.0", "4"],
    ]);
  });

  test("may last as long as the guide says", () => {
    const { ttl, loopWait } = leaseOf(deployed("patroni.yaml"));
    expect([failoverSeconds, switchoverSeconds]).toEqual([ttl + loopWait + 10, loopWait + 10]);
    const guide = readFileSync(new URL("../../docs/guide/postgresql.md", import.meta.url), "utf8");
    for (const seconds of [failoverSeconds, switchoverSeconds]) {
      expect(guide.includes(`${seconds} seconds`)).toBe(true);
    }
  });
});

describe("the example of the guide", () => {
  test("is that of db1, and becomes that of another server", () => {
    const env = (file: string) => readEnv(deployed(file), 2, (number) => `10.0.0.${number}`);
    expect(env("node.env")).toMatchObject({
      PATRONI_NAME: "db2",
      PATRONI_RESTAPI_LISTEN: "10.0.0.2:8008",
      PATRONI_ETCD_HOSTS: "10.0.0.1:2379,10.0.0.2:2379,10.0.0.3:2379",
    });
    expect(env("etcd.env")).toMatchObject({
      ETCD_NAME: "db2",
      ETCD_LISTEN_PEER_URLS: "http://10.0.0.2:2380",
      ETCD_INITIAL_CLUSTER:
        "db1=http://10.0.0.1:2380,db2=http://10.0.0.2:2380,db3=http://10.0.0.3:2380",
    });
  });

  test("is not adapted where it does not say what is replaced", () => {
    expect(adapted("a b a", { a: "c" })).toBe("c b c");
    expect(() => adapted("a", { b: "c" })).toThrow(/contain b/);
  });
});

test("the primary is the one that most servers see", () => {
  const seenBy = (name: string) => [{ name, role: "leader", state: "running" }];
  expect(agreedView([seenBy("db1"), seenBy("db2"), seenBy("db2")])).toEqual(seenBy("db2"));
  expect(agreedView([undefined, undefined, seenBy("db3")])).toEqual(seenBy("db3"));
  expect(agreedView([undefined, seenBy("db1"), seenBy("db2")])).toEqual([]);
  expect(agreedView([[], [], seenBy("db1")])).toEqual([]);
});

test("a server drops what comes from others and goes to them, on all ports or some", () => {
  expect(dropRules({ from: ["10.0.0.2"] }).map((rule) => rule.join(" "))).toEqual([
    "-A INPUT -s 10.0.0.2 -j DROP",
    "-A OUTPUT -d 10.0.0.2 -j DROP",
  ]);
  const [rule] = dropRules({ from: ["10.0.0.2"], ports: [2379, 2380] });
  expect(rule?.join(" ")).toContain("-p tcp -m multiport --ports 2379,2380");
});

test("a machine without the programs is told what to install, and that root is needed", () => {
  expect(missing({ isRoot: false, existsSync: () => true })).toContain("root");
  expect(missing({ isRoot: true, existsSync: () => true })).toBeUndefined();
  const lacks = missing({ isRoot: true, existsSync: (file) => file !== "/usr/bin/etcd" });
  expect(lacks).toMatch(/install --no-install-recommends etcd-server$/);
});

test("faults are told apart by their names", () => {
  expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
});
