/** Icons. All are decoration: each has a label beside it, or is in a button that has one. */
import type { ComponentChildren } from "preact";

const icon = (drawing: ComponentChildren) => () => (
  <svg
    viewBox="0 0 16 16"
    width="16"
    height="16"
    fill="none"
    stroke="currentColor"
    stroke-width="1.5"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    {drawing}
  </svg>
);

export const CopyIcon = icon(
  <>
    <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
    <path d="M3.5 10.5h-.25a.75.75 0 0 1-.75-.75v-6.5a.75.75 0 0 1 .75-.75h6.5a.75.75 0 0 1 .75.75v.25" />
  </>,
);
export const TickIcon = icon(<path d="m3 8.5 3.25 3.25L13 5" />);
export const MoreIcon = icon(
  <g fill="currentColor" stroke="none">
    <circle cx="3.25" cy="8" r="1.25" />
    <circle cx="8" cy="8" r="1.25" />
    <circle cx="12.75" cy="8" r="1.25" />
  </g>,
);
export const ChevronIcon = icon(<path d="m4.5 6.25 3.5 3.5 3.5-3.5" />);
export const CloseIcon = icon(<path d="m4 4 8 8M12 4l-8 8" />);
export const ThemeIcon = icon(
  <>
    <circle cx="8" cy="8" r="5.25" />
    <path d="M8 2.75a5.25 5.25 0 0 1 0 10.5z" fill="currentColor" stroke="none" />
  </>,
);
export const FolderIcon = icon(
  <>
    <path d="M2 12.25v-8.5a.75.75 0 0 1 .75-.75h3l1.5 1.75h6a.75.75 0 0 1 .75.75v6.75a.75.75 0 0 1-.75.75H2.75a.75.75 0 0 1-.75-.75z" />
    <path d="M8 10.5v-3.5m0 0L6.5 8.5M8 7l1.5 1.5" />
  </>,
);

/** A paw: the mark of the store. */
export const MarkIcon = () => (
  <svg
    viewBox="0 0 16 16"
    width="20"
    height="20"
    fill="currentColor"
    aria-hidden="true"
    focusable="false"
  >
    <ellipse cx="4" cy="8" rx="1.5" ry="2" />
    <ellipse cx="6.5" cy="4.4" rx="1.5" ry="2.1" />
    <ellipse cx="9.7" cy="4.4" rx="1.5" ry="2.1" />
    <ellipse cx="12.2" cy="8" rx="1.5" ry="2" />
    <path d="M8.1 8.2c-2.2 0-4 2.2-4 3.9 0 1.2.9 1.7 1.9 1.7.8 0 1.3-.4 2.1-.4s1.3.4 2.1.4c1 0 1.9-.5 1.9-1.7 0-1.7-1.8-3.9-4-3.9z" />
  </svg>
);
