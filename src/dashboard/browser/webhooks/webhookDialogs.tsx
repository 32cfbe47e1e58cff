/** The dialogs that create, edit, test, rotate, disable and remove webhook endpoints. */
import { useEffect, useState } from "preact/hooks";
import type { MintedWebhook, Webhook, WebhookTest } from "../../../contract/generated/platform.ts";
import { call } from "../http.ts";
import { Button } from "../parts/buttons.tsx";
import { closeDialog, Dialog, FormDialog, openDialog } from "../parts/dialog.tsx";
import { ChoiceField, TextField, Tick } from "../parts/form.tsx";
import { Badge, ErrorMessage } from "../parts/notice.tsx";
import { ShownOnce } from "../parts/shownOnce.tsx";
import { useAction } from "../useApi.ts";
import { AttemptView } from "./attempt.tsx";

interface EditProps {
  /** Undefined for one that is to be created. */
  readonly webhook?: Webhook;
  /** What can be chosen. */
  readonly types: readonly string[];
  readonly onChanged: () => void;
}

/** `pet.*` stands for every type of its kind. */
const isKind = (type: string) => type.endsWith(".*");
const isOf = (kind: string) => (type: string) => type.startsWith(kind.slice(0, -1));

/** What an endpoint gets unless more is asked for. */
const shopTypes: readonly string[] = ["pet.*", "order.*"];
const isShop = (types: Webhook["types"]) =>
  types !== "all" && types.length === 2 && shopTypes.every((type) => types.includes(type));

export function EditWebhook({ webhook, types, onChanged }: EditProps) {
  const before = webhook?.types ?? shopTypes;
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [description, setDescription] = useState(webhook?.description ?? "");
  const [which, setWhich] = useState(before === "all" ? "all" : isShop(before) ? "shop" : "these");
  const given = webhook === undefined || before === "all" ? [] : before;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(given));
  const toggle = (type: string) => {
    const after = new Set(chosen);
    if (!after.delete(type)) after.add(type);
    setChosen(after);
  };
  const save = async () => {
    const picked = which === "all" ? ("all" as const) : which === "shop" ? shopTypes : [...chosen];
    const body = { url: url.trim(), types: picked, description: description.trim() };
    if (webhook === undefined) {
      openDialog(<NewSecret minted={await call("post", "/webhooks", { body })} />);
      onChanged();
      return undefined;
    }
    await call("put", "/webhooks/{webhook}", { path: { webhook: webhook.id }, body });
    onChanged();
    return "The endpoint was changed.";
  };
  return (
    <FormDialog
      title={webhook === undefined ? "Create endpoint" : "Edit endpoint"}
      submit={webhook === undefined ? "Create endpoint" : "Save"}
      onSubmit={save}
    >
      <TextField
        label="URL"
        type="url"
        value={url}
        onText={setUrl}
        required
        mono
        maxLength={2048}
        hint="Events are sent here by POST. Private addresses are refused."
      />
      <TextField
        label="Description"
        value={description}
        onText={setDescription}
        maxLength={200}
        hint="What it is for, if the URL does not say it."
      />
      <fieldset>
        <legend>Events</legend>
        <Tick type="radio" checked={which === "shop"} onTick={() => setWhich("shop")}>
          Pets and orders
        </Tick>
        <Tick type="radio" checked={which === "all"} onTick={() => setWhich("all")}>
          Everything
        </Tick>
        <Tick type="radio" checked={which === "these"} onTick={() => setWhich("these")}>
          Only these
        </Tick>
        {which === "these" &&
          types.filter(isKind).map((kind) => (
            <div key={kind} class="nested kind">
              {types.filter(isOf(kind)).map((type) => (
                <Tick
                  key={type}
                  type="checkbox"
                  checked={chosen.has(type)}
                  onTick={() => toggle(type)}
                >
                  <code>
                    {kind.slice(0, -1)}
                    <wbr />
                    {type.slice(kind.length - 1)}
                  </code>
                </Tick>
              ))}
            </div>
          ))}
      </fieldset>
    </FormDialog>
  );
}

