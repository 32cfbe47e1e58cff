/** The dialogs that set up an authenticator app and show recovery codes. */

import { useMemo, useState } from "preact/hooks";
import encodeQR from "qr";
import type { TotpSetup } from "../../../contract/generated/platform.ts";
import { call } from "../http.ts";
import { Button, CopyButton } from "../parts/buttons.tsx";
import { closeDialog, Dialog, FormDialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/form.tsx";
import { DoneOnceStored } from "../parts/shownOnce.tsx";

interface SetUpAppProps {
  readonly setup: TotpSetup;
  readonly onCodes: (codes: readonly string[]) => void;
}

export function SetUpApp({ setup: { secret, url, setup }, onCodes }: SetUpAppProps) {
  const [code, setCode] = useState("");
  const confirm = async () => {
    const body = { setup, code };
    const { recoveryCodes } = await call("put", "/second-factors/totp", { body });
    onCodes(recoveryCodes);
    return recoveryCodes.length === 0 ? "The authenticator app is set up." : undefined;
  };
  return (
    <FormDialog title="Set up an authenticator app" submit="Confirm" onSubmit={confirm}>
      <p>
        Scan this with the app, or <a href={url}>open it in an app on this device</a>.
      </p>
      <QrCode text={url} label="QR code of the secret below" />
      <p class="quiet">Or type the secret:</p>
      <p class="secret">
        <code>{secret.replace(/.{4}(?=.)/g, "$& ")}</code>
        <CopyButton text={secret} what="the secret" />
      </p>
      <TextField
        label="Code"
        hint="The six digits that the app shows now."
        value={code}
        onText={setCode}
        autocomplete="one-time-code"
        inputMode="numeric"
        mono
        required
      />
    </FormDialog>
  );
}

/** Dark on light in either theme, with the quiet zone of four modules that scanners need. */
function QrCode({ text, label }: { text: string; label: string }) {
  const rows = useMemo(() => encodeQR(text, "raw", { border: 4 }), [text]);
  const path = rows
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  return (
    <svg class="qr" viewBox={`0 0 ${rows.length} ${rows.length}`} role="img" aria-label={label}>
      <path d={path} />
    </svg>
  );
}

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onDone?: (() => void) | undefined;
}

/** They are shown only once, so a stray click or key press does not close the dialog. */
export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  const text = `${codes.join("\n")}\n`;
  const done = () => {
    closeDialog();
    onDone?.();
  };
  return (
    <Dialog title="Your recovery codes" firm>
      <p>
        Each signs you in once if you lose your passkeys or your phone. Store them now: they cannot
        be shown again.
      </p>
      <ol class="recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div class="actions">
        <Button onClick={() => download("petstore-recovery-codes.txt", text)}>Download</Button>
        <CopyButton text={text} what="the codes" />
      </div>
      <DoneOnceStored what="them" onDone={done} />
    </Dialog>
  );
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
