/** The metrics of the last hour, and the state of the certificates. */
import type {
  CertificateHealth,
  DomainStatus,
  Overview,
  Series,
} from "../../contract/generated/platform.ts";
import { Chart } from "./chart.tsx";
import { statusLabels } from "./domains/status.ts";
import { Ago, amount, counted, Day } from "./parts/format.tsx";
import { Badge, Loadable, Skeleton } from "./parts/notice.tsx";
import { Page } from "./parts/page.tsx";
import { Table } from "./parts/table.tsx";
import { domainLink } from "./route.ts";
import { useGet } from "./useApi.ts";
import { WebhookTrouble } from "./webhooks/webhooks.tsx";

export function OverviewPage({ operator }: { operator: boolean }) {
  const overview = useGet("/overview", {}, 15_000);
  return (
    <Page title="Overview">
      <Loadable of={overview} skeleton={<OverviewSkeleton operator={operator} />}>
        {({ series, domains, certificates, projects, ready, trouble }) => (
          <>
            <p class="shown-now">
              {ready ? (
                <Badge tone="fine">Operational</Badge>
              ) : (
                <Badge tone="trouble">Degraded</Badge>
              )}
              {trouble !== null && <span>{trouble}</span>}
              <a href="#/projects">{counted(projects, "project")}</a>
            </p>
            {operator && <WebhookTrouble />}
            {series !== null && <Charts series={series} />}
            <Certificates counts={domains} certificates={certificates} />
          </>
        )}
      </Loadable>
    </Page>
  );
}

function OverviewSkeleton({ operator }: { operator: boolean }) {
  return (
    <>
      <Skeleton rows={1} />
      {operator && (
        <div class="charts" aria-hidden="true">
          {["requests", "errors", "latency", "writes"].map((name) => (
            <div key={name} class="chart blank" />
          ))}
        </div>
      )}
    </>
  );
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

function Charts({ series }: { series: Series }) {
  const { stepSeconds, requests, errors, p50Ms, p99Ms, commits, writes } = series;
  const shared = { fromMs: Date.parse(series.from), stepSeconds };
  const perStep = (value: number) => `${amount(value)} in ${stepSeconds} s`;
  const all = sumOf(requests);
  const failed = sumOf(errors);
  return (
    <div class="charts">
      <Chart
        {...shared}
        title="Requests"
        sum={`${amount(all)} in the last hour`}
        unit={perStep}
        lines={[{ label: "Requests", values: requests, kind: "main" }]}
      />
      <Chart
        {...shared}
        title="Errors"
        sum={failed === 0 ? "None in the last hour" : `${amount(failed)}, ${share(failed, all)}`}
        unit={perStep}
        lines={[{ label: "Errors", values: errors, kind: "trouble" }]}
      />
      <Chart
        {...shared}
        title="Latency"
        sum={latencySum(p50Ms, p99Ms)}
        unit={milliseconds}
        lines={[
          { label: "Half are faster (p50)", values: p50Ms, kind: "main" },
          { label: "All but 1 % are faster (p99)", values: p99Ms, kind: "second" },
        ]}
      />
      <Chart
        {...shared}
        title="Durable writes"
        sum={`${amount(sumOf(writes))} in ${counted(sumOf(commits), "commit")}`}
        unit={perStep}
        lines={[
          { label: "Writes", values: writes, kind: "main" },
          { label: "Commits", values: commits, kind: "second" },
        ]}
      />
    </div>
  );
}

function share(part: number, all: number): string {
  const percent = all === 0 ? 0 : (part / all) * 100;
  if (percent < 0.1) return "less than 0.1 % of requests";
  return `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} % of requests`;
}

function latencySum(p50: readonly (number | null)[], p99: readonly (number | null)[]): string {
  const last = (values: readonly (number | null)[]) => values.findLast((value) => value !== null);
  const [middle, most] = [last(p50), last(p99)];
  if (middle == null || most == null) return "Nothing measured yet";
  return `${milliseconds(middle)}, 99 % within ${milliseconds(most)}`;
}

function milliseconds(value: number): string {
  if (value >= 100) return `${amount(Math.round(value))} ms`;
  return `${value < 1 ? value.toFixed(2) : value.toFixed(1)} ms`;
}

function badgeOf(status: DomainStatus, count?: number) {
  const { tone, label } = statusLabels[status];
  return (
    <Badge tone={tone} key={status}>
      {label}
      {count !== undefined && `: ${amount(count)}`}
    </Badge>
  );
}

interface CertificatesProps {
  readonly counts: Overview["domains"];
  readonly certificates: readonly CertificateHealth[];
}

function Certificates({ counts, certificates }: CertificatesProps) {
  return (
    <section aria-labelledby="certificates-title">
      <h2 id="certificates-title">Domains and certificates</h2>
      {counts.length === 0 ? (
        <p class="quiet">
          No domain is attached. Each one gets an automatically renewed certificate.
        </p>
      ) : (
        <p class="shown-now">{counts.map(({ status, count }) => badgeOf(status, count))}</p>
      )}
      {certificates.length > 0 && (
        <Table
          caption="Certificates"
          rows={certificates}
          keyOf={({ project, host }) => `${project} ${host}`}
          columns={[
            {
              head: "Domain",
              names: true,
              cell: ({ host, project }) => (
                <a class="mono" href={domainLink(project, host)}>
                  {host}
                </a>
              ),
            },
            { head: "Status", cell: ({ status }) => badgeOf(status) },
            {
              head: "Valid to",
              cell: ({ notAfter }) => (notAfter === null ? "none yet" : <Day at={notAfter} />),
            },
            {
              head: "Renews",
              wide: true,
              cell: ({ renewAt }) => renewAt !== null && <Ago at={renewAt} />,
            },
          ]}
        />
      )}
    </section>
  );
}
