/** A table that scrolls sideways if it must. */
import type { ComponentChildren } from "preact";

/** `hidden` headings are for screen readers; `wide` columns are left out on a phone. */
type Head =
  | string
  | { readonly hidden: string }
  | { readonly label: string; readonly wide: true }
  | { readonly label: string; readonly number: true; readonly wide?: true };

interface TableProps {
  readonly caption: string;
  readonly heads: readonly Head[];
  readonly children: ComponentChildren;
}

export function Table({ caption, heads, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it may scroll, so it must be reachable
    <section class="scroll" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>{heads.map(headCell)}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

function headCell(head: Head) {
  if (typeof head === "string") {
    return (
      <th key={head} scope="col">
        {head}
      </th>
    );
  }
  if ("hidden" in head) {
    return (
      <th key={head.hidden} scope="col">
        <span class="visually-hidden">{head.hidden}</span>
      </th>
    );
  }
  return (
    <th key={head.label} scope="col" class={classOf(head)}>
      {head.label}
    </th>
  );
}

const classOf = (head: { readonly wide?: true; readonly number?: true }): string =>
  [...(head.number ? ["number"] : []), ...(head.wide ? ["wide"] : [])].join(" ");
