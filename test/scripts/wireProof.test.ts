/** How the suites of `npm run proof` that look at the wire read what their tools report. */
import { describe, expect, test } from "bun:test";
import { objection, readCase } from "../../scripts/proof/suites/http11.ts";
import { judgeAnswers } from "../../scripts/proof/suites/redbot.ts";
import { judgeProfile, judgeScans, type SslyzeReport } from "../../scripts/proof/suites/sslyze.ts";
import { judgeFindings } from "../../scripts/proof/suites/testssl.ts";

describe("sslyze", () => {
  test("a target that does not comply fails with what it objects to", () => {
    const text = `
    a.example:443: OK - Compliant.

    b.example:443: FAILED - Not compliant.
        * tls_versions: TLS versions {'TLSv1'} are supported, but should be rejected.
`;
    expect(judgeProfile(["a.example:443", "b.example:443", "c.example:443"], text)).toEqual([
      { id: "a.example profile", says: undefined },
      { id: "b.example profile", says: expect.stringContaining("TLSv1") },
      { id: "c.example profile", says: expect.any(String) },
    ]);
  });

  const scan = (result: Record<string, unknown>) => ({ status: "COMPLETED", result });
  const deployment = {
    received_chain_has_valid_order: true,
    received_chain_contains_anchor_certificate: false,
    verified_chain_has_sha1_signature: false,
    path_validation_results: [
      { trust_store: { name: "Mozilla" }, was_validation_successful: false },
      { trust_store: { name: "Supplied CA file" }, was_validation_successful: true },
    ],
  };
  const sound: Record<string, ReturnType<typeof scan>> = {
    heartbleed: scan({ is_vulnerable_to_heartbleed: false }),
    openssl_ccs_injection: scan({ is_vulnerable_to_ccs_injection: false }),
    robot: scan({ robot_result: "NOT_VULNERABLE_RSA_NOT_SUPPORTED" }),
    session_renegotiation: scan({ is_vulnerable_to_client_renegotiation_dos: false }),
    tls_compression: scan({ supports_compression: false }),
    tls_fallback_scsv: scan({ supports_fallback_scsv: true }),
    tls_extended_master_secret: scan({ supports_ems_extension: true }),
    tls_1_3_early_data: scan({ supports_early_data: false }),
    certificate_info: scan({ certificate_deployments: [deployment] }),
  };
  const report = (scan_result: SslyzeReport["server_scan_results"][number]["scan_result"]) => ({
    sslyze_version: "1",
    server_scan_results: [{ server_location: { hostname: "a.example" }, scan_result }],
  });
  const failed = (scans: typeof sound, targets = 1) =>
    judgeScans(targets, report(scans))
      .filter(({ says }) => says !== undefined)
      .map(({ id }) => id);

  test("a server without a weakness passes", () => {
    expect(failed(sound)).toEqual([]);
  });

  test("a weakness, a scan that is missing and a target that was not reached fail", () => {
    const { robot: _, ...others } = sound;
    const weak = { ...others, heartbleed: scan({ is_vulnerable_to_heartbleed: true }) };
    expect(failed(weak, 2)).toEqual(["a.example heartbleed", "a.example robot", "targets"]);
  });

  test("a certificate of another authority fails, and so does a chain that has its root", () => {
    const untrusted = deployment.path_validation_results.slice(0, 1);
    for (const wrong of [
      { path_validation_results: untrusted },
      { received_chain_contains_anchor_certificate: true },
    ]) {
      const certificate_info = scan({ certificate_deployments: [{ ...deployment, ...wrong }] });
      expect(failed({ ...sound, certificate_info })).toEqual(["a.example certificate"]);
    }
  });
});

test("what testssl.sh neither approves of nor merely states has failed", () => {
  const found = [
    { id: "TLS1_2", severity: "OK", finding: "offered" },
    { id: "cipher_order", severity: "INFO", finding: "server" },
    { id: "BREACH", severity: "MEDIUM", finding: "gzip" },
    { id: "scanTime", severity: "WARN", finding: "interrupted" },
  ];
  expect(judgeFindings(found)).toEqual({
    passed: 2,
    failures: [{ id: "BREACH", says: "MEDIUM: gzip" }],
  });
});

describe("REDbot", () => {
  const wanted = [{ name: "getPet", status: 200 }];
  const note = (level: "good" | "info" | "warning" | "bad", name: string) => ({
    ...{ level, note: name, subject: "field-etag", summary: `It is ${level}.` },
  });

  test("what it calls bad or warns of fails, by the resource and the note", () => {
    const notes = [note("good", "A"), note("info", "B"), note("warning", "C"), note("bad", "D")];
    const answers = [{ name: "getPet", status: 200, error: null, notes }];
    expect(judgeAnswers(wanted, answers)).toEqual({
      passed: 2,
      failures: [
        { id: "getPet C field-etag", says: "warning: It is warning." },
        { id: "getPet D field-etag", says: "bad: It is bad." },
      ],
    });
  });

  test("another status than the expected one fails, and so does no answer", () => {
    const refused = [{ name: "getPet", status: 500, error: null, notes: [] }];
    for (const answers of [refused, []]) {
      expect(judgeAnswers(wanted, answers).failures.map(({ id }) => id)).toEqual(["getPet"]);
    }
  });
});

describe("gunicorn's requests", () => {
  const file = Buffer.from("GET / HTTP/1.1\\r\\n\nHost: a\\tb\\x80\\0\\r\\n\n\\r\\n\n");
  const twoMethods = 'request = [{ "method": "GET" }, { "method": "GET" }]';

  test("are sent as the bytes that their files spell out", () => {
    const [{ bytes } = { bytes: Buffer.alloc(0) }] = readCase("valid/1", file, twoMethods);
    expect(bytes.toString("latin1")).toBe("GET / HTTP/1.1\r\nHost: a\tb\x80\0\r\n\r\n");
  });

  test("are valid with a Host alone, and are left out where they are about an option", () => {
    const hostless = Buffer.from("GET / HTTP/1.1\\r\\n\n\\r\\n\n");
    const expected = (id: string, bytes: Buffer, says: string) =>
      readCase(id, bytes, says).map(({ expects }) => expects);
    expect(expected("valid/1", file, twoMethods)).toEqual([{ served: 2 }]);
    expect(expected("valid/1", hostless, twoMethods)).toEqual([{ refused: true }]);
    expect(expected("invalid/1", file, "request = InvalidHeader")).toEqual([{ refused: true }]);
    expect(expected("invalid/1", file, "request = LimitRequestLine")).toEqual([]);
    expect(expected("valid/1", file, `cfg.set("x", 1)\n${twoMethods}`)).toEqual([]);
  });

  test("fail where a valid one is refused, and where an invalid one is not", () => {
    const answer = (...statuses: number[]) =>
      statuses.map((status) => `HTTP/1.1 ${status} Reason\r\n\r\n`).join("");
    const judged = (id: string, says: string, said: string) =>
      readCase(id, file, says).map((one) => objection(one, said));
    expect(judged("valid/1", twoMethods, answer(404, 200))).toEqual([undefined]);
    expect(judged("valid/1", twoMethods, answer(200))).toEqual([expect.any(String)]);
    expect(judged("valid/1", twoMethods, answer(200, 400))).toEqual([expect.any(String)]);
    expect(judged("valid/1", twoMethods, answer(200, 500))).toEqual([expect.any(String)]);
    expect(judged("invalid/1", "", answer(200, 400))).toEqual([undefined]);
    expect(judged("invalid/1", "", "")).toEqual([undefined]);
    expect(judged("invalid/1", "", answer(404))).toEqual([expect.any(String)]);
  });
});
