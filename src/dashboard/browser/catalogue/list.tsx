/** The screen that the lists of pets and orders share: tabs, filters, and pages. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../parts/buttons.tsx";
import { Choice } from "../parts/form.tsx";
import { Loadable, Skeleton } from "../parts/notice.tsx";
import { Page, Tabs } from "../parts/page.tsx";
import { useLoaded } from "../useApi.ts";

const tabs = { pets: ["#/catalogue", "Pets"], orders: ["#/catalogue/orders", "Orders"] } as const;

interface CatalogueListProps<Item, Status extends string> {
  readonly at: keyof typeof tabs;
  readonly statuses: Readonly<Record<Status, string>>;
  /** Filters beside the status: their values as text, which is empty where nothing is filtered. */
  readonly filtered?: string;
  readonly filters?: ComponentChildren;
  readonly load: (query: { status?: Status; cursor?: string }) => Promise<{
    readonly items: readonly Item[];
    readonly nextCursor: string | undefined;
  }>;
  readonly action?: (reload: () => void) => ComponentChildren;
  readonly empty: (filtered: boolean) => ComponentChildren;
  readonly children: (items: readonly Item[], reload: () => void) => ComponentChildren;
}

interface Walked {
  readonly filters: string;
  readonly cursors: readonly string[];
}

export function CatalogueList<Item, Status extends string>(
  props: CatalogueListProps<Item, Status>,
) {
  const { at, statuses, filtered = "", filters, load, action, empty, children } = props;
  const [status, setStatus] = useState<Status | "all">("all");
  /** Where the pages before this one ended, for one setting of the filters. */
  const [walked, setWalked] = useState<Walked>({ filters: "", cursors: [] });
  const setting = `${status} ${filtered}`;
  const cursors = walked.filters === setting ? walked.cursors : [];
  const setCursors = (ended: readonly string[]) => setWalked({ filters: setting, cursors: ended });
  const cursor = cursors.at(-1);
  const page = useLoaded(`${at} ${setting} ${cursor ?? ""}`, () =>
    load({
      ...(status === "all" ? {} : { status }),
      ...(cursor === undefined ? {} : { cursor }),
    }),
  );
  const next = page.data?.nextCursor;
  return (
    <Page title="Catalogue" action={action?.(page.reload)}>
      <Tabs label="Catalogue" tabs={tabs} at={at} />
      <div class="filters">
        {filters}
        <Choice
          aria-label="Status"
          value={status}
          options={{ all: `All ${at}`, ...statuses }}
          onChoice={setStatus}
        />
      </div>
      <Loadable of={page} skeleton={<Skeleton rows={6} />}>
        {({ items }) =>
          items.length === 0
            ? empty(status !== "all" || filtered !== "")
            : children(items, page.reload)
        }
      </Loadable>
      {(next !== undefined || cursors.length > 0) && (
        <nav class="paging" aria-label="Pages">
          <Button onClick={() => setCursors(cursors.slice(0, -1))} disabled={cursors.length === 0}>
            Previous page
          </Button>
          <span class="quiet" aria-live="polite">
            Page {cursors.length + 1}
          </span>
          <Button
            onClick={() => next !== undefined && setCursors([...cursors, next])}
            disabled={next === undefined}
            busy={page.busy}
          >
            Next page
          </Button>
        </nav>
      )}
    </Page>
  );
}
