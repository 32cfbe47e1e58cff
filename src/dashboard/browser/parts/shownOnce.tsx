/** A secret that is shown only once, so a stray click or key press does not close the dialog. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Button, CopyButton } from "./buttons.tsx";
import { closeDialog, Dialog } from "./dialog.tsx";
import { Tick } from "./form.tsx";

interface ShownOnceProps {
  readonly title: string;
  readonly secret: string;
  /** Names it for screen readers: `the key`. */
  readonly what: string;
  /** Why it has to be copied now. */
  readonly lead: string;
  /** How it is used. */
  readonly children: ComponentChildren;
}

export function ShownOnce({ title, secret, what, lead, children }: ShownOnceProps) {
  const [kept, setKept] = useState(false);
  return (
    <Dialog title={title} firm>
      <p>{lead}</p>
      <p class="secret">
        <code>{secret}</code>
        <CopyButton text={secret} what={what} />
      </p>
      {children}
      <Tick type="checkbox" checked={kept} onTick={() => setKept(!kept)}>
        I have stored it in a safe place
      </Tick>
      <div class="actions">
        <Button kind="primary" disabled={!kept} onClick={closeDialog}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
