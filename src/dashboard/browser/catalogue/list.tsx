/** The screen that the lists of pets and orders share: tabs, filters, and pages. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Choice } from "../parts/form.tsx";
import { Loadable, Skeleton } from "../parts/notice.tsx";
import { Page, Tabs } from "../parts/page.tsx";
import { Paging, useWalk } from "../parts/paging.tsx";
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

export function CatalogueList<Item, Status extends string>(
  props: CatalogueListProps<Item, Status>,
) {
  const { at, statuses, filtered = "", filters, load, action, empty, children } = props;
  const [status, setStatus] = useState<Status | "all">("all");
  const setting = `${status} ${filtered}`;
  const walk = useWalk(setting);
  const { cursor } = walk;
  const page = useLoaded(`${at} ${setting} ${cursor ?? ""}`, () =>
    load({
      ...(status === "all" ? {} : { status }),
      ...(cursor === undefined ? {} : { cursor }),
    }),
  );
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
      <Paging walk={walk} next={page.data?.nextCursor} busy={page.busy} />
    </Page>
  );
}
