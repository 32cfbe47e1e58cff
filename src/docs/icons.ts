/** The icons of the documentation and the dashboard. */
import { type Html, html } from "./html.ts";

/** Lines and filled shapes in a box of 16 by 16. */
interface Icon {
  readonly lines?: string;
  readonly solid?: string;
}

/** What a status means. It is shown by a colour and the icon of this name, never by colour alone. */
export type Tone = "fine" | "waiting" | "trouble" | "neutral";

export const icons = {
  search: { lines: "M11.25 7a4.25 4.25 0 1 1-8.5 0a4.25 4.25 0 1 1 8.5 0zm-1 3.25 3 3" },
  menu: { lines: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11" },
  close: { lines: "m4 4 8 8M12 4l-8 8" },
  copy: {
    lines:
      "M7 5.5h5a1.5 1.5 0 0 1 1.5 1.5v5a1.5 1.5 0 0 1-1.5 1.5h-5a1.5 1.5 0 0 1-1.5-1.5v-5a1.5 1.5 0 0 1 1.5-1.5zM3.5 10.5h-.25a.75.75 0 0 1-.75-.75v-6.5a.75.75 0 0 1 .75-.75h6.5a.75.75 0 0 1 .75.75v.25",
  },
  tick: { lines: "m3 8.5 3.25 3.25L13 5" },
  more: {
    solid:
      "M4.5 8a1.25 1.25 0 1 1-2.5 0a1.25 1.25 0 1 1 2.5 0zM9.25 8a1.25 1.25 0 1 1-2.5 0a1.25 1.25 0 1 1 2.5 0zM14 8a1.25 1.25 0 1 1-2.5 0a1.25 1.25 0 1 1 2.5 0z",
  },
  chevron: { lines: "m4.5 6.25 3.5 3.5 3.5-3.5" },
  theme: {
    lines: "M13.25 8a5.25 5.25 0 1 1-10.5 0a5.25 5.25 0 1 1 10.5 0z",
    solid: "M8 2.75a5.25 5.25 0 0 1 0 10.5z",
  },
  folder: {
    lines:
      "M2 12.25v-8.5a.75.75 0 0 1 .75-.75h3l1.5 1.75h6a.75.75 0 0 1 .75.75v6.75a.75.75 0 0 1-.75.75H2.75a.75.75 0 0 1-.75-.75zM8 10.5v-3.5m0 0L6.5 8.5M8 7l1.5 1.5",
  },
  fine: { solid: "M14 8a6 6 0 1 1-12 0a6 6 0 1 1 12 0z" },
  waiting: {
    lines: "M13.5 8a5.5 5.5 0 1 1-11 0a5.5 5.5 0 1 1 11 0z",
    solid: "M8 2.5a5.5 5.5 0 0 0 0 11z",
  },
  trouble: { solid: "M8 1.5 15 14H1z" },
  neutral: { lines: "M13.5 8a5.5 5.5 0 1 1-11 0a5.5 5.5 0 1 1 11 0z" },
  experimental: {
    lines:
      "M13 5.75a5.5 5.5 0 0 1 0 4.5M10.25 13a5.5 5.5 0 0 1-4.5 0M3 10.25a5.5 5.5 0 0 1 0-4.5M5.75 3a5.5 5.5 0 0 1 4.5 0",
  },
  /** A paw: the mark of the store. */
  mark: {
    solid:
      "M5.5 8a1.5 2 0 1 1-3 0a1.5 2 0 1 1 3 0zM8 4.4a1.5 2.1 0 1 1-3 0a1.5 2.1 0 1 1 3 0zM11.2 4.4a1.5 2.1 0 1 1-3 0a1.5 2.1 0 1 1 3 0zM13.7 8a1.5 2 0 1 1-3 0a1.5 2 0 1 1 3 0zM8.1 8.2c-2.2 0-4 2.2-4 3.9 0 1.2.9 1.7 1.9 1.7.8 0 1.3-.4 2.1-.4s1.3.4 2.1.4c1 0 1.9-.5 1.9-1.7 0-1.7-1.8-3.9-4-3.9z",
  },
} as const satisfies Readonly<Record<string, Icon>>;

export type IconName = keyof typeof icons;

export const iconOf = (name: IconName): Icon => icons[name];

/** Icons are elements, since the content security policy allows no `data:` URLs. */
export function icon(name: IconName, size = 16): Html {
  const { lines, solid } = iconOf(name);
  return html`<svg viewBox="0 0 16 16" width="${size}" height="${size}" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false">${lines && html`<path d="${lines}"/>`}${solid && html`<path d="${solid}" fill="currentColor" stroke="none"/>`}</svg>`;
}
