/** Where the mail of the account that is signed in goes. */
import { useState } from "preact/hooks";
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

export function AccountEmail() {
  const setting = useGet("/account/email", {});
  return (
    <section class="narrow" aria-labelledby="email-title">
      <h2 id="email-title">E-mail</h2>
      <Loadable of={setting} skeleton={<Skeleton rows={1} tall />}>
        {({ email }) => <EmailForm stored={email ?? ""} />}
      </Loadable>
    </section>
  );
}

function EmailForm({ stored }: { stored: string }) {
  const [email, setEmail] = useState(stored);
  const work = useAction();
  const save = () =>
    work.run(async () => {
      const body = { email: email.trim() === "" ? null : email };
      const saved = await call("put", "/account/email", { body });
      setEmail(saved.email ?? "");
      notify(saved.email ? `Your mail goes to ${saved.email}.` : "You get no more mail.");
    });
  return (
    <Form onSubmit={save}>
      <TextField
        {...emailField}
        value={email}
        onText={setEmail}
        hint="You are told here when something of yours needs attention, such as a domain or a certificate. Leave it empty to get no mail."
      />
      <ErrorMessage error={work.error} />
      <Button type="submit" busy={work.busy}>
        Save address
      </Button>
    </Form>
  );
}
