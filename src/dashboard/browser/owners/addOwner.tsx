import { useState } from "preact/hooks";
import type { Plan } from "../../../contract/generated/platform.ts";
import { notify } from "../announce.ts";
import { call } from "../http.ts";
import { Button } from "../parts/buttons.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ChoiceField, Form, TextField } from "../parts/form.tsx";
import { ErrorMessage } from "../parts/notice.tsx";
import { useAction } from "../useApi.ts";

interface AddOwnerProps {
  readonly onAdded: () => void;
  readonly onClose: () => void;
}

const plans: Readonly<Record<Plan, string>> = {
  free: "Free",
  paid: "Paid, with domains of their own",
};

export function AddOwner({ onAdded, onClose }: AddOwnerProps) {
  const [id, setId] = useState("");
  const [name, setName] = useState("");
  const [plan, setPlan] = useState<Plan>("free");
  const work = useAction();
  const add = () =>
    work.run(async () => {
      await call("post", "/owners", { body: { id, name, plan } });
      onAdded();
      onClose();
      notify(`${name} was added. Invite them next.`);
    });
  return (
    <Dialog title="Add owner" onClose={onClose}>
      <Form onSubmit={() => void add()}>
        <TextField label="Name" value={name} onText={setName} placeholder="Acme" required />
        <TextField
          label="Id"
          value={id}
          onText={setId}
          placeholder="acme"
          autocapitalize="none"
          mono
          required
          hint="With it they sign in. Lower-case letters, digits and hyphens."
        />
        <ChoiceField label="Plan" value={plan} options={plans} onChoice={setPlan} />
        <ErrorMessage error={work.error} />
        <div class="actions">
          <Button type="submit" kind="primary" busy={work.busy}>
            Add owner
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </Form>
    </Dialog>
  );
}
