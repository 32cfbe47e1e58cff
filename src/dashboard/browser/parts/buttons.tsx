/** Buttons, with a busy state, the button that copies, and icons. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { copyText, later } from "../../../docs/browser/platform.ts";
import { type IconName, iconOf } from "../../../docs/icons.ts";
import { announce } from "../announce.ts";

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onClick?: (() => void) | undefined;
  readonly kind?: "primary" | "danger" | "plain" | "icon" | undefined;
  readonly type?: "button" | "submit";
  /** Its action is running: it keeps the focus, and does nothing. */
  readonly busy?: boolean | undefined;
  readonly disabled?: boolean;
  readonly label?: string | undefined;
  /** Whether what it discloses is shown. */
  readonly expanded?: boolean;
  /** In a destructive dialog: the button that changes nothing, which has the focus first. */
  readonly safe?: boolean;
}

export function Button({ children, onClick, kind, type = "button", busy, ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      class={kind}
      aria-disabled={busy ? "true" : undefined}
      aria-label={rest.label}
      aria-expanded={rest.expanded}
      disabled={rest.disabled}
      data-safe={rest.safe ? "" : undefined}
      onClick={(event) => {
        if (!busy) return onClick?.();
        event.preventDefault();
      }}
    >
      {busy && <span class="spinner" aria-hidden="true" />}
      {children}
    </button>
  );
}

const shownForMs = 1_600;

/** Copies a text. `what` names it for screen readers. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [done, setDone] = useState<boolean>();
  useEffect(() => {
    return done === undefined ? undefined : later(shownForMs, () => setDone(undefined));
  }, [done]);
  const copy = async () => {
    const copied = await copyText(text);
    setDone(copied);
    announce(copied ? `Copied ${what}` : "Copying was refused. Select the text and copy it.");
  };
  const word = done === undefined ? "Copy" : done ? "Copied" : "Select";
  return (
    <button type="button" class="copy" aria-label={`${word} ${what}`} onClick={copy}>
      {done ? <Icon name="tick" /> : <Icon name="copy" />}
      <span aria-hidden="true">{word}</span>
    </button>
  );
}

/** Decoration: it has a label beside it, or is in a button that has one. */
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
