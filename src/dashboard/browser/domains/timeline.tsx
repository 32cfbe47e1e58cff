/** What happened to a domain, newest first, with the answers as they came. */
import type { DomainDetails } from "../../../contract/generated/platform.ts";
import { Shown, Skeleton } from "../parts/states.tsx";
import { Ago, Left } from "../parts/time.tsx";
import { useGet } from "../useApi.ts";

interface TimelineProps {
  readonly slug: string;
  readonly host: string;
  /** What a stream told of it; undefined where none is open. */
  readonly details: DomainDetails | undefined;
}

export function Timeline({ slug, host, details }: TimelineProps) {
  return details === undefined ? <Asked slug={slug} host={host} /> : <Told details={details} />;
}

function Asked({ slug, host }: { slug: string; host: string }) {
  const path = { project: slug, host };
  const details = useGet("/projects/{project}/domains/{host}", { path }, 10_000);
  return (
    <Shown of={details} skeleton={<Skeleton rows={3} />}>
      {(told) => <Told details={told} />}
    </Shown>
  );
}

function Told({ details: { budget, timeline } }: { details: DomainDetails }) {
  return (
    <>
      <Budget limits={budget} />
      <Entries entries={timeline} />
    </>
  );
}

/** How much of the authority's limits is left, before one of them is met. */
function Budget({ limits }: { limits: DomainDetails["budget"] }) {
  if (limits.length === 0) return null;
  return (
    <section class="budget" aria-label="Limits of the certificate authority">
      <p class="quiet">Limits of the certificate authority</p>
      <ul>
        {limits.map(({ words, used, max, until }) => (
          <li key={words}>
            <strong>
              {used} of {max}
            </strong>{" "}
            {words}
            {until !== null && (
              <>
                , used up: free again in <Left untilMs={Date.parse(until)} ended="a moment" />
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
              <summary>Raw answers</summary>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable */}
              <pre tabIndex={0}>{answers.join("\n")}</pre>
            </details>
          )}
        </li>
      ))}
    </ol>
  );
}
