/** What the lists of pets and orders share: the tabs between them, and their pages. */
import { useState } from "preact/hooks";
import { Button } from "../parts/buttons.tsx";
import { Tabs } from "../parts/page.tsx";
import { type Loaded, useLoaded } from "../useApi.ts";

const tabs = { pets: ["#/catalogue", "Pets"], orders: ["#/catalogue/orders", "Orders"] } as const;

export function CatalogueTabs({ at }: { at: keyof typeof tabs }) {
  return <Tabs label="Catalogue" tabs={tabs} at={at} />;
}

export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | undefined;
}

export interface Paged<Item> {
  readonly page: Loaded<ListPage<Item>>;
  readonly number: number;
  readonly next: () => void;
  readonly back: (() => void) | undefined;
}

/** `key` identifies the list and its filter: another one begins at its first page. */
export function usePages<Item>(
  key: string,
  load: (cursor: string | undefined) => Promise<ListPage<Item>>,
): Paged<Item> {
  const [position, setPosition] = useState<{ key: string; cursors: readonly string[] }>({
    key,
    cursors: [],
  });
  const cursors = position.key === key ? position.cursors : [];
  const cursor = cursors.at(-1);
  const page = useLoaded(`${key} ${cursor ?? ""}`, () => load(cursor));
  const to = (after: readonly string[]) => setPosition({ key, cursors: after });
  return {
    page,
    number: cursors.length + 1,
    next() {
      const next = page.data?.nextCursor;
      if (next !== undefined) to([...cursors, next]);
    },
    back: cursors.length === 0 ? undefined : () => to(cursors.slice(0, -1)),
  };
}

export function Paging<Item>({ paged }: { paged: Paged<Item> }) {
  const { page, number, next, back } = paged;
  const more = page.data?.nextCursor !== undefined;
  if (!more && back === undefined) return null;
  return (
    <nav class="paging" aria-label="Pages">
      <Button onClick={() => back?.()} disabled={back === undefined}>
        Previous page
      </Button>
      <span class="quiet" aria-live="polite">
        Page {number}
      </span>
      <Button onClick={next} disabled={!more} busy={page.busy}>
        Next page
      </Button>
    </nav>
  );
}