function NewSecret({ minted: { webhook, secret } }: { minted: MintedWebhook }) {
  return (
    <ShownOnce
      title="The signing secret"
      secret={secret}
      what="the secret"
      lead="Copy it now. It is stored encrypted and cannot be shown again."
    >
      <p class="quiet">
        The receiver at <code>{webhook.url}</code> verifies signatures with it, with any library of
        Standard Webhooks:
      </p>
      <pre class="sample">new Webhook(secret).verify(rawBody, headers)</pre>
    </ShownOnce>
  );
}

const overlaps = {
  "0": "Not at all",
  "3600": "For an hour",
  "86400": "For a day",
  "604800": "For 7 days",
} as const;

interface ChangeProps {
  readonly webhook: Webhook;
  readonly onChanged: () => void;
}

const pathOf = ({ id }: Webhook) => ({ path: { webhook: id } });

export function RotateSecret({ webhook, onChanged }: ChangeProps) {
  const [overlap, setOverlap] = useState<keyof typeof overlaps>("86400");
  const rotate = async () => {
    const input = { ...pathOf(webhook), body: { overlapSeconds: Number(overlap) } };
    openDialog(<NewSecret minted={await call("post", "/webhooks/{webhook}/rotate", input)} />);
    onChanged();
    return undefined;
  };
  return (
    <FormDialog title="Rotate secret" submit="Rotate secret" onSubmit={rotate}>
      <p>A new secret is shown once, in the next step. Until the overlap ends, both sign.</p>
      <ChoiceField
        label="The old secret also signs"
        value={overlap}
        options={overlaps}
        onChoice={setOverlap}
      />
    </FormDialog>
  );
}

export function DisableWebhook({ webhook, onChanged }: ChangeProps) {
  const disable = async () => {
    await call("post", "/webhooks/{webhook}/disable", pathOf(webhook));
    onChanged();
    return "The endpoint is disabled.";
  };
  return (
    <FormDialog
      title="Disable endpoint?"
      submit="Disable endpoint"
      keep="Keep it enabled"
      onSubmit={disable}
    >
      <p>
        Nothing is sent to <code>{webhook.url}</code> until you enable it. Events wait for it, for
        as long as they are kept.
      </p>
    </FormDialog>
  );
}

export function EnableWebhook({ webhook, onChanged }: ChangeProps) {
  const enable = async () => {
    await call("post", "/webhooks/{webhook}/enable", pathOf(webhook));
    onChanged();
    return "The endpoint is enabled. It gets what it has missed.";
  };
  return (
    <FormDialog title="Enable endpoint?" submit="Enable endpoint" onSubmit={enable}>
      <p>
        <code>{webhook.url}</code> gets what it has missed, from where it stopped. What failed for
        good is not sent again unless you replay it.
      </p>
    </FormDialog>
  );
}

export function RemoveWebhook({ webhook, onChanged }: ChangeProps) {
  const remove = async () => {
    await call("delete", "/webhooks/{webhook}", pathOf(webhook));
    onChanged();
    return "The endpoint was removed.";
  };
  return (
    <FormDialog
      title="Remove endpoint?"
      submit="Remove endpoint"
      danger
      keep="Keep it"
      onSubmit={remove}
    >
      <p>
        Nothing more is sent to <code>{webhook.url}</code>, its deliveries are deleted, and its
        secret is lost. This cannot be undone.
      </p>
    </FormDialog>
  );
}

/** Sends at once; a message has no effect but at the receiver. */
export function SendTest({ webhook }: { webhook: Webhook }) {
  const [outcome, setOutcome] = useState<WebhookTest>();
  const { run, busy, error } = useAction();
  const send = () =>
    run(async () => {
      setOutcome(undefined);
      setOutcome(await call("post", "/webhooks/{webhook}/test", pathOf(webhook)));
    });
  useEffect(send, []);
  return (
    <Dialog title="Test message">
      <div role="status" class="test-outcome">
        {outcome === undefined ? (
          error === undefined && (
            <p class="quiet">Sending a signed message. This takes 15 seconds at most.</p>
          )
        ) : (
          <Badge tone={outcome.delivered ? "fine" : "trouble"}>
            {outcome.delivered ? "Delivered" : "Not delivered"}
          </Badge>
        )}
      </div>
      <ErrorMessage error={error} />
      {outcome && <AttemptView attempt={outcome.attempt} body={outcome.body} />}
      <div class="actions">
        <Button onClick={send} busy={busy}>
          Send again
        </Button>
        <Button kind="primary" onClick={closeDialog}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}
