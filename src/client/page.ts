import type { CallOptions } from "./operations.ts";

/** A part of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Give it as `cursor`, with the same filters, to go on from here later. Undefined at the end. */
  readonly nextCursor: string | undefined;
  /** The page that follows; undefined at the end. Takes the options of this page unless given some. */
  next(options?: CallOptions): Promise<Page<Item> | undefined>;
}

export function pageOf<Item>(
  items: readonly Item[],
  nextAddress: string | undefined,
  load: (address: string, options: CallOptions | undefined) => Promise<Page<Item>>,
): Page<Item> {
  const cursor = nextAddress && new URL(nextAddress).searchParams.get("cursor");
  return {
    items,
    nextCursor: cursor || undefined,
    next: async (options) => (nextAddress === undefined ? undefined : load(nextAddress, options)),
  };
}

export async function* itemsFrom<Item>(
  first: () => Promise<Page<Item>>,
): AsyncGenerator<Item, void> {
  for (let page: Page<Item> | undefined = await first(); page; page = await page.next()) {
    yield* page.items;
  }
}
