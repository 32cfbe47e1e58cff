/** Icons. All are decoration: each has a label beside it, or is in a button that has one. */
import { type IconName, iconOf } from "../../../docs/icons.ts";

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  const { lines, solid } = iconOf(name);
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {lines && <path d={lines} />}
      {solid && <path d={solid} fill="currentColor" stroke="none" />}
    </svg>
  );
}
