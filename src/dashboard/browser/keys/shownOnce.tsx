/** A key is shown this once, so it is not closed by a slip. */
import { useState } from "preact/hooks";
import type { MintedKey } from "../../../contract/generated/platform.ts";
import { Button, CopyButton } from "../parts/buttons.tsx";
import { Dialog } from "../parts/dialog.tsx";

interface ShownOnceProps {
  readonly minted: MintedKey;
  readonly onClose: () => void;
}

export function ShownOnce({ minted: { key, token }, onClose }: ShownOnceProps) {
  const [kept, setKept] = useState(false);
  return (
    <Dialog title={`The key ${key.name}`} onClose={onClose} firm>
      <p>Copy it now. It is not stored, only a hash of it, and cannot be shown again.</p>
      <p class="secret">
        <code>{token}</code>
        <CopyButton text={token} what="the key" />
      </p>
      <p class="quiet">Send it with every request:</p>
      <pre class="sample">{`Authorization: Bearer ${token.slice(0, 9)}…`}</pre>
      <label class="tick">
        <input type="checkbox" checked={kept} onChange={() => setKept(!kept)} />
        <span>I have put it where it is safe</span>
      </label>
      <div class="actions">
        <Button kind="primary" disabled={!kept} onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
