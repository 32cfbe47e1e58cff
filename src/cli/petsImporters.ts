/** What becomes of the pets of a file: they are stored, or compared with what is stored. */
import { parseJson } from "../contract/json.ts";
import { Problem } from "../core/problems.ts";
import {
  type Catalogue,
  type ImportedPet,
  type ImportOutcome,
  idsFilterMax,
  importBatchMax,
} from "../petstore/catalogue/catalogue.ts";
import type { Pet } from "../petstore/catalogue/pet.ts";
import { CommandFailure, explain, type LineErrors } from "./errors.ts";
import type { Format } from "./records/record.ts";
import { counted, digits } from "./table.ts";

/** In a dry run, what an import would add and leave. */
export interface Counts {
  readonly added: number;
  readonly unchanged: number;
}

/** Is given every line of a file, in their order. */
export interface Importer {
  /** How many pets it was given so far. */
  readonly taken: number;
  take(pet: ImportedPet, line: number): Promise<void>;
  /** A line that holds no pet. `rest` where nothing after it can be read either. */
  refuse(line: number, complaints: readonly string[], rest: boolean): Promise<void>;
  finish(): Promise<Counts>;
  /** Gives up, and says how things stand. */
  giveUp(): Promise<string>;
}

/** Where the pets come from, for messages. */
interface Origin {
  readonly label: string;
  readonly format: Format;
}

/** A pet and the line it comes from. */
interface Line {
  readonly pet: ImportedPet;
  readonly line: number;
}

/**
 * Stores pets in batches, one of them while the next is being read, and can say at any time what
 * is stored for certain.
 */
export class BatchImporter implements Importer {
  readonly #catalogue: Catalogue;
  readonly #origin: Origin;
  #batch: Line[] = [];
  #storing: Promise<void> = Promise.resolve();
  #added = 0;
  #unchanged = 0;
  #addedWithoutId = 0;
  #lastStoredLine = 0;
  taken = 0;

  constructor(catalogue: Catalogue, origin: Origin) {
    this.#catalogue = catalogue;
    this.#origin = origin;
  }

  async take(pet: ImportedPet, line: number): Promise<void> {
    this.taken++;
    if (this.#batch.push({ pet, line }) >= importBatchMax) await this.#store();
  }

  /** Ends the import: what came before it is stored. */
  async refuse(line: number, complaints: readonly string[]): Promise<never> {
    await this.finish();
    const stored = this.#nothing ? "Nothing was stored" : this.#storedText(" before that");
    throw this.#failure(line, complaints, stored, line);
  }

  async finish(): Promise<Counts> {
    if (this.#batch.length > 0) await this.#store();
    await this.#storing;
    return this.counts;
  }

  /** So far. */
  get counts(): Counts {
    return { added: this.#added, unchanged: this.#unchanged };
  }

  /** Waits for what is being stored, and leaves the rest. */
  async giveUp(): Promise<string> {
    await this.#storing;
    const stored = this.#nothing ? "Nothing was stored" : this.#storedText("");
    return `${stored}. ${this.#advice([], `up to the pet of line ${this.#lastStoredLine}`)}`;
  }

  /** Returns when the batch before this one is stored. */
  async #store(): Promise<void> {
    await this.#storing;
    const batch = this.#batch;
    this.#batch = [];
    this.#storing = this.#send(batch);
    // The next to await it gets the error; until then it must not count as unhandled.
    this.#storing.catch(() => {});
  }

  async #send(batch: readonly Line[]): Promise<void> {
    const firstLine = batch[0]?.line ?? 0;
    const pets = batch.map(({ pet }) => pet);
    const outcome = await this.#catalogue
      .import(pets)
      .catch((cause) => this.#explainFailure(cause, pets, firstLine));
    if (outcome.kind === "conflict") {
      const stored = this.#nothing
        ? "Nothing was stored"
        : `${this.#storedText(" before that")}, and nothing from line ${firstLine} on`;
      const line = batch[outcome.index]?.line ?? 0;
      const complaint = `Another pet has the id ${outcome.id} already.`;
      throw this.#failure(line, [complaint], stored, firstLine);
    }
    this.#added += outcome.added;
    this.#unchanged += outcome.unchanged;
    this.#lastStoredLine = batch.at(-1)?.line ?? this.#lastStoredLine;
    for (const { id } of pets) if (id === undefined) this.#addedWithoutId++;
  }

  #failure(
    line: number,
    complaints: readonly string[],
    stored: string,
    resumeLine: number,
  ): CommandFailure {
    const what = `Line ${line} of ${this.#origin.label}: ${complaints.join(" ")}`;
    const next = this.#advice(["correct the file"], `before line ${resumeLine}`);
    return new CommandFailure(`${what}\n${stored}. ${next}`, { lines: [{ line, complaints }] });
  }

  #explainFailure(cause: unknown, pets: readonly ImportedPet[], firstLine: number): ImportOutcome {
    if (!(cause instanceof Problem)) throw cause;
    const stored = this.#nothing ? "" : `${this.#storedText(" before that")}. `;
    const next = pets.some((pet) => pet.id === undefined)
      ? "Look with petstore pets export before you run the import again: pets without an id would be added a second time."
      : this.#advice([], `before line ${firstLine}`);
    throw new CommandFailure(
      `${explain(cause)}\n${stored}Some of the pets from line ${firstLine} on may be stored. ${next}`,
    );
  }

  get #nothing(): boolean {
    return this.#added + this.#unchanged === 0;
  }

