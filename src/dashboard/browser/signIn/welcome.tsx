/** Behind a one-time link: it is exchanged for a session, with a password for the next time. */
import { useState } from "preact/hooks";
import type { Welcome as Exchange, Session } from "../../../contract/generated/platform.ts";
import { notify } from "../announce.ts";
import { call, hasCode } from "../http.ts";
import { Button } from "../parts/buttons.tsx";
import { Form, TextField } from "../parts/form.tsx";
import { ErrorMessage } from "../parts/notice.tsx";
import { enter as enterWith } from "../session.ts";
import { useAction } from "../useApi.ts";
import { useFirstField, useTitle } from "./hooks.ts";

const passwordLengthMin = 12;

export function Welcome({ token }: { token: string }) {
  const [password, setPassword] = useState("");
  const [needed, setNeeded] = useState(false);
  const work = useAction();
  const place = useFirstField(needed);
  useTitle("Welcome");
  const exchange = async (body: Exchange): Promise<Session> => {
    try {
      return await call("post", "/welcome", { body, signsIn: true });
    } catch (error) {
      // Whose link it is, only a refusal tells: an owner must choose a password.
      if (hasCode(error, "password_needed")) setNeeded(true);
      throw error;
    }
  };
  const enter = (body: Exchange) =>
    work.run(async () => {
      const session = await exchange(body);
      enterWith(session);
      // The link is spent: going back must not lead to it.
      history.replaceState(null, "", "#/");
      dispatchEvent(new HashChangeEvent("hashchange"));
      if (body.password !== undefined) notify(`Your username is ${session.actor.id}.`);
    });
  const spent = hasCode(work.error, "link_spent");
  return (
    <div class="alone" ref={place}>
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
        <ErrorMessage error={work.error} />
        {spent && (
          <p>
            <a href="#/">Sign in with your password</a>, or ask for a new link.
          </p>
        )}
        <div class="actions">
          <Button type="submit" kind="primary" busy={work.busy}>
            Set password and enter
          </Button>
          {!needed && (
            <Button onClick={() => void enter({ token })} busy={work.busy}>
              Enter without a password
            </Button>
          )}
        </div>
      </Form>
      <p class="quiet aside">
        The link works once.{!needed && " Only an operator may enter without a password."}
      </p>
    </div>
  );
}
