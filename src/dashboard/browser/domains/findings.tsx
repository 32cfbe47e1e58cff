/** What was found, and what it should be, side by side; how long it may last; what to do. */
import type { Finding } from "../../../contract/generated/platform.ts";
import { Left } from "../parts/time.tsx";

interface FindingsProps {
  readonly findings: readonly Finding[];
  /** When they were found: what lasts is counted from then. */
  readonly checkedAt: string | null;
}

export function Findings({ findings, checkedAt }: FindingsProps) {
  if (findings.length === 0) return null;
  return (
    <ul class="findings" aria-label="What we found">
      {findings.map((finding) => (
        <li key={finding.code} class="finding">
          <p>
            {finding.message} <Lasts finding={finding} checkedAt={checkedAt} />
          </p>
          <Compared finding={finding} />
          {finding.next && <p class="next">{finding.next}</p>}
        </li>
      ))}
    </ul>
  );
}

function Lasts({ finding, checkedAt }: { finding: Finding; checkedAt: string | null }) {
  if (finding.until) {
    return (
      <span>
        Nothing is tried for{" "}
        <strong>
          <Left untilMs={Date.parse(finding.until)} ended="a moment" />
        </strong>
        .
      </span>
    );
  }
  if (!finding.seconds || checkedAt === null) return null;
  const untilMs = Date.parse(checkedAt) + finding.seconds * 1000;
  return (
    <span>
      Caches may remember it for{" "}
      <strong>
        <Left untilMs={untilMs} ended="a moment" />
      </strong>
      .
    </span>
  );
}

function Compared({ finding: { found, expected, at } }: { finding: Finding }) {
  const seen = found ?? [];
  const wanted = expected ?? [];
  if (seen.length === 0 && wanted.length === 0) return null;
  return (
    <dl class="compared">
      <div class="found">
        <dt>Found{at && at.length > 0 && <span class="quiet"> at {at.join(", ")}</span>}</dt>
        <dd>
          <Values values={seen} />
        </dd>
      </div>
      <div class="expected">
        <dt>Expected</dt>
        <dd>
          <Values values={wanted} />
        </dd>
      </div>
    </dl>
  );
}

function Values({ values }: { values: readonly string[] }) {
  if (values.length === 0) return <span class="quiet">nothing</span>;
  return (
    <>
      {values.map((value) => (
        <code key={value}>{value}</code>
      ))}
    </>
  );
}
