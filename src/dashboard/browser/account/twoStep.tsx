/** Two-step sign-in: passkeys, an authenticator app and recovery codes. */
import { useState } from "preact/hooks";
import type { Passkey, SecondFactors } from "../../../contract/generated/platform.ts";
import { now } from "../../../docs/browser/platform.ts";
import { call } from "../http.ts";
import { Button } from "../parts/buttons.tsx";
import { FormDialog, openDialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/form.tsx";
import { Ago } from "../parts/format.tsx";
import { Badge, ErrorMessage, Loadable, Notice, Skeleton } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { addPasskey, passkeysWorkHere } from "../passkeys.ts";
import { loadSession, signOut } from "../session.ts";
import { type Action, useAction, useGet } from "../useApi.ts";
import { browserOf } from "./browserName.ts";
import { RecoveryCodes, SetUpApp } from "./twoStepDialogs.tsx";

/** In place of every screen, where it is required and missing. */
export function SetUpTwoStep() {
  const work = useAction();
  return (
    <Page
      title="Set up two-step sign-in"
      lead="It is required here. Choose at least one way to confirm that it is you when you sign in."
      action={
        <Button onClick={() => work.run(signOut)} busy={work.busy}>
          Sign out
        </Button>
      }
    >
      <ErrorMessage error={work.error} />
      <Factors onAdded={loadSession} />
    </Page>
  );
}

export function TwoStepSection() {
  return (
    <section aria-labelledby="two-step-title">
      <h2 id="two-step-title">Two-step sign-in</h2>
      <Factors />
    </section>
  );
}

/** `onAdded` is called once the recovery codes are stored. */
function Factors({ onAdded }: { onAdded?: () => void }) {
  const factors = useGet("/second-factors", {});
  const work = useAction();
  return (
    <>
      <ErrorMessage error={work.error} />
      <Loadable of={factors} skeleton={<Skeleton rows={3} tall />}>
        {(known) => (
          <FactorList
            {...{ known, work }}
            onChanged={factors.reload}
            onCodes={(codes) => {
              factors.reload();
              if (codes.length === 0) onAdded?.();
              else openDialog(<RecoveryCodes codes={codes} onDone={onAdded} />);
            }}
          />
        )}
      </Loadable>
    </>
  );
}

interface FactorsProps {
  readonly known: SecondFactors;
  readonly work: Action;
  readonly onChanged: () => void;
  /** A factor was added; the codes are there if it is the first, or they were replaced. */
  readonly onCodes: (codes: readonly string[]) => void;
}

function FactorList(props: FactorsProps) {
  const { passkeys, totpSinceMs, changeableUntilMs } = props.known;
  const isOn = passkeys.length > 0 || totpSinceMs !== null;
  const changeable = now() < changeableUntilMs;
  return (
    <div class="needs">
      <p>
        {isOn ? <Badge tone="fine">On</Badge> : <Badge tone="neutral">Off</Badge>}{" "}
        {isOn
          ? "When you sign in, you also confirm that it is you."
          : "Your password alone signs you in. Add a passkey or an authenticator app."}
      </p>
      {!changeable && <SignInAgain work={props.work} />}
      <ul class="rows">
        {passkeys.map((passkey) => (
          <PasskeyRow key={passkey.id} {...{ passkey, changeable }} onChanged={props.onChanged} />
        ))}
        <NewPasskeyRow {...props} changeable={changeable} />
        <AppRow {...props} changeable={changeable} />
        {isOn && <CodesRow {...props} changeable={changeable} />}
      </ul>
    </div>
  );
}

function SignInAgain({ work }: { work: Action }) {
  return (
    <Notice tone="neutral" title="To change this, sign in again">
      <p>It is possible for 15 minutes after you have signed in.</p>
      <Button onClick={() => work.run(signOut)} busy={work.busy}>
        Sign in again
      </Button>
    </Notice>
  );
}

interface PasskeyRowProps {
  readonly passkey: Passkey;
  readonly changeable: boolean;
  readonly onChanged: () => void;
}

function PasskeyRow({ passkey, changeable, onChanged }: PasskeyRowProps) {
  const { id, name, createdAtMs, usedAtMs } = passkey;
  const remove = async () => {
    await call("delete", "/second-factors/passkeys/{passkey}", { path: { passkey: id } });
    onChanged();
    return `${name} is removed.`;
  };
  return (
    <li class="row">
      <div>
        <p>{name}</p>
        <p class="quiet">
          Passkey · added <Ago at={createdAtMs} past /> ·{" "}
          {usedAtMs === null ? "never used" : ["used ", <Ago key="used" at={usedAtMs} past />]}
        </p>
      </div>
      <div class="actions">
        <Button
          label={`Rename ${name}`}
          onClick={() => openDialog(<RenamePasskey {...{ passkey, onChanged }} />)}
        >
          Rename
        </Button>
        {changeable && (
          <Button
            kind="danger"
            label={`Remove ${name}`}
            onClick={() => openDialog(<Remove what={name} onRemove={remove} />)}
          >
            Remove
          </Button>
        )}
      </div>
    </li>
  );
}

function RenamePasskey({ passkey, onChanged }: Omit<PasskeyRowProps, "changeable">) {
  const [name, setName] = useState(passkey.name);
  const rename = async () => {
    const path = { passkey: passkey.id };
    await call("put", "/second-factors/passkeys/{passkey}", { path, body: { name } });
    onChanged();
    return `The passkey is now called ${name}.`;
  };
  return (
    <FormDialog title={`Rename ${passkey.name}`} submit="Rename passkey" onSubmit={rename}>
      <TextField label="Name" value={name} onText={setName} maxLength={60} required />
    </FormDialog>
  );
}

function Remove({ what, onRemove }: { what: string; onRemove: () => Promise<string> }) {
  return (
    <FormDialog title={`Remove ${what}?`} submit="Remove" danger keep="Keep it" onSubmit={onRemove}>
      <p>
        It can no longer be used to sign in. Without any other, your password alone signs you in.
      </p>
    </FormDialog>
  );
}

type RowProps = FactorsProps & { readonly changeable: boolean };

function NewPasskeyRow({ known: { passkeyOrigin }, changeable, onCodes }: RowProps) {
  const trouble = passkeyTrouble(passkeyOrigin);
  return (
    <li class="row">
      <div>
        <p>Passkeys</p>
        <p class="quiet">
          {trouble ??
            "A phone, a computer or a security key. One with a PIN or biometrics is enough to sign in."}
        </p>
      </div>
      {changeable && trouble === undefined && (
        <Button onClick={() => openDialog(<AddPasskey onCodes={onCodes} />)}>Add a passkey</Button>
      )}
    </li>
  );
}

/** Why there can be none here; undefined if there can. */
function passkeyTrouble(origin: string | null): string | undefined {
  if (origin === null) {
    return "Not available at an IP address. Open the dashboard by its name, on this machine by localhost.";
  }
  if (origin !== location.origin) return `Available at ${origin}, the address of the dashboard.`;
  return passkeysWorkHere() ? undefined : "This browser has none.";
}

function AddPasskey({ onCodes }: Pick<FactorsProps, "onCodes">) {
  const [name, setName] = useState(browserOf(navigator.userAgent));
  const add = async () => {
    const codes = await addPasskey(name);
    onCodes(codes);
    return codes.length === 0 ? `The passkey ${name} is added.` : undefined;
  };
  return (
    <FormDialog title="Add a passkey" submit="Continue" onSubmit={add}>
      <p>Your browser asks you next where to store it.</p>
      <TextField
        label="Name"
        value={name}
        onText={setName}
        maxLength={60}
        required
        hint="To tell it from others, such as the name of the device."
      />
    </FormDialog>
  );
}

function AppRow({ known: { totpSinceMs }, changeable, work, onChanged, onCodes }: RowProps) {
  const setUp = () =>
    work.run(async () => {
      const setup = await call("post", "/second-factors/totp");
      openDialog(<SetUpApp setup={setup} onCodes={onCodes} />);
    });
  const remove = async () => {
    await call("delete", "/second-factors/totp");
    onChanged();
    return "The authenticator app is removed.";
  };
  return (
    <li class="row">
      <div>
        <p>Authenticator app</p>
        <p class="quiet">
          {totpSinceMs === null ? (
            "Shows a code that changes every 30 seconds."
          ) : (
            <>
              Set up <Ago at={totpSinceMs} past />
            </>
          )}
        </p>
      </div>
      {changeable && (
        <div class="actions">
          <Button onClick={setUp} busy={work.busy}>
            {totpSinceMs === null ? "Set up an app" : "Replace app"}
          </Button>
          {totpSinceMs !== null && (
            <Button
              kind="danger"
              label="Remove the authenticator app"
              onClick={() => openDialog(<Remove what="the authenticator app" onRemove={remove} />)}
            >
              Remove
            </Button>
          )}
        </div>
      )}
    </li>
  );
}

function CodesRow({ known: { recoveryCodesLeft }, changeable, onCodes }: RowProps) {
  const replace = async () => {
    onCodes((await call("post", "/second-factors/recovery-codes")).recoveryCodes);
    return undefined;
  };
  return (
    <li class="row">
      <div>
        <p>
          Recovery codes
          {recoveryCodesLeft < 3 && <Badge tone="waiting">Few left</Badge>}
        </p>
        <p class="quiet">{recoveryCodesLeft} of 10 left. Each signs you in once.</p>
      </div>
      {changeable && (
        <Button
          onClick={() =>
            openDialog(
              <FormDialog title="Replace recovery codes?" submit="Replace codes" onSubmit={replace}>
                <p>The codes that you have stored stop working at once.</p>
              </FormDialog>,
            )
          }
        >
          Replace codes
        </Button>
      )}
    </li>
  );
}
