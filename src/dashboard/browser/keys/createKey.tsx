import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { MintedKey } from "../../../contract/generated/platform.ts";
import { call } from "../http.ts";
import { Button } from "../parts/buttons.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ChoiceField, Form, TextField } from "../parts/form.tsx";
import { ErrorMessage } from "../parts/notice.tsx";
import { now } from "../platform.ts";
import { useAction } from "../useApi.ts";

interface CreateKeyProps {
  readonly scopes: readonly string[];
  readonly onCreated: (minted: MintedKey) => void;
  readonly onClose: () => void;
}

const lives = {
  never: "Never",
  "7": "After 7 days",
  "30": "After 30 days",
  "90": "After 90 days",
  "365": "After a year",
} as const;

const dayMs = 86_400_000;

export function CreateKey({ scopes, onCreated, onClose }: CreateKeyProps) {
  const [name, setName] = useState("");
  const [all, setAll] = useState(true);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [life, setLife] = useState<keyof typeof lives>("never");
  const work = useAction();
  const create = () =>
    work.run(async () => {
      onCreated(
        await call("post", "/keys", {
          body: {
            name,
            scopes: all ? "all" : [...chosen],
            ...(life === "never" ? {} : { expiresAtMs: now() + Number(life) * dayMs }),
          },
        }),
      );
    });
  const toggle = (scope: string) => {
    const after = new Set(chosen);
    if (!after.delete(scope)) after.add(scope);
    setChosen(after);
  };
  return (
    <Dialog title="Create key" onClose={onClose}>
      <Form onSubmit={() => void create()}>
        <TextField
          label="Name"
          value={name}
          onText={setName}
          required
          hint="Whose it is, or what for: ci, report, the shop's website."
        />
        <fieldset>
          <legend>What it may do</legend>
          <Tick type="radio" checked={all} onTick={() => setAll(true)}>
            Everything
          </Tick>
          <Tick type="radio" checked={!all} onTick={() => setAll(false)}>
            Only this
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
        <ChoiceField label="It expires" value={life} options={lives} onChoice={setLife} />
        <ErrorMessage error={work.error} />
        <div class="actions">
          <Button type="submit" kind="primary" busy={work.busy}>
            Create key
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </Form>
    </Dialog>
  );
}

interface TickProps {
  readonly type: "radio" | "checkbox";
  readonly checked: boolean;
  readonly onTick: () => void;
  readonly children: ComponentChildren;
}

function Tick({ type, checked, onTick, children }: TickProps) {
  return (
    <label class="tick">
      <input
        type={type}
        name={type === "radio" ? "powers" : undefined}
        checked={checked}
        onChange={onTick}
      />
      <span>{children}</span>
    </label>
  );
}
