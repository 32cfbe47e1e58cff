import {
  type Catalogue,
  type ImportedPet,
  type ImportOutcome,
  importBatchMax,
} from "../catalogue/catalogue.ts";
import { Problem } from "../problems.ts";
import { explain } from "./explain.ts";
import { counted } from "./table.ts";
import { CommandFailure } from "./world.ts";

interface Batch {
  readonly pets: ImportedPet[];
  /** Of each pet, the line it comes from. */
  readonly lines: number[];
}

/**
 * Stores pets in batches, one of them while the next is being read, and can say at any time what
 * is stored for certain.
 */
export class Intake {
  readonly #catalogue: Catalogue;
  #batch: Batch = { pets: [], lines: [] };
  #storing: Promise<void> = Promise.resolve();
  #added = 0;
  #unchanged = 0;
  #addedWithoutId = 0;
  #taken = 0;

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  get added(): number {
    return this.#added;
  }

  get unchanged(): number {
    return this.#unchanged;
  }

  /** Stored or not yet. */
  get taken(): number {
    return this.#taken;
  }

  get full(): boolean {
    return this.#batch.pets.length >= importBatchMax;
  }

  /** The caller stores when it is full. */
  take(pet: ImportedPet, line: number): void {
    this.#batch.pets.push(pet);
    this.#batch.lines.push(line);
    this.#taken++;
  }

  /** Returns when the batch before this one is stored. */
  async store(): Promise<void> {
    await this.#storing;
    const batch = this.#batch;
    this.#batch = { pets: [], lines: [] };
    this.#storing = this.#send(batch);
    // Whoever waits for it next is told; until then nobody is.
    this.#storing.catch(() => {});
  }

  async finish(): Promise<void> {
    if (this.#batch.pets.length > 0) await this.store();
    await this.#storing;
  }

  async #send(batch: Batch): Promise<void> {
    const firstLine = batch.lines[0] ?? 0;
    const outcome = await this.#catalogue
      .import(batch.pets)
      .catch((cause) => this.#explainFailure(cause, firstLine));
    if (outcome.kind === "conflict") {
      const at = batch.pets.findLastIndex((pet) => pet.id === outcome.id);
      throw new CommandFailure(
        `Line ${batch.lines[at]}: another pet has the id ${outcome.id} already. ${this.soFar()} Nothing from line ${firstLine} on was stored. ${this.advice(firstLine)}`,
      );
    }
    this.#added += outcome.added;
    this.#unchanged += outcome.unchanged;
    for (const pet of batch.pets) if (pet.id === undefined) this.#addedWithoutId++;
  }

  #explainFailure(cause: unknown, firstLine: number): ImportOutcome {
    if (!(cause instanceof Problem)) throw cause;
    throw new CommandFailure(
      `${explain(cause)} ${this.soFar()} Some of the pets from line ${firstLine} on may be stored as well. ${this.advice(firstLine)}`,
    );
  }

  soFar(): string {
    const there = this.#unchanged === 0 ? "" : ` (${this.#unchanged} more were there already)`;
    return `${counted(this.#added, "pet was", "pets were")} stored before that${there}.`;
  }

  /** How to go on after a failure at this line, without storing anything twice. */
  advice(line: number): string {
    return this.#addedWithoutId === 0
      ? "Correct the file and run the import again: pets that are stored already are skipped."
      : `Correct the file, remove what comes before line ${line} and run the import again: pets without an id would be added a second time.`;
  }
}
