/** Signing in: with a password, or with a one-time link that sets one. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Welcome as Exchange, PendingSignIn } from "../../contract/generated/platform.ts";
import { now } from "../../docs/browser/platform.ts";
import { notify } from "./announce.ts";
import { ApiError, call, hasCode } from "./http.ts";
import { Button } from "./parts/buttons.tsx";
import { Form, newPassword, TextField } from "./parts/form.tsx";
import { Left } from "./parts/format.tsx";
import { ErrorMessage, Notice } from "./parts/notice.tsx";
import { passkeysWorkHere, signInWithPasskey } from "./passkeys.ts";
import { continueSignIn, signOut, startSession } from "./session.ts";
import { useAction } from "./useApi.ts";

export function SignIn({ ended }: { ended: boolean }) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [waitUntilMs, setWaitUntilMs] = useState(0);
  const work = useAction();
  const submit = () =>
    work.run(async () => {
      try {
        const body = { name, password };
        continueSignIn(await call("post", "/session", { body, signsIn: true }));
      } catch (error) {
        setPassword("");
        const seconds = error instanceof ApiError ? error.retryAfterSeconds : undefined;
        if (seconds !== undefined) setWaitUntilMs(now() + seconds * 1000);
        throw error;
      }
    });
  return (
    <Alone title="Sign in">
      {ended && (
        <Notice tone="neutral" title="Your session has ended">
          <p>Sign in again to continue.</p>
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
            Try again in <Left until={waitUntilMs} />.
          </p>
        )}
        <Button type="submit" kind="primary" busy={work.busy}>
          Sign in
        </Button>
      </Form>
      {passkeysWorkHere() && <PasskeyButton words="Use a passkey" />}
      <p class="quiet aside">
        No password yet? Open your invitation link. The operator creates one with{" "}
        <code>petstore owners invite</code>.
      </p>
    </Alone>
  );
}

function PasskeyButton({ words, kind }: { words: string; kind?: "primary" | undefined }) {
  const work = useAction();
  const signIn = () => work.run(async () => startSession(await signInWithPasskey()));
  return (
    <div class="needs">
      <ErrorMessage error={work.error} />
      <Button onClick={signIn} kind={kind} busy={work.busy}>
        {words}
      </Button>
    </div>
  );
}

export function SecondStep({ pending: { methods } }: { pending: PendingSignIn }) {
  const [code, setCode] = useState("");
  const work = useAction();
  const submit = () =>
    work.run(async () => {
      try {
        const input = { body: { code }, signsIn: true };
        startSession(await call("post", "/session/second-factor", input));
      } catch (error) {
        setCode("");
        throw error;
      }
    });
  const again = () => work.run(signOut);
  const app = methods.includes("totp");
  const passkey = methods.includes("passkey") && passkeysWorkHere();
  return (
    <Alone title="Confirm it is you">
      {passkey && <PasskeyButton words="Use a passkey" kind="primary" />}
      {passkey && <p class="quiet">or</p>}
      <Form onSubmit={submit}>
        <TextField
          label={app ? "Code" : "Recovery code"}
          hint={
            app
              ? "The six digits that your authenticator app shows, or a recovery code."
              : "One of those that you stored when you set up two-step sign-in."
          }
          value={code}
          onText={setCode}
          autocomplete="one-time-code"
          autocapitalize="none"
          mono
          required
        />
        <ErrorMessage error={work.error} />
        <Button type="submit" kind={passkey ? undefined : "primary"} busy={work.busy}>
          Sign in
        </Button>
      </Form>
      <p class="quiet aside">
        Lost all of them? Ask the operator, who can reset them with{" "}
        <code>petstore accounts reset-second-factor</code>.
      </p>
      <p>
        <Button onClick={again} busy={work.busy}>
          Start again
        </Button>
      </p>
    </Alone>
  );
}

export function Welcome({ token }: { token: string }) {
  const [password, setPassword] = useState("");
  const [needed, setNeeded] = useState(false);
  const work = useAction();
  const enterWith = (body: Exchange) =>
    work.run(async () => {
      try {
        const step = await call("post", "/welcome", { body, signsIn: true });
        continueSignIn(step);
        // The link works once: going back must not lead to it.
        history.replaceState(null, "", "#/");
        dispatchEvent(new HashChangeEvent("hashchange"));
        if (body.password !== undefined && "actor" in step) {
          notify(`Your username is ${step.actor.id}.`);
        }
      } catch (error) {
        // Only this error tells that the link is an owner's, who must choose a password.
        if (hasCode(error, "password_needed")) setNeeded(true);
        throw error;
      }
    });
  const spent = hasCode(work.error, "link_spent");
  return (
    <Alone title="Welcome" trigger={needed}>
      <p class="lead">Choose a password to sign in with from now on.</p>
      <Form onSubmit={() => enterWith({ token, password })}>
        <TextField
          {...newPassword}
          label="Password"
          value={password}
          onText={setPassword}
          hint={`At least ${newPassword.minLength} characters. A few words in a row are easy to remember.`}
        />
        <ErrorMessage error={work.error} />
        {spent && (
          <p>
            <a href="#/">Sign in with your password</a>, or ask for a new link.
          </p>
        )}
        <div class="actions">
          <Button type="submit" kind="primary" busy={work.busy}>
            Set password and sign in
          </Button>
          {!needed && (
            <Button onClick={() => enterWith({ token })} busy={work.busy}>
              Sign in without a password
            </Button>
          )}
        </div>
      </Form>
      <p class="quiet aside">
        The link works once.{!needed && " Only an operator may sign in without a password."}
      </p>
    </Alone>
  );
}

interface AloneProps {
  readonly title: string;
  /** The first field gets the focus again when it changes. */
  readonly trigger?: unknown;
  readonly children: ComponentChildren;
}

/** A screen without a session, whose first field has the focus. */
export function Alone({ title, trigger, children }: AloneProps) {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => container.current?.querySelector("input")?.focus(), [trigger]);
  useEffect(() => {
    document.title = `${title} · Pet Store`;
  }, [title]);
  return (
    <div class="alone" ref={container}>
      <h1>{title}</h1>
      {children}
    </div>
  );
}
