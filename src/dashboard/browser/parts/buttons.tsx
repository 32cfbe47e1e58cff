/** Buttons, and the two that come with something: copying, and waiting for what was asked. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { copyText } from "../../../docs/browser/platform.ts";
import { announce } from "../announce.ts";
import { later } from "../platform.ts";
import { CopyIcon, TickIcon } from "./icons.tsx";

export interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onClick?: (() => void) | undefined;
  readonly kind?: "primary" | "danger" | "quiet" | undefined;
  readonly type?: "button" | "submit";
  /** Something is under way that it started: it can be focused, and does nothing. */
  readonly busy?: boolean | undefined;
  readonly disabled?: boolean;
  readonly label?: string | undefined;
  /** In a dialog that can do harm: the one that does none, and has the focus first. */
  readonly safe?: boolean;
}

export function Button({ children, onClick, kind, type = "button", busy, ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      class={kind}
      aria-disabled={busy ? "true" : undefined}
      aria-label={rest.label}
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

/** Copies a text and says so. `what` is said to those who do not see what stands beside it. */
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
      {done ? <TickIcon /> : <CopyIcon />}
      <span aria-hidden="true">{word}</span>
    </button>
  );
}
