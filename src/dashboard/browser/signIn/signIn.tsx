/** Signing in by id and password. */
import { useState } from "preact/hooks";
import { ApiError, call } from "../http.ts";
import { Button } from "../parts/buttons.tsx";
import { Form, TextField } from "../parts/form.tsx";
import { ErrorMessage, Notice } from "../parts/notice.tsx";
import { Left } from "../parts/time.tsx";
import { now } from "../platform.ts";
import { enter } from "../session.ts";
import { useAction } from "../useApi.ts";
import { useFirstField, useTitle } from "./hooks.ts";

export function SignIn({ ended }: { ended: boolean }) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [waitUntilMs, setWaitUntilMs] = useState(0);
  const work = useAction();
  const place = useFirstField();
  useTitle("Sign in");
  const submit = () =>
    work.run(async () => {
      try {
        enter(await call("post", "/session", { body: { name, password }, signsIn: true }));
      } catch (error) {
        setPassword("");
        const seconds = error instanceof ApiError ? error.retryAfterSeconds : undefined;
        if (seconds !== undefined) setWaitUntilMs(now() + seconds * 1000);
        throw error;
      }
    });
  return (
    <div class="alone" ref={place}>
      <h1>Sign in</h1>
      {ended && (
        <Notice meaning="neutral" title="Your session has ended">
          <p>Sign in again to go on where you were.</p>
        </Notice>
      )}
      <Form onSubmit={submit}>
        <TextField
          label="Username"
          hint="operator, or the username you were invited with"
          value={name}
          onText={setName}
          autocomplete="username"
          autocapitalize="none"
          required
        />
        <TextField
          label="Password"
          type="password"
          value={password}
          onText={setPassword}
          autocomplete="current-password"
          required
        />
        <ErrorMessage error={work.error} />
        {waitUntilMs > now() && (
          <p class="quiet">
            Try again in <Left untilMs={waitUntilMs} ended="a moment" />.
          </p>
        )}
        <Button type="submit" kind="primary" busy={work.busy}>
          Sign in
        </Button>
      </Form>
      <p class="quiet aside">
        No password yet? Open the link you were given. The operator makes one with{" "}
        <code>petstore owners invite</code>.
      </p>
    </div>
  );
}
