/** The pets of the catalogue. */
import { useState } from "preact/hooks";
import type { Pet, PetStatus } from "../../../client/client.ts";
import { Button } from "../parts/buttons.tsx";
import { FormDialog, openDialog } from "../parts/dialog.tsx";
import { Choice, ChoiceField, TextField } from "../parts/form.tsx";
import { Badge, Empty, Loadable, Skeleton, type Tone } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { withClient } from "./client.ts";
import { CatalogueTabs, Paging, usePages } from "./paging.tsx";

type Filter = PetStatus | "all";

const statuses: Readonly<Record<PetStatus, string>> = {
  available: "Available",
  pending: "Pending",
  sold: "Sold",
};
const filters: Readonly<Record<Filter, string>> = { all: "All pets", ...statuses };

const tones: Readonly<Record<PetStatus, Tone>> = {
  available: "fine",
  pending: "waiting",
  sold: "neutral",
};

export function Pets() {
  const [filter, setFilter] = useState<Filter>("all");
  const paged = usePages<Pet>(`pets ${filter}`, (cursor) =>
    withClient((client) =>
      client.listPets({
        ...(filter === "all" ? {} : { status: filter }),
        ...(cursor === undefined ? {} : { cursor }),
      }),
    ),
  );
  const add = (
    <Button kind="primary" onClick={() => openDialog(<AddPet onAdded={paged.page.reload} />)}>
      Add pet
    </Button>
  );
  return (
    <Page title="Catalogue" action={add}>
      <CatalogueTabs at="pets" />
      <p class="filters">
        <Choice aria-label="Status" value={filter} options={filters} onChoice={setFilter} />
      </p>
      <Loadable of={paged.page} skeleton={<Skeleton rows={6} />}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={filter === "all" ? "No pets yet" : "No pets with this status"}>
              <p>
                {filter === "all" ? "Add the first one." : "Choose another status, or all pets."}
              </p>
            </Empty>
          ) : (
            <PetTable pets={items} onOrdered={paged.page.reload} />
          )
        }
      </Loadable>
      <Paging paged={paged} />
    </Page>
  );
}

interface PetTableProps {
  readonly pets: readonly Pet[];
  readonly onOrdered: () => void;
}

function PetTable({ pets, onOrdered }: PetTableProps) {
  return (
    <Table
      caption="Pets"
      heads={[
        { label: "Id", number: true, wide: true },
        "Name",
        { label: "Category", wide: true },
        "Status",
        { hidden: "Order" },
      ]}
    >
      {pets.map((pet) => (
        <tr key={String(pet.id)}>
          <td class="number wide">{String(pet.id)}</td>
          <th scope="row">
            {pet.name}
            <span class="slim quiet">
              {String(pet.id)}, category {String(pet.categoryId)}
            </span>
          </th>
          <td class="wide">{String(pet.categoryId)}</td>
          <td>
            <Badge tone={tones[pet.status]}>{statuses[pet.status]}</Badge>
          </td>
          <td class="end">
            {pet.status === "available" && (
              <Button
                label={`Order ${pet.name}`}
                onClick={() => openDialog(<PlaceOrder pet={pet} onPlaced={onOrdered} />)}
              >
                Order
              </Button>
            )}
          </td>
        </tr>
      ))}
    </Table>
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
