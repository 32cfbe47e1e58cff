/** The account that is signed in: its e-mail address, password, second factors and sessions. */
import { useState } from "preact/hooks";
import type { Session } from "../../../contract/generated/platform.ts";
import { AccountEmail } from "../accountEmail.tsx";
import { notify } from "../announce.ts";
import { endCatalogueKey } from "../catalogue/client.ts";
import { call } from "../http.ts";
import { Button } from "../parts/buttons.tsx";
import { Form, newPassword, TextField } from "../parts/form.tsx";
import { Ago } from "../parts/format.tsx";
import { Badge, ErrorMessage, Loadable, Skeleton } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { go } from "../route.ts";
import { signOut } from "../session.ts";
import { useAction, useGet } from "../useApi.ts";
import { browserOf } from "./browserName.ts";
import { TwoStepSection } from "./twoStep.tsx";

export function Account({ session }: { session: Session }) {
  const { actor } = session;
  const work = useAction();
  const leave = () =>
    work.run(async () => {
      await endCatalogueKey().catch(() => {});
      await signOut();
      go("#/");
    });
  return (
    <Page
      title="Account"
      action={
        <Button onClick={leave} busy={work.busy}>
          Sign out
        </Button>
      }
    >
      <ErrorMessage error={work.error} />
      <p>
        Signed in as <strong>{actor.name}</strong>,{" "}
        {actor.kind === "operator" ? "with full access" : "with access to your own projects"}. Your
        username is <code>{actor.id}</code>.
      </p>
      <AccountEmail actor={actor} />
      <Password />
      <TwoStepSection />
      <Sessions />
    </Page>
  );
}

function Password() {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const work = useAction();
  const change = () =>
    work.run(async () => {
      const body = { ...(current === "" ? {} : { current }), next };
      await call("put", "/password", { body, signsIn: true });
      setCurrent("");
      setNext("");
      notify("The password is changed. You are signed out everywhere else.");
    });
  return (
    <section class="narrow" aria-labelledby="password-title">
      <h2 id="password-title">Password</h2>
      <Form onSubmit={change}>
        <TextField
          label="Current password"
          type="password"
          autocomplete="current-password"
          value={current}
          onText={setCurrent}
          hint="Leave it empty if you have none yet."
        />
        <TextField
          {...newPassword}
          label="New password"
          value={next}
          onText={setNext}
          hint={`At least ${newPassword.minLength} characters.`}
        />
        <ErrorMessage error={work.error} />
        <Button type="submit" busy={work.busy}>
          Change password
        </Button>
      </Form>
    </section>
  );
}

function Sessions() {
  const sessions = useGet("/sessions", {});
  const work = useAction();
  const end = (id: string) =>
    work.run(async () => {
      await call("delete", "/sessions/{session}", { path: { session: id } });
      sessions.reload();
      notify("That session has ended.");
    });
  return (
    <section aria-labelledby="sessions-title">
      <h2 id="sessions-title">Where you are signed in</h2>
      <ErrorMessage error={work.error} />
      <Loadable of={sessions} skeleton={<Skeleton rows={2} tall />}>
        {(all) => (
          <ul class="rows">
            {all.map(({ id, agent, createdAtMs, seenAtMs, expiresAtMs, current }) => (
              <li class="row" key={id}>
                <div>
                  <p>
                    <span title={agent}>{browserOf(agent)}</span>
                    {current && <Badge tone="fine">This session</Badge>}
                  </p>
                  <p class="quiet">
                    signed in <Ago at={createdAtMs} /> · seen <Ago at={seenAtMs} /> · expires if
                    unused <Ago at={expiresAtMs} />
                  </p>
                </div>
                {!current && (
                  <Button
                    onClick={() => end(id)}
                    busy={work.busy}
                    label={`Sign out ${browserOf(agent)}`}
                  >
                    Sign out
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loadable>
    </section>
  );
}
