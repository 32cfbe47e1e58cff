import { useState } from "preact/hooks";
import type { Domain } from "../../../contract/generated/platform.ts";
import { notify } from "../announce.ts";
import { call, hasCode } from "../http.ts";
import { Button } from "../parts/buttons.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Form, TextField } from "../parts/form.tsx";
import { ErrorMessage } from "../parts/notice.tsx";
import { useAction } from "../useApi.ts";

interface AddDomainProps {
  readonly slug: string;
  readonly onAdded: (domain: Domain) => void;
  readonly onClose: () => void;
}

export function AddDomain({ slug, onAdded, onClose }: AddDomainProps) {
  const [host, setHost] = useState("");
  const work = useAction();
  const add = (prove: boolean) =>
    work.run(async () => {
      const domain = await call("post", "/projects/{project}/domains", {
        path: { project: slug },
        body: { host, prove },
      });
      onAdded(domain);
      onClose();
      notify(`${domain.host} was added. Create the record that is shown, then verify.`);
    });
  const elsewhere = hasCode(work.error, "attached_elsewhere");
  return (
    <Dialog title="Add domain" onClose={onClose}>
      <Form onSubmit={() => void add(false)}>
        <TextField
          label="Domain"
          value={host}
          onText={(text) => {
            setHost(text);
            if (work.error !== undefined) work.clear();
          }}
          placeholder="docs.example.com"
          autocapitalize="none"
          autocomplete="off"
          inputMode="url"
          mono
          required
          hint="A name whose DNS you can change. You are then shown the one record to create."
        />
        <ErrorMessage error={work.error} />
        <div class="actions">
          {elsewhere ? (
            <Button kind="primary" onClick={() => void add(true)} busy={work.busy}>
              Prove that it is mine
            </Button>
          ) : (
            <Button type="submit" kind="primary" busy={work.busy}>
              Add domain
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </Form>
    </Dialog>
  );
}
