/** The dialogs that create, show, rotate and revoke API keys. */
import { useState } from "preact/hooks";
import type { Key, MintedKey } from "../../contract/generated/platform.ts";
import { now } from "../../docs/browser/platform.ts";
import { call } from "./http.ts";
import { FormDialog, openDialog } from "./parts/dialog.tsx";
import { ChoiceField, TextField, Tick } from "./parts/form.tsx";
import { ShownOnce } from "./parts/shownOnce.tsx";

const lifetimes = {
  never: "Never",
  "7": "After 7 days",
  "30": "After 30 days",
  "90": "After 90 days",
  "365": "After a year",
} as const;

const dayMs = 86_400_000;

interface CreateKeyProps {
  readonly scopes: readonly string[];
  readonly onChanged: () => void;
}

export function CreateKey({ scopes, onChanged }: CreateKeyProps) {
  const [name, setName] = useState("");
  const [all, setAll] = useState(true);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [lifetime, setLifetime] = useState<keyof typeof lifetimes>("never");
  const create = async () => {
    const expiry = lifetime === "never" ? {} : { expiresAtMs: now() + Number(lifetime) * dayMs };
    const body = { name, scopes: all ? ("all" as const) : [...chosen], ...expiry };
    openDialog(<NewKey minted={await call("post", "/keys", { body })} />);
    onChanged();
    return undefined;
  };
  const toggle = (scope: string) => {
    const after = new Set(chosen);
    if (!after.delete(scope)) after.add(scope);
    setChosen(after);
  };
  return (
    <FormDialog title="Create key" submit="Create key" onSubmit={create}>
      <TextField
        label="Name"
        value={name}
        onText={setName}
        required
        hint="Which program uses it, such as ci or website."
      />
      <fieldset>
        <legend>Scopes</legend>
        <Tick type="radio" checked={all} onTick={() => setAll(true)}>
          Everything
        </Tick>
        <Tick type="radio" checked={!all} onTick={() => setAll(false)}>
          Only these
        </Tick>
        {!all && (
          <div class="nested">
            {scopes.map((scope) => (
              <Tick
                key={scope}
                type="checkbox"
                checked={chosen.has(scope)}
                onTick={() => toggle(scope)}
              >
                <code>{scope}</code>
              </Tick>
            ))}
          </div>
        )}
      </fieldset>
      <ChoiceField label="Expires" value={lifetime} options={lifetimes} onChoice={setLifetime} />
    </FormDialog>
  );
}

const graces = {
  "0": "Not at all",
  "3600": "For an hour",
  "86400": "For a day",
  "604800": "For 7 days",
} as const;

interface ChangeKeyProps {
  readonly changed: Key;
  readonly onChanged: () => void;
}

export function RotateKey({ changed, onChanged }: ChangeKeyProps) {
  const [grace, setGrace] = useState<keyof typeof graces>("86400");
  const rotate = async () => {
    const input = { path: { key: changed.id }, body: { graceSeconds: Number(grace) } };
    openDialog(<NewKey minted={await call("post", "/keys/{key}/rotate", input)} />);
    onChanged();
    return undefined;
  };
  return (
    <FormDialog title={`Rotate ${changed.name}`} submit="Rotate key" onSubmit={rotate}>
      <p>
        A new key with the same name and scopes takes its place. It is shown once, in the next step.
      </p>
      <ChoiceField
        label="The old key still works"
        value={grace}
        options={graces}
        onChoice={setGrace}
        hint="At most until its own expiry."
      />
    </FormDialog>
  );
}

export function RevokeKey({ changed: { id, name, hint }, onChanged }: ChangeKeyProps) {
  const revoke = async () => {
    await call("post", "/keys/{key}/revoke", { path: { key: id } });
    onChanged();
    return `${name} was revoked. It is refused from now on.`;
  };
  return (
    <FormDialog
      title={`Revoke ${name}?`}
      submit="Revoke key"
      danger
      keep="Keep it"
      onSubmit={revoke}
    >
      <p>
        Every program that uses <code>{hint}</code> is refused at once, and this cannot be undone.
        To replace a key without interruption, rotate it.
      </p>
    </FormDialog>
  );
}

function NewKey({ minted: { key, token } }: { minted: MintedKey }) {
  return (
    <ShownOnce
      title={`The key ${key.name}`}
      secret={token}
      what="the key"
      lead="Copy it now. Only a hash of it is stored: it cannot be shown again."
    >
      <p class="quiet">Send it with every request:</p>
      <pre class="sample">{`Authorization: Bearer ${token.slice(0, 9)}…`}</pre>
    </ShownOnce>
  );
}
