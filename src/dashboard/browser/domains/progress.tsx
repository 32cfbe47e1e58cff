/** How far a domain has come: its steps, its findings, and its timeline. */
import type { Domain, DomainDetails, Finding } from "../../../contract/generated/platform.ts";
import { CopyButton, Icon } from "../parts/buttons.tsx";
import { Ago, Left } from "../parts/format.tsx";
import { Loadable, Skeleton } from "../parts/notice.tsx";
import { useGet } from "../useApi.ts";

const names = { dns: "DNS", certificate: "Certificate", live: "Live" } as const;
type Step = keyof typeof names;
const order: readonly Step[] = ["dns", "certificate", "live"];

export function Steps({ step, status }: Pick<Domain, "step" | "status">) {
  if (step === "none") return null;
  const at = order.indexOf(step);
  const done = (index: number) => index < at || status === "live";
  return (
    <ol class="steps" aria-label="Progress">
      {order.map((each, index) => (
        <li
          key={each}
          class={done(index) ? "done" : index === at ? "now" : "coming"}
          aria-current={index === at && !done(index) ? "step" : undefined}
        >
          <span class="step-mark" aria-hidden="true">
            {done(index) ? <Icon name="tick" /> : index + 1}
          </span>
          <span>{names[each]}</span>
          {done(index) && <span class="visually-hidden">, done</span>}
        </li>
      ))}
    </ol>
  );
}

interface FindingsProps {
  readonly findings: readonly Finding[];
  /** The findings' durations count from here. */
  readonly checkedAt: string | null;
}

export function Findings({ findings, checkedAt }: FindingsProps) {
  if (findings.length === 0) return null;
  return (
    <ul class="findings" aria-label="What we found">
      {findings.map((finding) => (
        <li key={finding.code} class="finding">
          <p>
            {finding.message} <Duration finding={finding} checkedAt={checkedAt} />
          </p>
          <Comparison finding={finding} />
        </li>
      ))}
    </ul>
  );
}

function Duration({ finding, checkedAt }: { finding: Finding; checkedAt: string | null }) {
  const { until, seconds } = finding;
  const cachedUntilMs = seconds && checkedAt !== null && Date.parse(checkedAt) + seconds * 1000;
  const end = until || cachedUntilMs;
  if (!end) return null;
  return (
    <span>
      {until ? "The next attempt is in" : "DNS caches may keep it for"}{" "}
      <strong>
        <Left until={end} />
      </strong>
      .
    </span>
  );
}

function Comparison({ finding: { code, found, expected, at } }: { finding: Finding }) {
  if (!found?.length && !expected?.length) return null;
  return (
    <dl class="compared">
      <div class="found">
        <dt>Found{at?.length ? <span class="quiet"> at {at.join(", ")}</span> : ""}</dt>
        <dd>{valuesOf(found)}</dd>
      </div>
      <div class="expected">
        <dt>Expected</dt>
        <dd>
          {valuesOf(expected)}
          {/* The other records to create are shown with the domain. */}
          {code === "CAA_BLOCKS" &&
            expected?.map((record) => (
              <CopyButton key={record} text={record} what={`the record ${record}`} />
            ))}
        </dd>
      </div>
    </dl>
  );
}

const valuesOf = (values: readonly string[] | null | undefined) =>
  values?.length ? (
    values.map((value) => <code key={value}>{value}</code>)
  ) : (
    <span class="quiet">nothing</span>
  );

interface TimelineProps {
  readonly slug: string;
  readonly host: string;
  /** From its event stream; undefined if none is open. */
  readonly details: DomainDetails | undefined;
}

export function Timeline({ slug, host, details }: TimelineProps) {
  if (details === undefined) return <LoadedTimeline slug={slug} host={host} />;
  return (
    <>
      <Budget limits={details.budget} />
      <Entries entries={details.timeline} />
    </>
  );
}

function LoadedTimeline({ slug, host }: Omit<TimelineProps, "details">) {
  const path = { project: slug, host };
  const details = useGet("/projects/{project}/domains/{host}", { path }, 10_000);
  return (
    <Loadable of={details} skeleton={<Skeleton rows={3} />}>
      {(loaded) => <Timeline slug={slug} host={host} details={loaded} />}
    </Loadable>
  );
}

/** How much of our own limits is used. */
function Budget({ limits }: { limits: DomainDetails["budget"] }) {
  if (limits.length === 0) return null;
  return (
    <section class="budget" aria-label="Our own limits">
      <p class="quiet">Our own limits, below those of the public certificate authority</p>
      <ul>
        {limits.map(({ words, used, max, until }) => (
          <li key={words}>
            <strong>
              {used} of {max}
            </strong>{" "}
            {words}
            {until !== null && (
              <>
                , used up: free again in <Left until={until} />
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Entries({ entries }: { entries: DomainDetails["timeline"] }) {
  return (
    <ol class="timeline" aria-label="Timeline">
      {entries.map(({ at, event, message, findings, answers }, index) => (
        <li key={`${at} ${event} ${entries.length - index}`}>
          <p>
            <span class="quiet">
              <Ago at={at} past />
            </span>{" "}
            {message}
          </p>
          {findings.length > 0 && (
            <p class="quiet codes">
              {findings.map(({ code }) => (
                <code key={code}>{code}</code>
              ))}
            </p>
          )}
          {answers.length > 0 && (
            <details>
              <summary>Raw DNS responses</summary>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable */}
              <pre tabIndex={0}>{answers.join("\n")}</pre>
            </details>
          )}
        </li>
      ))}
    </ol>
  );
}
