/** The screen that the lists of pets and orders share: tabs, a filter by status, and pages. */
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
  readonly load: (query: { status?: Status; cursor?: string }) => Promise<{
    readonly items: readonly Item[];
    readonly nextCursor: string | undefined;
  }>;
  readonly action?: (reload: () => void) => ComponentChildren;
  readonly empty: (filtered: boolean) => ComponentChildren;
  readonly children: (items: readonly Item[], reload: () => void) => ComponentChildren;
}

export function CatalogueList<Item, Status extends string>(
  props: CatalogueListProps<Item, Status>,
) {
  const { at, statuses, load, action, empty, children } = props;
  const [status, setStatus] = useState<Status | "all">("all");
  /** Where the pages before this one ended. */
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const page = useLoaded(`${at} ${status} ${cursor ?? ""}`, () =>
    load({
      ...(status === "all" ? {} : { status }),
      ...(cursor === undefined ? {} : { cursor }),
    }),
  );
  const next = page.data?.nextCursor;
  return (
    <Page title="Catalogue" action={action?.(page.reload)}>
      <Tabs label="Catalogue" tabs={tabs} at={at} />
      <p class="filters">
        <Choice
          aria-label="Status"
          value={status}
          options={{ all: `All ${at}`, ...statuses }}
          onChoice={(chosen) => {
            setStatus(chosen);
            setCursors([]);
          }}
        />
      </p>
      <Loadable of={page} skeleton={<Skeleton rows={6} />}>
        {({ items }) =>
          items.length === 0 ? empty(status !== "all") : children(items, page.reload)
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
