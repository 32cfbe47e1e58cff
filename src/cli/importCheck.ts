/** A dry run: reads the whole file, compares its ids with the store, and stores nothing. */

import { parseJson } from "../contract/json.ts";
import { type Catalogue, type ImportedPet, idsFilterMax } from "../petstore/catalogue/catalogue.ts";
import type { Pet } from "../petstore/catalogue/pet.ts";
import { CommandFailure, type LineErrors } from "./context.ts";
import type { Counts, Source } from "./petsImport.ts";
import { petFrom } from "./records/record.ts";
import { counted } from "./table.ts";

const complaintsShownMax = 20;

interface Identified {
  readonly line: number;
  readonly id: bigint;
  readonly pet: ImportedPet;
}

/** Without a catalogue there is nothing to compare with. */
export async function checkAll(source: Source, catalogue: Catalogue | undefined): Promise<Counts> {
  let added = 0;
  let unchanged = 0;
  let identified: Identified[] = [];
  const complaints = new Complaints();

  const compare = async () => {
    if (identified.length === 0) return;
    const stored = catalogue && (await storedWith(catalogue, identified));
    for (const { line, id, pet } of identified) {
      const other = stored?.get(id);
      if (other === undefined) added++;
      else if (isSame(pet, other)) unchanged++;
      else complaints.add(line, [`Another pet has the id ${id} already.`]);
    }
    identified = [];
  };

  for await (const records of source.records) {
    for (const record of records) {
      const { line } = record;
      const pet = record.kind === "read" ? petFrom(record.value) : [record.complaint];
      if (!("name" in pet)) {
        // First what was read before it, so that the complaints come in the order of the lines.
        await compare();
        complaints.add(line, pet);
      } else if (pet.id === undefined) added++;
      else if (identified.push({ line, id: pet.id, pet }) === idsFilterMax) await compare();
      if (record.kind === "unreadable" && record.rest) {
        complaints.add(line, ["Nothing after it could be checked."]);
      }
    }
    source.progress.update(added + unchanged, source.share());
  }
  await compare();
  if (complaints.count > 0) {
    throw new CommandFailure(complaints.text(source.label), 1, complaints.shown);
  }
  return { added, unchanged };
}

async function storedWith(
  catalogue: Catalogue,
  identified: readonly Identified[],
): Promise<ReadonlyMap<bigint, Pet>> {
  const ids = identified.map(({ id }) => id);
  const { pets } = await catalogue.list({ ids, limit: idsFilterMax });
  return new Map(
    pets.map((text) => {
      const pet = parseJson(text) as Pet;
      return [BigInt(pet.id), pet];
    }),
  );
}

/** parseJson gives small integers as numbers, hence the conversion. */
function isSame(pet: ImportedPet, stored: Pet): boolean {
  return (
    pet.name === stored.name &&
    pet.categoryId === BigInt(stored.categoryId) &&
    pet.status === stored.status
  );
}

/** All are counted and the first are kept: a file of another kind has one on every line. */
class Complaints {
  readonly shown: LineErrors[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(line: number, complaints: readonly string[]): void {
    this.#count++;
    if (this.shown.length < complaintsShownMax) this.shown.push({ line, complaints });
  }

  text(label: string): string {
    const more = this.#count - this.shown.length;
    return [
      `${label} cannot be imported as it is. Nothing was stored.`,
      ...this.shown.map(({ line, complaints }) => `  Line ${line}: ${complaints.join(" ")}`),
      ...(more > 0 ? [`  ${counted(more, "complaint")} more.`] : []),
    ].join("\n");
  }
}
