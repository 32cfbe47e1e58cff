/** The alert rules and the Grafana dashboard in deploy/, judged by Prometheus itself. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { slug } from "../../src/docs/addresses.ts";
import { describeUnless } from "../../testkit/describeUnless.ts";
import { eventually } from "../../testkit/eventually.ts";
import { freePort } from "../../testkit/freePorts.ts";
import { startTestService } from "../end-to-end/service.ts";
import { listedMetrics } from "./scraped.ts";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<"summary" | "description" | "runbook_url", string>>;
}

const fileOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const rulesFile = fileOf("deploy/prometheus/alerts.yml");
const { groups } = parse(readFileSync(rulesFile, "utf8")) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}
const dashboard = JSON.parse(readFileSync(fileOf("deploy/grafana/petstore.json"), "utf8")) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly definition?: string }[] };
};
const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** Series for 30 minutes, with which each alert fires at the end, and with which it must not. */
const cases: Readonly<Record<string, readonly (readonly [firing: string[], quiet: string[]])[]>> = {
  PetstoreDown: [[['up{job="petstore"} 0x30'], ['up{job="petstore"} 1x28 0 0']]],
  PetstoreStoreUnavailable: [[["petstore_store_up 0x30"], ["petstore_store_up 1x30"]]],
  PetstoreWriteQueueFilling: [
    [
      ["petstore_write_queue_length 9000x30", "petstore_write_queue_limit 10000x30"],
      ["petstore_write_queue_length 700x30", "petstore_write_queue_limit 10000x30"],
    ],
  ],
  PetstoreServerErrors: [
    [
      [requests("200", 1000), requests("503", 20)],
      [requests("200", 1000), requests("404", 500), requests("503", 5)],
    ],
  ],
  PetstoreEdgeErrors: [
    [
      [visits("2xx", 1000), visits("5xx", 20)],
      [visits("2xx", 1000), visits("5xx", 0)],
    ],
  ],
  PetstoreEventLoopDelayed: [
    [
      [loop("0.25", 500), loop("0.5", 600), loop("+Inf", 600)],
      [loop("0.25", 600), loop("0.5", 600), loop("+Inf", 600)],
    ],
  ],
  PetstoreDiskFilling: [
    [
      ["petstore_disk_free_bytes 5x30", "petstore_disk_size_bytes 100x30"],
      ["petstore_disk_free_bytes 50x30", "petstore_disk_size_bytes 100x30"],
    ],
  ],
  PetstoreDescriptorsRunningOut: [
    [
      ["process_open_fds 900x30", "process_max_fds 1000x30"],
      ["process_open_fds 100x30", "process_max_fds 1000x30"],
    ],
  ],
  PetstoreConnectionsRefused: [
    [
      ['petstore_connections_refused_total{listener="api"} 0+5x30'],
      ['petstore_connections_refused_total{listener="api"} 7x30'],
    ],
  ],
  PetstoreRestarts: [
    [
      ["petstore_process_restarts_total 0x20 1 2 3 4 5 6 7 8 9 9"],
      ["petstore_process_restarts_total 3x30"],
    ],
    // Once for an upgrade is no alert.
    [["process_start_time_seconds 1x10 2x5 3x5 4x8"], ["process_start_time_seconds 1x15 2x14"]],
  ],
  PetstorePostgresPoolBusy: [
    [["petstore_postgres_waiting 3x30"], ["petstore_postgres_waiting 0x30"]],
  ],
  PetstoreCertificateExpiring: [
    [
      ['petstore_certificates_expiring{within_days="7"} 1x90'],
      ['petstore_certificates_expiring{within_days="14"} 1x90'],
    ],
  ],
  PetstoreRenewalsFailing: [
    [
      ['petstore_domains{status="renewal_failing"} 1x400'],
      ['petstore_domains{status="live"} 1x400'],
    ],
  ],
  PetstoreAcmeUnavailable: [
    [
      [orderFailures("unavailable"), "petstore_acme_certificates_issued_total 4x60"],
      // A second authority issues, or the first again.
      [orderFailures("unavailable"), "petstore_acme_certificates_issued_total 0+1x60"],
    ],
    [
      [orderFailures("unavailable"), "petstore_acme_certificates_issued_total 0x60"],
      [orderFailures("caa"), "petstore_acme_certificates_issued_total 0x60"],
    ],
  ],
  PetstoreDomainsDegraded: [
    [['petstore_domains{status="degraded"} 2x90'], ['petstore_domains{status="degraded"} 0x90']],
  ],
  PetstoreWebhooksDelayed: [
    [
      ["petstore_webhook_oldest_pending_age_seconds 4000+60x30"],
      ["petstore_webhook_oldest_pending_age_seconds 0+60x30"],
    ],
  ],
  PetstoreWebhookEndpointDisabled: [
    [
      ['petstore_webhook_endpoints{state="failing"} 1x30'],
      ['petstore_webhook_endpoints{state="operator"} 1x30'],
    ],
  ],
  PetstoreMailsNotSent: [
    [['petstore_mails{state="failed"} 1x30'], ['petstore_mails{state="pending"} 1x20 0x10']],
  ],
};

