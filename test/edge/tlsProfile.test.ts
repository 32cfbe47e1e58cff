import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeUnless } from "../../testkit/describeUnless.ts";
import { rejectionOf } from "../store/rejection.ts";
import { shakeHands } from "./clients.ts";
import { startTestEdge, type TestEdge } from "./testEdge.ts";

let edge: TestEdge;
beforeAll(async () => {
  edge = await startTestEdge();
  edge.attach("a.example");
});
afterAll(() => edge.stop());

/** As https://ssl-config.mozilla.org lists them for the intermediate profile, version 5.7. */
const suites = [
  ...["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"],
  ...["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256"],
  ...["ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384"],
  ...["ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305"],
];

const testssl = Bun.which("testssl") ?? Bun.which("testssl.sh");
const missing = testssl === null ? "not installed: testssl. apt-get install testssl.sh" : undefined;

describeUnless(missing, "testssl.sh finds", () => {
  const found = new Map<string, { readonly severity: string; readonly finding: string }>();
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "petstore-tls-"));
    const file = join(folder, "found.json");
    const parts = ["--protocols", "--standard", "--fs"];
    const where = ["--nodns", "none", "--ip", "127.0.0.1", `a.example:${edge.httpsPort}`];
    const how = ["--quiet", "--warnings", "off", "--jsonfile", file];
    await once(spawn(testssl ?? "", [...how, ...parts, ...where], { stdio: "ignore" }), "exit");
    for (const { id, ...rest } of JSON.parse(readFileSync(file, "utf8"))) found.set(id, rest);
    rmSync(folder, { recursive: true });
  });
  const listed = (id: string) => found.get(id)?.finding.trim().split(" ").toSorted();

  test("nothing to object to", () => {
    // Of the machine that it runs on.
    found.delete("engine_problem");
    const objections = [...found].filter(([, { severity }]) => !/^(?:OK|INFO)$/.test(severity));
    expect(objections).toEqual([]);
    for (const version of ["SSLv3", "TLS1", "TLS1_1"]) {
      expect(found.get(version)?.finding).toBe("not offered");
    }
  });

  test("the suites and curves of Mozilla's intermediate profile alone", () => {
    // Those for RSA need a certificate for it.
    const ours = suites.filter((suite) => !suite.includes("RSA") || suite.includes("ECDSA"));
    expect(listed("PFS_ciphers")).toEqual(ours.toSorted());
    expect(listed("PFS_ECDHE_curves")).toEqual(["X25519", "prime256v1", "secp384r1"]);
    expect(found.get("cipherlist_AVERAGE")?.finding).toBe("not offered");
  });
});

for (const group of ["X25519MLKEM768", "X25519", "P-256", "P-384"]) {
  test(`keys are exchanged by ${group} where a client knows nothing else`, async () => {
    const socket = await shakeHands(edge, "a.example", { ecdhCurve: group, minVersion: "TLSv1.3" });
    expect(socket.getProtocol()).toBe("TLSv1.3");
    socket.destroy();
  });
}

test("keys are exchanged in no other way", async () => {
  await rejectionOf(shakeHands(edge, "a.example", { ecdhCurve: "P-521", minVersion: "TLSv1.3" }));
});
