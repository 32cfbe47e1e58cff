/** A dialog: it holds the focus, Esc closes it, and the focus returns to where it was. */
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { CloseIcon } from "./icons.tsx";

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  /** What must not be lost by a slip: neither Esc nor a click beside it closes the dialog. */
  readonly firm?: boolean;
}

/** What does no harm where something could, else the first field, else the first thing to do. */
const firstPlaces = [
  "[data-safe]",
  "form input, form select, form textarea",
  ".dialog-head ~ * button",
];

function firstIn(dialog: HTMLElement | null): HTMLElement | undefined {
  for (const place of firstPlaces) {
    const found = dialog?.querySelector<HTMLElement>(place);
    if (found) return found;
  }
  return undefined;
}

/** It is open as long as it is there. */
export function Dialog({ title, children, onClose, firm = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const opener = document.activeElement;
    const dialog = element.current;
    dialog?.showModal();
    firstIn(dialog)?.focus();
    return () => {
      // As long as it is open, nothing outside of it can have the focus.
      dialog?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes it, which the browser does by itself
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!firm) onClose();
      }}
      onClick={(event) => {
        if (!firm && event.target === element.current) onClose();
      }}
    >
      <div class="dialog-body">
        <div class="dialog-head">
          <h2 id={id}>{title}</h2>
          {!firm && (
            <button type="button" class="icon" aria-label="Close" onClick={onClose}>
              <CloseIcon />
            </button>
          )}
        </div>
        {children}
      </div>
    </dialog>
  );
}