function requests(status: string, each: number): string {
  return `petstore_requests_total{status="${status}"} 0+${each}x30`;
}
function visits(code: string, each: number): string {
  return `petstore_edge_requests_total{code="${code}"} 0+${each}x30`;
}
function loop(le: string, each: number): string {
  return `petstore_event_loop_delay_seconds_bucket{le="${le}"} 0+${each}x30`;
}
function orderFailures(reason: string): string {
  return `petstore_acme_order_failures_total{reason="${reason}"} 0+1x60`;
}

const minutesOf = (series: readonly string[]) =>
  Math.max(30, ...series.map((each) => Number(/x(\d+)$/.exec(each)?.[1] ?? 0)));

/** A test for promtool, which may not find the alert, or has to. */
function ruleTest(alert: string, series: readonly string[], fires: boolean) {
  const input = series.map((each) => {
    const at = each.indexOf(" ");
    return { series: each.slice(0, at), values: each.slice(at + 1) };
  });
  const firing = `count(ALERTS{alertname="${alert}", alertstate="firing"})`;
  const expected = fires ? [{ labels: "{}", value: 1 }] : [];
  return {
    interval: "1m",
    input_series: input,
    promql_expr_test: [{ expr: firing, eval_time: `${minutesOf(series)}m`, exp_samples: expected }],
  };
}

const isKnown = (name: string) => {
  const base = name.replace(/_(?:bucket|sum|count)$/, "");
  return name === "up" || listedMetrics().some((listed) => listed === name || listed === base);
};
const metricsOf = (expr: string) =>
  [...expr.replaceAll(/\{[^}]*\}/g, "").matchAll(/\b(?:petstore|process)_\w+|\bup\b/g)].map(
    ([name]) => name,
  );

