/** The pets of the catalogue. */
import { useState } from "preact/hooks";
import type { Pet, PetStatus } from "../../../client/client.ts";
import type { Tone } from "../../../docs/icons.ts";
import { Button } from "../parts/buttons.tsx";
import { FormDialog, openDialog } from "../parts/dialog.tsx";
import { ChoiceField, TextField } from "../parts/form.tsx";
import { Badge, Empty } from "../parts/notice.tsx";
import { Table } from "../parts/table.tsx";
import { withClient } from "./client.ts";
import { CatalogueList } from "./list.tsx";

const statuses: Readonly<Record<PetStatus, string>> = {
  available: "Available",
  pending: "Pending",
  sold: "Sold",
};
const tones: Readonly<Record<PetStatus, Tone>> = {
  available: "fine",
  pending: "waiting",
  sold: "neutral",
};

export function Pets() {
  return (
    <CatalogueList
      at="pets"
      statuses={statuses}
      load={(query) => withClient((client) => client.listPets(query))}
      action={(reload) => (
        <Button kind="primary" onClick={() => openDialog(<AddPet onAdded={reload} />)}>
          Add pet
        </Button>
      )}
      empty={(filtered) => (
        <Empty title={filtered ? "No pets with this status" : "No pets yet"}>
          <p>{filtered ? "Choose another status, or all pets." : "Add the first one."}</p>
        </Empty>
      )}
    >
      {(pets, reload) => <PetTable pets={pets} onOrdered={reload} />}
    </CatalogueList>
  );
}

function PetTable({ pets, onOrdered }: { pets: readonly Pet[]; onOrdered: () => void }) {
  const order = (pet: Pet) => openDialog(<PlaceOrder pet={pet} onPlaced={onOrdered} />);
  return (
    <Table
      caption="Pets"
      rows={pets}
      keyOf={({ id }) => String(id)}
      columns={[
        { head: "Id", number: true, wide: true, cell: ({ id }) => String(id) },
        {
          head: "Name",
          names: true,
          cell: ({ id, name, categoryId }) => (
            <>
              {name}
              <span class="slim quiet">
                {String(id)}, category {String(categoryId)}
              </span>
            </>
          ),
        },
        { head: "Category", wide: true, cell: ({ categoryId }) => String(categoryId) },
        {
          head: "Status",
          cell: ({ status }) => <Badge tone={tones[status]}>{statuses[status]}</Badge>,
        },
        {
          head: "Order",
          end: true,
          cell: (pet) =>
            pet.status === "available" && (
              <Button label={`Order ${pet.name}`} onClick={() => order(pet)}>
                Order
              </Button>
            ),
        },
      ]}
    />
  );
}

function AddPet({ onAdded }: { onAdded: () => void }) {
  const [name, setName] = useState("");
  const [category, setCategory] = useState("");
  const [status, setStatus] = useState<PetStatus>("available");
  const add = async () => {
    const categoryId = integerIn(category);
    const pet = await withClient((client) => client.createPet({ name, categoryId, status }));
    onAdded();
    return `${pet.name} was added as ${pet.id}.`;
  };
  return (
    <FormDialog title="Add pet" submit="Add pet" onSubmit={add}>
      <TextField label="Name" value={name} onText={setName} placeholder="Bella" required />
      <TextField
        label="Category"
        value={category}
        onText={setCategory}
        inputMode="numeric"
        placeholder="3"
        required
        hint="The id of its category."
      />
      <ChoiceField label="Status" value={status} options={statuses} onChoice={setStatus} />
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
  readonly onPlaced: () => void;
}

function PlaceOrder({ pet, onPlaced }: PlaceOrderProps) {
  const [quantity, setQuantity] = useState("1");
  const place = async () => {
    const order = await withClient((client) =>
      client.placeOrder({ petId: pet.id, quantity: Number(quantity) }),
    );
    onPlaced();
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
