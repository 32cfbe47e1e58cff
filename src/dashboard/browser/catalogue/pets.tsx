/** The pets of the catalogue. */
import { useState } from "preact/hooks";
import type { Pet, PetStatus } from "../../../client/client.ts";
import { Button } from "../parts/buttons.tsx";
import { Choice } from "../parts/form.tsx";
import { Badge, type Meaning } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, Shown, Skeleton } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { AddPet } from "./addPet.tsx";
import { withClient } from "./client.ts";
import { Paging, usePages } from "./paging.tsx";
import { PlaceOrder } from "./placeOrder.tsx";
import { CatalogueTabs } from "./tabs.tsx";

type Filter = PetStatus | "all";

const filters: Readonly<Record<Filter, string>> = {
  all: "All pets",
  available: "Available",
  pending: "Pending",
  sold: "Sold",
};

const meanings: Readonly<Record<PetStatus, Meaning>> = {
  available: "fine",
  pending: "waiting",
  sold: "neutral",
};

type Asking = { readonly kind: "add" } | { readonly kind: "order"; readonly pet: Pet };

export function Pets() {
  const [filter, setFilter] = useState<Filter>("all");
  const [asking, ask] = useState<Asking>();
  const paged = usePages<Pet>(`pets ${filter}`, (cursor) =>
    withClient((client) =>
      client.listPets({
        ...(filter === "all" ? {} : { status: filter }),
        ...(cursor === undefined ? {} : { cursor }),
      }),
    ),
  );
  const add = (
    <Button kind="primary" onClick={() => ask({ kind: "add" })}>
      Add pet
    </Button>
  );
  const close = () => ask(undefined);
  return (
    <Page title="Catalogue" action={add}>
      <CatalogueTabs at="pets" />
      <p class="filters">
        <Choice aria-label="Status" value={filter} options={filters} onChoice={setFilter} />
      </p>
      <Shown of={paged.page} skeleton={<Skeleton rows={6} />}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={filter === "all" ? "No pets yet" : "No pets with this status"}>
              <p>
                {filter === "all" ? "Add the first one." : "Choose another status, or all pets."}
              </p>
            </Empty>
          ) : (
            <PetTable pets={items} onOrder={(pet) => ask({ kind: "order", pet })} />
          )
        }
      </Shown>
      <Paging paged={paged} />
      {asking?.kind === "add" && <AddPet onAdded={paged.page.reload} onClose={close} />}
      {asking?.kind === "order" && (
        <PlaceOrder pet={asking.pet} onPlaced={paged.page.reload} onClose={close} />
      )}
    </Page>
  );
}

interface PetTableProps {
  readonly pets: readonly Pet[];
  readonly onOrder: (pet: Pet) => void;
}

function PetTable({ pets, onOrder }: PetTableProps) {
  return (
    <Table
      caption="Pets"
      heads={[
        { words: "Id", number: true, wide: true },
        "Name",
        { words: "Category", wide: true },
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
            <Badge meaning={meanings[pet.status]}>{filters[pet.status]}</Badge>
          </td>
          <td class="end">
            {pet.status === "available" && (
              <Button label={`Order ${pet.name}`} onClick={() => onOrder(pet)}>
                Order
              </Button>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}
