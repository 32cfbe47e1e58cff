/** The audit log: who changed what, when and from where. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { AuditEntry } from "../../contract/generated/platform.ts";
import { later } from "../../docs/browser/platform.ts";
import { Button } from "./parts/buttons.tsx";
import { closeDialog, Dialog, openDialog } from "./parts/dialog.tsx";
import { TextField } from "./parts/form.tsx";
import { Ago, Exactly } from "./parts/format.tsx";
import { Empty, Loadable, Skeleton } from "./parts/notice.tsx";
import { Page } from "./parts/page.tsx";
import { Paging, useWalk } from "./parts/paging.tsx";
import { Table } from "./parts/table.tsx";
import { useGet } from "./useApi.ts";

const unfiltered = { actor: "", action: "", subject: "", since: "", until: "" };
type Filter = typeof unfiltered;

/** A search starts once typing has paused this long. */
const typingMs = 250;

export function AuditLog() {
  const [typed, setTyped] = useState<Filter>(unfiltered);
  const [filter, setFilter] = useState(typed);
  useEffect(() => later(typingMs, () => setFilter(typed)), [typed]);
  const walk = useWalk(JSON.stringify(filter));
  const { cursor = "" } = walk;
  const page = useGet("/audit", { query: { ...queryOf(filter), cursor } });
  const isFiltered = Object.values(filter).some((text) => text !== "");
  const narrow = (part: Partial<Filter>) => {
    closeDialog();
    setTyped({ ...unfiltered, ...part });
  };
  return (
    <Page
      title="Audit log"
      lead={
        <>
          Every change by a person, newest first. <code>petstore audit verify</code> checks that no
          entry was altered or removed.
        </>
      }
    >
      <Filters filter={typed} onFilter={setTyped} />
      <Loadable of={page} skeleton={<Skeleton rows={8} tall />}>
        {({ items }) =>
          items.length > 0 ? (
            <Entries entries={items} onNarrow={narrow} />
          ) : (
            <Empty title={isFiltered ? "No such entries" : "No entries yet"}>
              {isFiltered ? (
                <p>
                  <Button onClick={() => setTyped(unfiltered)}>Clear filters</Button>
                </p>
              ) : (
                <p>The first change by a person is the first entry.</p>
              )}
            </Empty>
          )
        }
      </Loadable>
      <Paging walk={walk} next={page.data?.nextCursor} busy={page.busy} />
    </Page>
  );
}

function queryOf({ actor, action, subject, since, until }: Filter) {
  return {
    actor: actor.trim(),
    action: action.trim(),
    subject: subject.trim(),
    ...(since !== "" && { sinceMs: midnight(since) }),
    ...(until !== "" && { untilMs: midnight(until, 1) }),
  };
}

/** The beginning of a day here, such as 2030-01-31, or of a later one. */
function midnight(date: string, daysLater = 0): number {
  const day = new Date(`${date}T00:00`);
  day.setDate(day.getDate() + daysLater);
  return Math.max(0, day.getTime() || 0);
}

interface FiltersProps {
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
}

function Filters({ filter, onFilter }: FiltersProps) {
  const field = (name: keyof Filter) => ({
    value: filter[name],
    onText: (text: string) => onFilter({ ...filter, [name]: text }),
  });
  const search = { type: "search", autocapitalize: "none", mono: true, maxLength: 100 } as const;
  return (
    <search class="filters fields">
      <TextField label="Actor" placeholder="accounts/operator" {...search} {...field("actor")} />
      <TextField label="Action" placeholder="key.revoke" {...search} {...field("action")} />
      <TextField label="Subject" placeholder="projects/acme" {...search} {...field("subject")} />
      <TextField label="Since" type="date" {...field("since")} />
      <TextField label="Until" type="date" {...field("until")} />
    </search>
  );
}

interface EntriesProps {
  readonly entries: readonly AuditEntry[];
  readonly onNarrow: (part: Partial<Filter>) => void;
}

function Entries({ entries, onNarrow }: EntriesProps) {
  return (
    <Table
      caption="Entries of the audit log"
      rows={entries}
      keyOf={({ number }) => String(number)}
      columns={[
        {
          head: "Action",
          names: true,
          cell: ({ action, subject, actor, at }) => (
            <>
              <span class="name whole">{action}</span>
              <code class="slim">{subject}</code>
              <span class="slim quiet">
                <code>{actor}</code>, <Ago at={at} past />
              </span>
            </>
          ),
        },
        {
          head: "Subject",
          wide: true,
          cell: ({ subject }) => <code class="breaks">{subject}</code>,
        },
        { head: "Actor", wide: true, cell: ({ actor }) => <code class="whole">{actor}</code> },
        { head: "From", wide: true, cell: ({ source }) => source.address ?? source.host ?? "" },
        { head: "Time", wide: true, cell: ({ at }) => <Ago at={at} past /> },
        {
          head: "Details",
          end: true,
          cell: (entry) => (
            <Button
              label={`Details of entry ${entry.number}`}
              onClick={() => openDialog(<Details entry={entry} onNarrow={onNarrow} />)}
            >
              Details
            </Button>
          ),
        },
      ]}
    />
  );
}

function Details({ entry, onNarrow }: { entry: AuditEntry } & Pick<EntriesProps, "onNarrow">) {
  const { actor, subject, source } = entry;
  const facts: readonly [string, ComponentChildren][] = [
    ["Time", <Exactly key="at" at={entry.at} />],
    ["Actor", <code key="actor">{actor}</code>],
    ["Subject", <code key="subject">{subject}</code>],
    ["Address", source.address],
    ["User agent", source.agent],
    ["Machine", source.host],
    ["With sudo by", source.sudoUser],
    ["Request", entry.requestId && <code key="request">{entry.requestId}</code>],
  ];
  return (
    <Dialog title={`${entry.action}, entry ${entry.number}`}>
      <dl class="facts">
        {facts
          .filter(([, fact]) => fact)
          .map(([name, fact]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{fact}</dd>
            </div>
          ))}
      </dl>
      <Changes {...entry} />
      <div class="actions">
        <Button onClick={() => onNarrow({ subject })}>All of this subject</Button>
        <Button onClick={() => onNarrow({ actor })}>All by this actor</Button>
      </div>
    </Dialog>
  );
}

function Changes({ before, after }: Pick<AuditEntry, "before" | "after">) {
  const names = Object.keys({ ...before, ...after }).filter(
    (name) => textOf(before?.[name]) !== textOf(after?.[name]),
  );
  if (names.length === 0) return <p class="quiet">Nothing that is shown has changed.</p>;
  return (
    <Table
      caption="What changed"
      rows={names}
      keyOf={(name) => name}
      columns={[
        { head: "Field", names: true, cell: (name) => name },
        {
          head: "Before",
          cell: (name) => before && <del class="breaks">{textOf(before[name])}</del>,
        },
        { head: "After", cell: (name) => after && <ins class="breaks">{textOf(after[name])}</ins> },
      ]}
    />
  );
}

/** As people read it: a list or an object over several lines. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return "–";
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value, undefined, 2);
}
