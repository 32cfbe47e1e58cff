/** Where the mail of the account that is signed in goes. */
import { useState } from "preact/hooks";
import type { Session } from "../../contract/generated/platform.ts";
import { notify } from "./announce.ts";
import { call } from "./http.ts";
import { Button } from "./parts/buttons.tsx";
import { Form, TextField } from "./parts/form.tsx";
import { ErrorMessage, Loadable, Skeleton } from "./parts/notice.tsx";
import { useAction, useGet } from "./useApi.ts";

/** The field of an e-mail address. */
export const emailField = {
  type: "email",
  label: "E-mail address",
  autocomplete: "email",
  autocapitalize: "none",
  placeholder: "anna@example.com",
} as const;

export function AccountEmail({ actor }: Pick<Session, "actor">) {
  const otherwise =
    actor.kind === "operator"
      ? "Without an address here, PETSTORE_OPERATOR_EMAIL is told."
      : "Without an address, the operator is told instead.";
  const setting = useGet("/account/email", {});
  return (
    <section class="narrow" aria-labelledby="email-title">
      <h2 id="email-title">E-mail</h2>
      <Loadable of={setting} skeleton={<Skeleton rows={1} tall />}>
        {({ email }) => <EmailForm stored={email ?? ""} otherwise={otherwise} />}
      </Loadable>
    </section>
  );
}

function EmailForm({ stored, otherwise }: { stored: string; otherwise: string }) {
  const [email, setEmail] = useState(stored);
  const work = useAction();
  const save = () =>
    work.run(async () => {
      const body = { email: email.trim() === "" ? null : email };
      const saved = await call("put", "/account/email", { body });
      setEmail(saved.email ?? "");
      notify(saved.email ? `Your mail goes to ${saved.email}.` : "Your address is removed.");
    });
  return (
    <Form onSubmit={save}>
      <TextField
        {...emailField}
        value={email}
        onText={setEmail}
        hint={`You are told here when something of yours needs attention, such as a domain or a certificate. ${otherwise}`}
      />
      <ErrorMessage error={work.error} />
      <Button type="submit" busy={work.busy}>
        Save address
      </Button>
    </Form>
  );
}
