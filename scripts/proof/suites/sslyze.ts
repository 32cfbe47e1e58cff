/** sslyze: the edge by Mozilla's intermediate profile, its certificate, and attacks on TLS. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pythonTools } from "../cachedTools.ts";
import { type LiveEdge, onEdge, ownName, runNamed, siteName } from "../edge.ts";
import { scratch } from "../run.ts";
import type { Failure, Outcome, Suite } from "../suite.ts";

export const sslyze: Suite = {
  name: "sslyze, Mozilla's intermediate profile",
  slug: "sslyze",
  quick: true,
  run: () => onEdge(runSslyze),
};

const scans = ["--early_data", "--resum", "--certinfo"];

async function runSslyze({ httpsPort, caFile }: LiveEdge): Promise<Outcome> {
  const command = join(await pythonTools("sslyze"), "sslyze");
  const report = join(scratch, "sslyze.json");
  const targets = [siteName, ownName].map((name) => `${name}:${httpsPort}`);
  const how = ["--mozilla_config", "intermediate", "--certinfo_ca_file", caFile];
  const { text } = await runNamed(command, [...how, ...scans, "--json_out", report, ...targets]);
  const read = JSON.parse(readFileSync(report, "utf8")) as SslyzeReport;
  const judged = [...judgeProfile(targets, text), ...judgeScans(targets.length, read)];
  const failures = judged.filter(({ says }) => says !== undefined) as Failure[];
  const passed = judged.length - failures.length;
  return { version: read.sslyze_version, passed, failures };
}

interface Judged {
  readonly id: string;
  /** What is wrong, if anything is. */
  readonly says: string | undefined;
}

export interface SslyzeReport {
  readonly sslyze_version: string;
  readonly server_scan_results: readonly {
    readonly server_location: { readonly hostname: string };
    readonly scan_result: Readonly<Record<string, Scan>> | null;
  }[];
}

interface Scan {
  readonly status: string;
  readonly result: Readonly<Record<string, unknown>> | null;
}

interface Deployment {
  readonly received_chain_has_valid_order: boolean;
  readonly received_chain_contains_anchor_certificate: boolean | null;
  readonly verified_chain_has_sha1_signature: boolean;
  readonly path_validation_results: readonly {
    readonly trust_store: { readonly name: string };
    readonly was_validation_successful: boolean;
    readonly validation_error: string | null;
  }[];
}

/** It prints one line for each target: that it complies, or what does not. */
export function judgeProfile(targets: readonly string[], text: string): Judged[] {
  return targets.map((target) => {
    const said = text.split(`    ${target}: `).at(-1) ?? "";
    const id = `${target.split(":")[0]} profile`;
    return { id, says: /^OK - Compliant/.test(said) ? undefined : said.trim().slice(0, 1_000) };
  });
}

/** What each scan has to find, by the name of its result. */
const wanted: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  heartbleed: { is_vulnerable_to_heartbleed: false },
  openssl_ccs_injection: { is_vulnerable_to_ccs_injection: false },
  robot: { robot_result: "NOT_VULNERABLE_RSA_NOT_SUPPORTED" },
  session_renegotiation: { is_vulnerable_to_client_renegotiation_dos: false },
  tls_compression: { supports_compression: false },
  tls_fallback_scsv: { supports_fallback_scsv: true },
  tls_extended_master_secret: { supports_ems_extension: true },
  // A replayed request must not take effect twice, and nobody here asks which ones are safe.
  tls_1_3_early_data: { supports_early_data: false },
};

export function judgeScans(targets: number, report: SslyzeReport): Judged[] {
  const results = report.server_scan_results;
  const reached = { id: "targets", says: `${results.length} of ${targets} were scanned.` };
  return results
    .flatMap(({ server_location: { hostname }, scan_result: scan }): Judged[] => [
      ...Object.entries(wanted).map(([name, values]) => {
        const { status, result } = scan?.[name] ?? { status: "missing", result: null };
        const right = Object.entries(values).every(([key, value]) => result?.[key] === value);
        const says = right ? undefined : `${status} ${JSON.stringify(result)}`;
        return { id: `${hostname} ${name}`, says };
      }),
      judgeCertificate(hostname, scan?.["certificate_info"]),
    ])
    .concat(results.length === targets ? [] : [reached]);
}

/** The chain is in order and without its root, and verifies with our authority for the name. */
function judgeCertificate(hostname: string, scan: Scan | undefined): Judged {
  const deployments = (scan?.result?.["certificate_deployments"] ?? []) as readonly Deployment[];
  const [first] = deployments;
  const ours = first?.path_validation_results.find(
    ({ trust_store }) => trust_store.name === "Supplied CA file",
  );
  const right =
    ours?.was_validation_successful &&
    first?.received_chain_has_valid_order &&
    !first.received_chain_contains_anchor_certificate &&
    !first.verified_chain_has_sha1_signature;
  const says = right ? undefined : `${scan?.status} ${ours?.validation_error ?? ""}`.trim();
  return { id: `${hostname} certificate`, says };
}
