/** The pets of the catalogue: found by name, category and status, added, edited, ordered, deleted. */
import { useState } from "preact/hooks";
import type { Pet, PetStatus, PetsQuery } from "../../../client/client.ts";
import type { Tone } from "../../../docs/icons.ts";
import { Button } from "../parts/buttons.tsx";
import { FormDialog, openDialog } from "../parts/dialog.tsx";
import { Choice } from "../parts/form.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { Badge, Empty } from "../parts/notice.tsx";
import { SearchBox } from "../parts/paging.tsx";
import { Table } from "../parts/table.tsx";
import { useLoaded } from "../useApi.ts";
import { withClient } from "./client.ts";
import { CatalogueList } from "./list.tsx";
import { AddPet, type CategoryNames, EditPet, PlaceOrder, petStatuses } from "./petDialogs.tsx";

const tones: Readonly<Record<PetStatus, Tone>> = {
  available: "fine",
  pending: "waiting",
  sold: "neutral",
};

export function Pets() {
  const [name, setName] = useState("");
  const [category, setCategory] = useState("all");
  // Without their names, categories are shown by number.
  const names: CategoryNames = useLoaded("categories", categoryNames).data ?? new Map();
  const filters: PetsQuery = {
    ...(name === "" ? {} : { name }),
    ...(category === "all" ? {} : { categoryId: [BigInt(category.slice(1))] }),
  };
  return (
    <CatalogueList
      at="pets"
      statuses={petStatuses}
      filtered={name === "" && category === "all" ? "" : `${category} ${name}`}
      filters={
        <>
          <SearchBox value={name} onSearch={setName} maxLength={nameCharactersMax} />
          {names.size > 0 && (
            <Choice
              aria-label="Category"
              value={category}
              options={{ all: "All categories", ...choicesOf(names) }}
              onChoice={setCategory}
            />
          )}
        </>
      }
      load={(query) => withClient((client) => client.listPets({ ...filters, ...query }))}
      action={(reload) => (
        <Button
          kind="primary"
          onClick={() => openDialog(<AddPet names={names} onChanged={reload} />)}
        >
          Add pet
        </Button>
      )}
      empty={(filtered) => (
        <Empty title={filtered ? "No such pets" : "No pets yet"}>
          <p>{filtered ? "Search for something else, or for all pets." : "Add the first one."}</p>
        </Empty>
      )}
    >
      {(pets, reload) => <PetTable pets={pets} names={names} onChanged={reload} />}
    </CatalogueList>
  );
}

const nameCharactersMax = 255;

/** With a mark before each number, because an object lists bare numbers before all other names. */
const choicesOf = (names: CategoryNames): Record<string, string> =>
  Object.fromEntries([...names].map(([id, name]) => [`#${id}`, name]));

async function categoryNames(): Promise<CategoryNames> {
  const names = new Map<string, string>();
  await withClient(async (client) => {
    for await (const { id, name } of client.categories()) names.set(String(id), name);
  });
  return names;
}

interface PetTableProps {
  readonly pets: readonly Pet[];
  readonly names: CategoryNames;
  readonly onChanged: () => void;
}

function PetTable({ pets, names, onChanged }: PetTableProps) {
  const categoryOf = ({ categoryId }: Pet, before = "") =>
    names.get(String(categoryId)) ?? `${before}${categoryId}`;
  const menuOf = (pet: Pet): MenuItem[] => [
    {
      label: "Edit pet…",
      run: () => openDialog(<EditPet pet={pet} names={names} onChanged={onChanged} />),
    },
    {
      label: "Delete pet…",
      run: () => openDialog(<DeletePet pet={pet} onChanged={onChanged} />),
      danger: true,
    },
  ];
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
          cell: (pet) => (
            <>
              {pet.name}
              <span class="slim quiet">
                {String(pet.id)}, {categoryOf(pet, "category ")}
              </span>
            </>
          ),
        },
        { head: "Category", wide: true, cell: (pet) => categoryOf(pet) },
        {
          head: "Status",
          cell: ({ status }) => <Badge tone={tones[status]}>{petStatuses[status]}</Badge>,
        },
        {
          head: "Order",
          end: true,
          cell: (pet) =>
            pet.status === "available" && (
              <Button
                label={`Order ${pet.name}`}
                onClick={() => openDialog(<PlaceOrder pet={pet} onChanged={onChanged} />)}
              >
                Order
              </Button>
            ),
        },
        {
          head: "More",
          end: true,
          cell: (pet) => <Menu label={`More for ${pet.name}, ${pet.id}`} items={menuOf(pet)} />,
        },
      ]}
    />
  );
}

function DeletePet({ pet, onChanged }: { pet: Pet; onChanged: () => void }) {
  const remove = async () => {
    await withClient((client) => client.deletePet(pet.id));
    onChanged();
    return `${pet.name} was deleted.`;
  };
  return (
    <FormDialog
      title={`Delete ${pet.name}?`}
      submit="Delete pet"
      onSubmit={remove}
      danger
      keep="Keep pet"
    >
      <p>
        Pet {String(pet.id)} disappears from the catalogue for good. Its orders can still be read.
      </p>
    </FormDialog>
  );
}
