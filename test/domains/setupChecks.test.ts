import { describe, expect, test } from "bun:test";
import type { DnsAnswer } from "../../src/hosting/domains/resolver.ts";
import {
  type AuthorityObservation,
  type DomainsObservation,
  judgeSetup,
  type NameObservation,
  type PortObservation,
  type Reached,
  type SetupObservation,
} from "../../src/hosting/domains/setupChecks.ts";

const host = "api.example.com";
const machine = "198.51.100.7";

const absent: DnsAnswer = {
  kind: "absent",
  reason: "nxdomain",
  records: [],
  rememberedSeconds: undefined,
};
const found = (type: "A" | "AAAA", ...values: string[]): DnsAnswer => ({
  kind: "found",
  records: [
    { name: host, type: "CNAME", ttlSeconds: 60, value: "elsewhere.example.com" },
    ...values.map((value) => ({ name: host, type, ttlSeconds: 60, value })),
  ],
});
const name = (parts: Partial<NameObservation> = {}): NameObservation => ({
  host,
  a: found("A", machine),
  aaaa: absent,
  caa: { kind: "permitted" },
  reached: [{ address: machine, port: 80, by: "us" }],
  ...parts,
});
const answered = {
  kind: "answered",
  prefix: "PETSTORE_ACME",
  name: "https://ca.example/directory",
  tookMs: 80.4,
  aheadMs: 400,
  externalAccountMissing: false,
  accountByEmail: false,
} as const satisfies AuthorityObservation;
const domains = (parts: Partial<DomainsObservation> = {}): DomainsObservation => ({
  names: [name()],
  ownAddresses: ["127.0.0.1", machine, "::1"],
  ports: [port("free")],
  authorities: [answered],
  fallbackNeedsContact: false,
  ...parts,
});
const port = (state: PortObservation["state"]): PortObservation => ({
  port: 80,
  setting: "PETSTORE_EDGE_HTTP_PORT",
  host: "0.0.0.0",
  state,
});
const ready: SetupObservation = {
  domains: domains(),
  database: { kind: "found", path: "/data/petstore.db", pendingMigrations: 0 },
  disk: { folder: "/data", freeBytes: 20 * 1024 ** 3, refused: undefined, syncMs: 2 },
  connectionsPossible: 10_000,
};

/** The one check of this kind, without what it is about. */
function judged(check: string, observed: Partial<SetupObservation>) {
  const all = judgeSetup({ ...ready, ...observed }).filter((each) => each.check === check);
  expect(all).toHaveLength(1);
  const { verdict, seen, next } = all[0] as (typeof all)[number];
  return { verdict, seen, next };
}
const withDomains = (parts: Partial<DomainsObservation>) => ({ domains: domains(parts) });

test("a machine with everything is ready, and each check says what was seen", () => {
  expect(judgeSetup(ready)).toEqual([
    {
      check: "dns",
      subject: host,
      verdict: "ok",
      seen: "api.example.com leads to this machine (198.51.100.7).",
    },
    {
      check: "caa",
      subject: host,
      verdict: "ok",
      seen: "No CAA record keeps the certificate authority from issuing.",
    },
    {
      check: "port",
      subject: "80",
      verdict: "ok",
      seen: "It is free, and this user may listen on it.",
    },
    { check: "authority", verdict: "ok", seen: "https://ca.example/directory answered in 80 ms." },
    { check: "clock", verdict: "ok", seen: "It agrees with that of the authority." },
    { check: "database", verdict: "ok", seen: "/data/petstore.db can be read." },
    { check: "disk", verdict: "ok", seen: "/data can be written to, and 20480 MiB are free." },
    { check: "files", verdict: "ok", seen: "The limit on open files is high enough." },
  ]);
});

test("without a name nothing of names is checked, and without a database nothing of that", () => {
  const checks = judgeSetup({ ...ready, domains: undefined, database: undefined });
  expect(checks.map(({ check }) => check)).toEqual(["disk", "files"]);
});