describe("the rules and the dashboard", () => {
  // The guide, in turn, is held to what a service exposes.
  test("name metrics that are in the guide", () => {
    const definitions = dashboard.templating.list.flatMap(({ definition = [] }) => definition);
    const named = [...rules.map(({ expr }) => expr), ...queries, ...definitions].map(metricsOf);
    expect(named.filter((each) => each.length === 0)).toEqual([]);
    expect(named.flat().filter((name) => !isKnown(name))).toEqual([]);
  });

  test("show every metric in the dashboard, but for the limits and totals of others", () => {
    const shown = new Set(
      queries.flatMap(metricsOf).map((name) => name.replace(/_(?:bucket|sum|count)$/, "")),
    );
    expect(listedMetrics().filter((name) => !shown.has(name))).toEqual([
      "petstore_connections_refused_total",
      "petstore_write_queue_limit",
      "petstore_postgres_connections_limit",
      "petstore_certificates",
      "petstore_acme_orders_total",
      "petstore_disk_size_bytes",
      "process_start_time_seconds",
      "process_max_fds",
    ]);
  });

  test("say what each alert means, and link to its section in the guide", () => {
    const guide = readFileSync(fileOf("docs/guide/monitoring.md"), "utf8");
    const sections = new Map(
      [...guide.matchAll(/^### (.+)\n\n`(\w+)`, (\w+)\./gm)].map(
        ([, title = "", alert, severity]) => [alert, { severity, anchor: slug(title) }],
      ),
    );
    expect(sections.size).toBe(rules.length);
    for (const { alert, labels, annotations } of rules) {
      const { summary, description, runbook_url: link } = annotations;
      expect({ alert, severity: labels.severity, anchor: link.split("#")[1] }).toEqual({
        alert,
        ...sections.get(alert),
      } as never);
      expect(link).toStartWith("https://api.example.com/docs/guide/monitoring/#");
      expect(`${summary}${description}`).not.toBe("");
    }
  });
});

const promtool = Bun.which("promtool");
const prometheus = Bun.which("prometheus");
const missing =
  promtool === null || prometheus === null
    ? "not installed: prometheus. apt-get install prometheus"
    : undefined;

describeUnless(missing, "Prometheus", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "petstore-prometheus-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const written = (name: string, content: unknown) => {
    const file = join(folder, name);
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(content));
    return file;
  };
  const judge = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(promtool ?? "", args, { encoding: "utf8" });
    return { status, said: `${stdout}${stderr}` };
  };

  test("understands the rules, and the queries of the dashboard", () => {
    expect(judge("check", "rules", rulesFile)).toMatchObject({ status: 0 });
    const recorded = queries.map((query, index) => ({
      record: `dashboard:query${index}`,
      expr: query.replaceAll("$__rate_interval", "5m"),
    }));
    const file = written("dashboard.yml", { groups: [{ name: "dashboard", rules: recorded }] });
    expect(judge("check", "rules", file)).toMatchObject({ status: 0 });
  });

  test("raises each alert when it should, and not otherwise", () => {
    expect(Object.keys(cases).toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
    const tests = Object.entries(cases).flatMap(([alert, pairs]) =>
      pairs.flatMap(([firing, quiet]) => [
        ruleTest(alert, firing, true),
        ruleTest(alert, quiet, false),
      ]),
    );
    const all = { rule_files: [rulesFile], evaluation_interval: "1m", tests };
    const { status, said } = judge("test", "rules", written("cases.yml", all));
    expect(said).toContain("SUCCESS");
    expect(status).toBe(0);
  });

  test("scrapes a service, loads the rules, and answers queries", async () => {
    const running = await startTestService();
    const port = await freePort();
    const config = written("prometheus.yml", {
      global: { scrape_interval: "1s", evaluation_interval: "1s" },
      rule_files: [rulesFile],
      scrape_configs: [
        {
          job_name: "petstore",
          static_configs: [{ targets: [`127.0.0.1:${running.service.metricsPort}`] }],
        },
      ],
    });
    const server = spawn(
      prometheus ?? "",
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(folder, "data")}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: "ignore" },
    );
    try {
      await running.client.get("/pets");
      const ask = async (query: string) => {
        const address = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`;
        const answer = await fetch(address).catch(() => undefined);
        if (!answer?.ok) return undefined;
        const { data } = (await answer.json()) as { data: { result: { value: string[] }[] } };
        return data.result[0]?.value[1];
      };
      await eventually(async () => (await ask('up{job="petstore"}')) === "1");
      await eventually(
        async () => (await ask('petstore_requests_total{operation="listPets"}')) === "1",
      );
      expect(await ask("petstore_store_up")).toBe("1");
      expect(await ask("prometheus_nothing_of_ours")).toBeUndefined();
    } finally {
      const ended = once(server, "exit");
      server.kill();
      await ended;
      await running.stop();
    }
  });
});
