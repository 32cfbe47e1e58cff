/** The two ways in which a key ends by somebody's hand. */
import { useState } from "preact/hooks";
import type { Key, MintedKey } from "../../../contract/generated/platform.ts";
import { notify } from "../announce.ts";
import { call } from "../http.ts";
import { Button } from "../parts/buttons.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ChoiceField, Form } from "../parts/form.tsx";
import { ErrorMessage } from "../parts/notice.tsx";
import { useAction } from "../useApi.ts";

const graces = {
  "0": "Not at all",
  "3600": "For an hour",
  "86400": "For a day",
  "604800": "For 7 days",
} as const;

interface RotateKeyProps {
  readonly keyToEnd: Key;
  readonly onRotated: (minted: MintedKey) => void;
  readonly onClose: () => void;
}

export function RotateKey({ keyToEnd, onRotated, onClose }: RotateKeyProps) {
  const [grace, setGrace] = useState<keyof typeof graces>("86400");
  const work = useAction();
  const rotate = () =>
    work.run(async () => {
      onRotated(
        await call("post", "/keys/{key}/rotate", {
          path: { key: keyToEnd.id },
          body: { graceSeconds: Number(grace) },
        }),
      );
    });
  return (
    <Dialog title={`Rotate ${keyToEnd.name}`} onClose={onClose}>
      <Form onSubmit={() => void rotate()}>
        <p>
          A new key with the same name and scopes takes its place. It is shown once, in the next
          step.
        </p>
        <ChoiceField
          label="The old key still works"
          value={grace}
          options={graces}
          onChoice={setGrace}
          hint="Never longer than it would have worked anyway."
        />
        <ErrorMessage error={work.error} />
        <div class="actions">
          <Button type="submit" kind="primary" busy={work.busy}>
            Rotate key
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </Form>
    </Dialog>
  );
}

interface RevokeKeyProps {
  readonly keyToEnd: Key;
  readonly onRevoked: () => void;
  readonly onClose: () => void;
}

export function RevokeKey({ keyToEnd, onRevoked, onClose }: RevokeKeyProps) {
  const work = useAction();
  const revoke = () =>
    work.run(async () => {
      await call("post", "/keys/{key}/revoke", { path: { key: keyToEnd.id } });
      onRevoked();
      onClose();
      notify(`${keyToEnd.name} was revoked. It is refused from now on.`);
    });
  return (
    <Dialog title={`Revoke ${keyToEnd.name}?`} onClose={onClose}>
      <p>
        Every program that uses <code>{keyToEnd.hint}</code> is refused from then on, at once and
        for good. To replace a key without an interruption, rotate it.
      </p>
      <ErrorMessage error={work.error} />
      <div class="actions">
        <Button kind="danger" onClick={() => void revoke()} busy={work.busy}>
          Revoke key
        </Button>
        <Button onClick={onClose} safe>
          Keep it
        </Button>
      </div>
    </Dialog>
  );
}