describe("a name", () => {
  const dns = (parts: Partial<NameObservation>) =>
    judged("dns", withDomains({ names: [name(parts)] }));
  const reached = (address: string, by: Reached["by"], at = 80) => ({ address, port: at, by });

  test("that is not in DNS is a problem", () => {
    expect(dns({ a: absent })).toEqual({
      verdict: "problem",
      seen: "api.example.com has no address in DNS.",
      next: "Create an A or AAAA record for api.example.com with the address of this machine.",
    });
  });

  test("that could not be looked up is a problem of the network, not of the records", () => {
    const a = { kind: "unreachable", reason: "timeout", detail: "Recursor 1 is silent." } as const;
    expect(dns({ a })).toEqual({
      verdict: "problem",
      seen: "The addresses of api.example.com could not be looked up: Recursor 1 is silent.",
      next: "Check the connection of this machine to its name servers, or set PETSTORE_DNS_RECURSORS.",
    });
  });

  test("that leads here is right, wherever this machine does not listen yet", () => {
    expect(dns({ reached: [] }).verdict).toBe("ok");
  });

  test("that leads through a router to us is right, whatever its address is", () => {
    const behind = { a: found("A", "203.0.113.9"), reached: [reached("203.0.113.9", "us")] };
    expect(dns(behind)).toMatchObject({
      verdict: "ok",
      seen: "api.example.com leads to this machine (203.0.113.9).",
    });
  });

  for (const tried of [[], [reached("203.0.113.9", "silence")]]) {
    test(`that leads to another address${tried.length ? ", and there to nobody," : ""} may be behind a router`, () => {
      const { verdict, seen, next } = dns({ a: found("A", "203.0.113.9"), reached: tried });
      expect(verdict).toBe("warning");
      expect(seen).toContain("203.0.113.9, which is no address of this machine (198.51.100.7)");
      expect(seen.includes("It does not answer on port 80 from here.")).toBe(tried.length > 0);
      expect(next).toContain("forwards ports 80 and 443");
    });
  }

  test("that leads to another server is a problem, even beside an address of ours", () => {
    const two = {
      a: found("A", machine, "203.0.113.9"),
      reached: [reached(machine, "us"), reached("203.0.113.9", "another")],
    };
    expect(dns(two)).toEqual({
      verdict: "problem",
      seen: "api.example.com leads to 203.0.113.9, where another server answers on port 80.",
      next: "Change the record to an address of this machine (198.51.100.7), or forward the port to it.",
    });
  });

  test("that leads to an address of ours where nobody listens is a problem", () => {
    const six = {
      aaaa: found("AAAA", "::1"),
      reached: [reached(machine, "us"), reached("::1", "refused")],
    };
    expect(dns(six)).toMatchObject({
      verdict: "problem",
      seen: "api.example.com leads to ::1, an address of this machine. It refuses connections on port 80 from here.",
    });
  });

  test("whose port is forwarded to ours may be out of reach from the inside", () => {
    const forwarded = { reached: [reached(machine, "refused", 443)] };
    const { verdict, seen, next } = dns(forwarded);
    expect([verdict, seen]).toEqual([
      "warning",
      "api.example.com leads to 198.51.100.7, an address of this machine. It refuses connections on port 443 from here.",
    ]);
    expect(next).toContain("forwards ports 80 and 443");
  });
});

test("CAA records that forbid are a problem, and unknown ones a warning", () => {
  const finding = { code: "CAA_BLOCKS", message: "It is forbidden.", next: "Permit it." } as const;
  const caa = (kind: "blocked" | "unknown") =>
    judged("caa", withDomains({ names: [name({ caa: { kind, finding } })] }));
  expect(caa("blocked")).toEqual({
    verdict: "problem",
    seen: "It is forbidden.",
    next: "Permit it.",
  });
  expect(caa("unknown").verdict).toBe("warning");
  const unasked = judgeSetup({ ...ready, ...withDomains({ names: [name({ caa: undefined })] }) });
  expect(unasked.some(({ check }) => check === "caa")).toBe(false);
});

test.each([
  ["ours", "ok", "Pet Store listens on it."],
  ["taken", "problem", "Another program listens on it."],
  ["forbidden", "problem", "This user may not listen on it."],
  ["no_address", "problem", "PETSTORE_EDGE_HOST is 0.0.0.0, which is no address of this machine."],
] as const)("a port that is %s is judged %s", (state, verdict, seen) => {
  const { next, ...rest } = judged("port", withDomains({ ports: [port(state)] }));
  expect(rest).toEqual({ verdict, seen });
  if (state === "taken") expect(next).toContain("PETSTORE_EDGE_HTTP_PORT to a free port");
  if (state === "forbidden") expect(next).toContain("CAP_NET_BIND_SERVICE");
});

