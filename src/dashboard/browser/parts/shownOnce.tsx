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
  return (
    <Dialog title={title} firm>
      <p>{lead}</p>
      <p class="secret">
        <code>{secret}</code>
        <CopyButton text={secret} what={what} />
      </p>
      {children}
      <DoneOnceStored what="it" onDone={closeDialog} />
    </Dialog>
  );
}

/** What leaves such a dialog. `what` is "it" or "them". */
export function DoneOnceStored({ what, onDone }: { what: "it" | "them"; onDone: () => void }) {
  const [stored, setStored] = useState(false);
  return (
    <>
      <Tick type="checkbox" checked={stored} onTick={() => setStored(!stored)}>
        I have stored {what} in a safe place
      </Tick>
      <div class="actions">
        <Button kind="primary" disabled={!stored} onClick={onDone}>
          Done
        </Button>
      </div>
    </>
  );
}
