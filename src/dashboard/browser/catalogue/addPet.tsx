import { useState } from "preact/hooks";
import type { PetStatus } from "../../../client/client.ts";
import { notify } from "../announce.ts";
import { Button } from "../parts/buttons.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ChoiceField, Form, TextField } from "../parts/form.tsx";
import { ErrorMessage } from "../parts/notice.tsx";
import { useAction } from "../useApi.ts";
import { withClient } from "./client.ts";

const statuses: Readonly<Record<PetStatus, string>> = {
  available: "Available",
  pending: "Pending",
  sold: "Sold",
};

interface AddPetProps {
  readonly onAdded: () => void;
  readonly onClose: () => void;
}

export function AddPet({ onAdded, onClose }: AddPetProps) {
  const [name, setName] = useState("");
  const [category, setCategory] = useState("");
  const [status, setStatus] = useState<PetStatus>("available");
  const work = useAction();
  const add = () =>
    work.run(async () => {
      const categoryId = integerIn(category);
      const pet = await withClient((client) => client.createPet({ name, categoryId, status }));
      onAdded();
      onClose();
      notify(`${pet.name} was added as ${pet.id}.`);
    });
  return (
    <Dialog title="Add pet" onClose={onClose}>
      <Form onSubmit={() => void add()}>
        <TextField label="Name" value={name} onText={setName} placeholder="Bella" required />
        <TextField
          label="Category"
          value={category}
          onText={setCategory}
          inputMode="numeric"
          placeholder="3"
          required
          hint="The number of its category."
        />
        <ChoiceField label="Status" value={status} options={statuses} onChoice={setStatus} />
        <ErrorMessage error={work.error} />
        <div class="actions">
          <Button type="submit" kind="primary" busy={work.busy}>
            Add pet
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </Form>
    </Dialog>
  );
}

/** Exactly, however large: no number of the page's own could hold it. */
function integerIn(text: string): bigint {
  if (!/^\s*-?\d+\s*$/.test(text)) throw new Error("The category is a whole number.");
  return BigInt(text.trim());
}