describe("the authority", () => {
  const authority = (parts: Partial<Extract<AuthorityObservation, { kind: "answered" }>>) =>
    withDomains({ authorities: [{ ...answered, ...parts }] });
  const away = {
    kind: "failed",
    prefix: "PETSTORE_ACME",
    name: "https://ca.example/",
  } as const;
  const failed = (detail: string) => withDomains({ authorities: [{ ...away, detail }] });

  test("that cannot be reached is a problem, and leaves the clock unjudged", () => {
    const unreached = failed("The authority cannot be reached (ENOTFOUND).");
    expect(judged("authority", unreached)).toMatchObject({
      verdict: "problem",
      seen: "https://ca.example/: The authority cannot be reached (ENOTFOUND).",
    });
    expect(judgeSetup({ ...ready, ...unreached }).some(({ check }) => check === "clock")).toBe(
      false,
    );
  });

  test("whose certificate is not valid now hints at the clock", () => {
    const { next } = judged("authority", failed("It cannot be reached (CERT_NOT_YET_VALID)."));
    expect(next).toContain("clock");
  });

  test("that is slow is a warning, and one that wants another account a problem", () => {
    expect(judged("authority", authority({ tookMs: 5_001 })).verdict).toBe("warning");
    const external = authority({ externalAccountMissing: true });
    expect(judged("authority", external).verdict).toBe("problem");
  });

  test("is judged beside its fallback, each with the names of its settings", () => {
    const prefix = "PETSTORE_ACME_FALLBACK";
    const fallback = { ...answered, prefix, aheadMs: 400_000, externalAccountMissing: true };
    const checks = judgeSetup({ ...ready, ...withDomains({ authorities: [answered, fallback] }) });
    expect(checks.filter(({ check }) => check === "authority")).toMatchObject([
      { subject: "first", verdict: "ok" },
      { subject: "fallback", verdict: "problem", next: expect.stringContaining(`${prefix}_EAB`) },
    ]);
    expect(checks.find(({ check }) => check === "clock")?.verdict).toBe("ok");
  });

  test("that cannot be reached as the fallback is a warning, since the first one issues", () => {
    const authorities = [answered, { ...away, detail: "It is away." }];
    const checks = judgeSetup({ ...ready, ...withDomains({ authorities }) });
    expect(checks.filter(({ check }) => check === "authority")).toMatchObject([
      { subject: "first", verdict: "ok" },
      { subject: "fallback", verdict: "warning" },
    ]);
  });

  test("that makes an account for the contact address says so, and without one how to get it", () => {
    const { seen } = judged("authority", authority({ accountByEmail: true }));
    expect(seen).toEndWith("an account for PETSTORE_ACME_CONTACT when it is first needed.");
    const checks = judgeSetup({ ...ready, ...withDomains({ fallbackNeedsContact: true }) });
    expect(checks.filter(({ check }) => check === "authority")).toMatchObject([
      { verdict: "ok" },
      {
        subject: "fallback",
        verdict: "warning",
        next: expect.stringMatching(/^Set PETSTORE_ACME_CONTACT .*PETSTORE_ACME_FALLBACK=off\.$/),
      },
    ]);
  });

  test.each([
    [30_000, "ok", "It agrees with that of the authority."],
    [31_000, "warning", "It is 31 seconds behind that of the authority."],
    [-299_000, "warning", "It is 299 seconds ahead of that of the authority."],
    [-301_000, "problem", "It is 301 seconds ahead of that of the authority."],
  ] as const)("that is %p ms ahead makes the clock %s", (aheadMs, verdict, seen) => {
    expect(judged("clock", authority({ aheadMs }))).toMatchObject({ verdict, seen });
  });
});

test("a database that is refused is a problem; one that is not there yet is made", () => {
  const path = "postgres://db.example/petstore";
  expect(
    judged("database", { database: { kind: "failed", path, reason: "It is away." } }),
  ).toMatchObject({ verdict: "problem", seen: `${path}: It is away.` });
  expect(judged("database", { database: { kind: "none", path } }).verdict).toBe("ok");
  const old = { database: { kind: "found", path, pendingMigrations: 2 } } as const;
  expect(judged("database", old).seen).toContain("the next start brings it up to date");
});

test.each([
  [{ refused: "EROFS" }, "problem", "Nothing can be written to /data (EROFS)."],
  [{ freeBytes: 63 * 1024 ** 2 }, "problem", "63 MiB are free in /data."],
  [{ freeBytes: 900 * 1024 ** 2 }, "warning", "900 MiB are free in /data."],
  [{ syncMs: 201 }, "warning", "A write to /data took 201 ms to be on the disk."],
  [{ freeBytes: undefined, syncMs: undefined }, "ok", "/data can be written to."],
] as const)("a disk with %p is judged %s", (parts, verdict, seen) => {
  expect(judged("disk", { disk: { ...ready.disk, ...parts } })).toMatchObject({ verdict, seen });
});

test("few open files are a warning, and hardly any a problem", () => {
  expect(judged("files", { connectionsPossible: 999 })).toMatchObject({
    verdict: "warning",
    seen: "The limit on open files leaves room for 999 connections.",
  });
  expect(judged("files", { connectionsPossible: 16 }).verdict).toBe("problem");
});