  #storedText(when: string): string {
    const there =
      this.#unchanged === 0 ? "" : ` (${digits(this.#unchanged)} more were there already)`;
    return `${counted(this.#added, "pet was", "pets were")} stored${when}${there}`;
  }

  /** How to go on without storing anything twice. `done` says which part of the file is stored. */
  #advice(first: readonly string[], done: string): string {
    const twice = this.#addedWithoutId > 0;
    const header = this.#origin.format === "csv" ? ", except the header," : "";
    const removal = twice ? [`remove what comes ${done}${header}`] : [];
    const steps = inOrder([...first, ...removal, "run the import again"]);
    if (twice) return `${steps}: pets without an id would be added a second time.`;
    return this.#nothing ? `${steps}.` : `${steps}: pets that are stored already are skipped.`;
  }
}

/** "Do one thing, a second and a third" */
function inOrder(steps: readonly string[]): string {
  const text = [steps.slice(0, -1).join(", "), ...steps.slice(-1)].filter(Boolean).join(" and ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

const complaintsShownMax = 20;

interface Identified extends Line {
  readonly id: bigint;
}

/** Finds everything that is wrong with a file, and stores nothing. */
export class DryRun implements Importer {
  readonly #catalogue: Catalogue | undefined;
  readonly #label: string;
  /** Not compared yet. */
  #identified: Identified[] = [];
  #added = 0;
  #unchanged = 0;
  /** All are counted and the first are kept: a file of another kind has one on every line. */
  readonly #complaints: LineErrors[] = [];
  #complaintsCount = 0;
  taken = 0;

  /** Without a catalogue there is nothing to compare with. */
  constructor(catalogue: Catalogue | undefined, { label }: Origin) {
    this.#catalogue = catalogue;
    this.#label = label;
  }

  async take(pet: ImportedPet, line: number): Promise<void> {
    this.taken++;
    const { id } = pet;
    if (id === undefined) this.#added++;
    else if (this.#identified.push({ line, id, pet }) === idsFilterMax) await this.#compare();
  }

  async refuse(line: number, complaints: readonly string[], rest: boolean): Promise<void> {
    // First what was read before it, so that the complaints come in the order of the lines.
    await this.#compare();
    this.#complain(line, complaints);
    if (rest) this.#complain(line, ["Nothing after it could be checked."]);
  }

  async finish(): Promise<Counts> {
    await this.#compare();
    if (this.#complaintsCount === 0) return { added: this.#added, unchanged: this.#unchanged };
    const lines = this.#complaints;
    const more = this.#complaintsCount - lines.length;
    const text = [
      `${this.#label} cannot be imported as it is. Nothing was stored.`,
      ...lines.map(({ line, complaints }) => `  Line ${line}: ${complaints.join(" ")}`),
      ...(more > 0 ? [`  ${counted(more, "complaint")} more.`] : []),
    ];
    throw new CommandFailure(text.join("\n"), { lines });
  }

  async giveUp(): Promise<string> {
    return "Nothing was stored.";
  }

  async #compare(): Promise<void> {
    const identified = this.#identified;
    this.#identified = [];
    const stored = await this.#stored(identified.map(({ id }) => id));
    for (const { line, id, pet } of identified) {
      const other = stored.get(id);
      if (other === undefined) this.#added++;
      else if (isSame(pet, other)) this.#unchanged++;
      else this.#complain(line, [`Another pet has the id ${id} already.`]);
    }
  }

  async #stored(ids: readonly bigint[]): Promise<ReadonlyMap<bigint, Pet>> {
    if (this.#catalogue === undefined || ids.length === 0) return new Map();
    const { pets } = await this.#catalogue.list({ ids, limit: idsFilterMax });
    const parsed = pets.map((text) => parseJson(text) as Pet);
    return new Map(parsed.map((pet) => [BigInt(pet.id), pet]));
  }

  #complain(line: number, complaints: readonly string[]): void {
    this.#complaintsCount++;
    if (this.#complaints.length < complaintsShownMax) this.#complaints.push({ line, complaints });
  }
}

/** parseJson gives small integers as numbers, hence the conversion. */
function isSame(pet: ImportedPet, stored: Pet): boolean {
  return (
    pet.name === stored.name &&
    pet.categoryId === BigInt(stored.categoryId) &&
    pet.status === stored.status
  );
}
