import { useState } from "preact/hooks";
import type { Session } from "../../../contract/generated/platform.ts";
import { notify } from "../announce.ts";
import { call } from "../http.ts";
import { Button } from "../parts/buttons.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ChoiceField, Form, TextField } from "../parts/form.tsx";
import { ErrorMessage, Notice } from "../parts/notice.tsx";
import { Shown, Skeleton } from "../parts/states.tsx";
import { go, projectLink } from "../route.ts";
import { isOperator } from "../session.ts";
import { useAction, useGet } from "../useApi.ts";

export function NewProject({ session, onClose }: { session: Session; onClose: () => void }) {
  return (
    <Dialog title="Create project" onClose={onClose}>
      {isOperator(session) ? (
        <ForAnOwner onClose={onClose} />
      ) : (
        <Naming ownerId={undefined} onClose={onClose} />
      )}
    </Dialog>
  );
}

/** An operator has no projects of their own, and says whose it is. */
function ForAnOwner({ onClose }: { onClose: () => void }) {
  const owners = useGet("/owners", {});
  const [chosen, choose] = useState<string>();
  return (
    <Shown of={owners} skeleton={<Skeleton rows={2} />}>
      {(all) => {
        const [first] = all;
        if (first === undefined) {
          return (
            <Notice meaning="neutral" title="There is no owner yet">
              <p>
                A project belongs to an owner. <a href="#/owners">Add an owner first</a>.
              </p>
            </Notice>
          );
        }
        const ownerId = chosen ?? first.id;
        return (
          <>
            <ChoiceField
              label="Owner"
              value={ownerId}
              options={Object.fromEntries(all.map(({ id, name }) => [id, `${name} (${id})`]))}
              onChoice={choose}
            />
            <Naming ownerId={ownerId} onClose={onClose} />
          </>
        );
      }}
    </Shown>
  );
}

function Naming({ ownerId, onClose }: { ownerId: string | undefined; onClose: () => void }) {
  const [slug, setSlug] = useState("");
  const work = useAction();
  const create = () =>
    work.run(async () => {
      const body = { slug, ...(ownerId === undefined ? {} : { ownerId }) };
      await call("post", "/projects", { body });
      onClose();
      notify(`${slug} was created.`);
      go(projectLink(slug));
    });
  return (
    <Form onSubmit={create}>
      <TextField
        label="Name in addresses"
        value={slug}
        onText={setSlug}
        placeholder="acme-docs"
        mono
        required
        hint="Lower-case letters, digits and hyphens. It cannot be changed later."
      />
      <ErrorMessage error={work.error} />
      <div class="actions">
        <Button type="submit" kind="primary" busy={work.busy}>
          Create project
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Form>
  );
}
