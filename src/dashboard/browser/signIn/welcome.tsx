/** Behind a one-time link: it is exchanged for a session, with a password for the next time. */
import { useState } from "preact/hooks";
import type { Session } from "../answers.ts";
import { ask, Refusal } from "../http.ts";
import { Button } from "../parts/buttons.tsx";
import { Form, TextField } from "../parts/form.tsx";
import { Refused } from "../parts/notice.tsx";
import { enter as enterWith } from "../session.ts";
import { useWork } from "../work.ts";
import { useTitle } from "./title.ts";

const passwordLengthMin = 12;

export function Welcome({ token }: { token: string }) {
  const [password, setPassword] = useState("");
  const work = useWork();
  useTitle("Welcome");
  const enter = (body: { token: string; password?: string }) =>
    work.run(async () => {
      const session = await ask<Session>("POST", "/welcome", { body, signsIn: true });
      enterWith(session);
      // The link is spent: going back must not lead to it.
      history.replaceState(null, "", "#/");
      dispatchEvent(new HashChangeEvent("hashchange"));
    });
  const spent = work.fault instanceof Refusal && work.fault.code === "link_spent";
  return (
    <div class="alone">
      <h1>Welcome</h1>
      <p class="lead">Choose a password. With it you can sign in again, here and elsewhere.</p>
      <Form onSubmit={() => void enter({ token, password })}>
        <TextField
          label="Password"
          type="password"
          value={password}
          onText={setPassword}
          autocomplete="new-password"
          minLength={passwordLengthMin}
          required
          hint={`At least ${passwordLengthMin} characters. A few words in a row are easy to remember.`}
        />
        <Refused fault={work.fault} />
        {spent && (
          <p>
            <a href="#/">Sign in with your password</a>, or ask for a new link.
          </p>
        )}
        <div class="actions">
          <Button type="submit" kind="primary" busy={work.busy}>
            Set password and enter
          </Button>
          <Button onClick={() => void enter({ token })} busy={work.busy}>
            Enter without a password
          </Button>
        </div>
      </Form>
      <p class="quiet aside">The link works once. Only an operator may enter without a password.</p>
    </div>
  );
}
