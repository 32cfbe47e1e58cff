/** A menu behind three dots, with the keyboard support of the ARIA menu pattern. */
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "./buttons.tsx";

export interface MenuItem {
  readonly label: string;
  readonly run: () => void;
  readonly danger?: boolean;
}

export function Menu({ label, items }: { label: string; items: readonly MenuItem[] }) {
  const [open, setOpen] = useState(false);
  const container = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const entries = () => [
    ...(container.current?.querySelectorAll<HTMLButtonElement>("[role=menuitem]") ?? []),
  ];

  useLayoutEffect(() => {
    if (!open) return;
    entries()[0]?.focus();
    const beside = (event: Event) => {
      if (!container.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", beside);
    return () => document.removeEventListener("pointerdown", beside);
  }, [open]);

  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Escape") close();
    else if (event.key === "Tab") setOpen(false);
    else if (to !== undefined) all.at(to % all.length)?.focus();
    if (to !== undefined || event.key === "Escape") event.preventDefault();
  };
  return (
    <div class="menu" ref={container}>
      <button
        type="button"
        ref={button}
        class="icon"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <Icon name="more" />
      </button>
      {open && (
        <div role="menu" id={id} aria-label={label} tabIndex={-1} onKeyDown={onKeyDown}>
          {items.map(({ label, run, danger }) => (
            <button
              key={label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              class={danger ? "danger" : undefined}
              onClick={() => {
                // First, so that a dialog returns the focus to the button.
                close();
                run();
              }}
            >
              {label}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
