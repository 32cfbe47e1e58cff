/** Dialogs. They hold the focus, Esc closes them, and the focus returns to where it was. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { notify } from "../announce.ts";
import { observable, useObservable } from "../observable.ts";
import { type Action, useAction } from "../useApi.ts";
import { Button, Icon } from "./buttons.tsx";
import { Form } from "./form.tsx";
import { ErrorMessage } from "./notice.tsx";

const opened = observable<JSX.Element | null>(null);

export const openDialog = (dialog: JSX.Element): void => opened.set(dialog);
export const closeDialog = (): void => opened.set(null);

/** The open dialog, if any. It is part of a page and closes with it. */
export function OpenDialog() {
  useEffect(() => closeDialog, []);
  return useObservable(opened);
}

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Neither Esc nor a click outside closes the dialog. */
  readonly firm?: boolean;
}

/** The harmless button of a destructive dialog, else the first field, else the first button. */
const focusOrder = [
  "[data-safe]",
  "form input, form select, form textarea",
  ".dialog-head ~ * button",
];

function firstIn(dialog: HTMLElement | null): HTMLElement | undefined {
  for (const selector of focusOrder) {
    const found = dialog?.querySelector<HTMLElement>(selector);
    if (found) return found;
  }
  return undefined;
}

/** Open as long as it is rendered. */
export function Dialog({ title, children, firm = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    firstIn(dialog)?.focus();
    // Closing returns the focus, which removing alone would not.
    return () => dialog?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes it, which the browser does by itself
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!firm) closeDialog();
      }}
      onClick={(event) => {
        if (!firm && event.target === element.current) closeDialog();
      }}
    >
      <div class="dialog-body">
        <div class="dialog-head">
          <h2 id={id}>{title}</h2>
          {!firm && (
            <Button kind="icon" label="Close" onClick={closeDialog}>
              <Icon name="close" />
            </Button>
          )}
        </div>
        {children}
      </div>
    </dialog>
  );
}

interface ActionFormProps {
  /** The words on the button that submits. */
  readonly submit: string;
  /** Resolves to what is announced when the dialog closes, or to nothing if another follows it. */
  readonly onSubmit: () => Promise<string | undefined>;
  readonly danger?: boolean;
  /** The words on the button that changes nothing. If given, that button has the focus first. */
  readonly keep?: string;
  /** For a dialog that looks at the error itself. */
  readonly action?: Action;
  readonly children: ComponentChildren;
}

/** The content of a dialog that does one thing: its fields, its error and its buttons. */
export function ActionForm(props: ActionFormProps) {
  const { submit, onSubmit, danger = false, keep, children } = props;
  const own = useAction();
  const { run, busy, error } = props.action ?? own;
  const start = () =>
    run(async () => {
      const done = await onSubmit();
      if (done === undefined) return;
      closeDialog();
      notify(done);
    });
  return (
    <Form onSubmit={start}>
      {children}
      <ErrorMessage error={error} />
      <div class="actions">
        <Button type="submit" kind={danger ? "danger" : "primary"} busy={busy}>
          {submit}
        </Button>
        <Button onClick={closeDialog} safe={keep !== undefined}>
          {keep ?? "Cancel"}
        </Button>
      </div>
    </Form>
  );
}

export function FormDialog({ title, ...form }: ActionFormProps & { readonly title: string }) {
  return (
    <Dialog title={title}>
      <ActionForm {...form} />
    </Dialog>
  );
}
