/** The dialogs that add, edit and order a pet. */
import { useId, useState } from "preact/hooks";
import type { NewPet, Pet, PetStatus } from "../../../client/client.ts";
import { FormDialog } from "../parts/dialog.tsx";
import { ChoiceField, TextField } from "../parts/form.tsx";
import { withClient } from "./client.ts";

export const petStatuses: Readonly<Record<PetStatus, string>> = {
  available: "Available",
  pending: "Pending",
  sold: "Sold",
};

/** By the identifiers of the categories. */
export type CategoryNames = ReadonlyMap<string, string>;

interface CategoriesProps {
  readonly names: CategoryNames;
  readonly onChanged: () => void;
}

export function AddPet({ names, onChanged }: CategoriesProps) {
  const add = async (given: NewPet) => {
    const pet = await withClient((client) => client.createPet(given));
    onChanged();
    return `${pet.name} was added as ${pet.id}.`;
  };
  const blank = { name: "", categoryId: undefined, status: "available" } as const;
  return <PetDialog title="Add pet" submit="Add pet" from={blank} names={names} onSubmit={add} />;
}

export function EditPet({ pet, names, onChanged }: CategoriesProps & { readonly pet: Pet }) {
  const save = async (given: NewPet) => {
    // Only what was changed here, so that a change of something else by another person stays.
    const { name, categoryId, status } = given;
    const patch = {
      ...(name === pet.name ? {} : { name }),
      ...(categoryId === pet.categoryId ? {} : { categoryId }),
      ...(status === pet.status ? {} : { status }),
    };
    if (Object.keys(patch).length === 0) return `${pet.name} is as it was.`;
    const saved = await withClient((client) => client.updatePet(pet.id, patch));
    onChanged();
    return `${saved.name} was saved.`;
  };
  return (
    <PetDialog title={`Edit ${pet.name}`} submit="Save" from={pet} names={names} onSubmit={save} />
  );
}

interface PetDialogProps extends Pick<CategoriesProps, "names"> {
  readonly title: string;
  readonly submit: string;
  readonly from: { name: string; categoryId: bigint | undefined; status: PetStatus };
  readonly onSubmit: (pet: NewPet) => Promise<string>;
}

function PetDialog({ title, submit, from, names, onSubmit }: PetDialogProps) {
  const [name, setName] = useState(from.name);
  const [category, setCategory] = useState(String(from.categoryId ?? ""));
  const [status, setStatus] = useState(from.status);
  const known = useId();
  const send = async () => onSubmit({ name, categoryId: integerIn(category), status });
  return (
    <FormDialog title={title} submit={submit} onSubmit={send}>
      <TextField label="Name" value={name} onText={setName} placeholder="Bella" required />
      <TextField
        label="Category"
        value={category}
        onText={setCategory}
        list={known}
        inputMode="numeric"
        placeholder="3"
        required
        hint={names.get(category.trim()) ?? "The number of its category."}
      />
      <datalist id={known}>
        {[...names].map(([id, text]) => (
          <option key={id} value={id}>
            {text}
          </option>
        ))}
      </datalist>
      <ChoiceField label="Status" value={status} options={petStatuses} onChoice={setStatus} />
    </FormDialog>
  );
}

/** As a bigint: ids are 64-bit integers, which a number does not hold exactly. */
function integerIn(text: string): bigint {
  if (!/^\s*-?\d+\s*$/.test(text)) throw new Error("The category must be a whole number.");
  return BigInt(text.trim());
}

interface PlaceOrderProps {
  readonly pet: Pet;
  readonly onChanged: () => void;
}

export function PlaceOrder({ pet, onChanged }: PlaceOrderProps) {
  const [quantity, setQuantity] = useState("1");
  const place = async () => {
    const order = await withClient((client) =>
      client.placeOrder({ petId: pet.id, quantity: Number(quantity) }),
    );
    onChanged();
    return `Order ${order.id} was placed. ${pet.name} is pending.`;
  };
  return (
    <FormDialog title={`Order ${pet.name}`} submit="Place order" onSubmit={place}>
      <p>{pet.name} becomes pending, and is sold when the order is delivered.</p>
      <TextField
        label="How many"
        value={quantity}
        onText={setQuantity}
        type="number"
        inputMode="numeric"
        required
      />
    </FormDialog>
  );
}
