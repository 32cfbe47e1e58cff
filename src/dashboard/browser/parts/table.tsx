/** A table that stays one, also where it must be moved sideways to be seen. */
import type { ComponentChildren } from "preact";

/** `hidden` heads are for those who listen; `wide` ones are left out on a phone. */
type Head =
  | string
  | { readonly hidden: string }
  | { readonly words: string; readonly wide: true }
  | { readonly words: string; readonly number: true; readonly wide?: true };

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
    <th key={head.words} scope="col" class={classOf(head)}>
      {head.words}
    </th>
  );
}

const classOf = (head: { readonly wide?: true; readonly number?: true }): string =>
  [...(head.number ? ["number"] : []), ...(head.wide ? ["wide"] : [])].join(" ");
