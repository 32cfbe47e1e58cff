import { Problem } from "../core/problems.ts";
import {
  type Catalogue,
  type ImportedPet,
  type ImportOutcome,
  importBatchMax,
} from "../petstore/catalogue/catalogue.ts";
import { CommandFailure, explain } from "./errors.ts";
import type { Format } from "./records/record.ts";
import { counted, digits } from "./table.ts";

interface Batch {
  readonly pets: ImportedPet[];
  /** Of each pet, the line it comes from. */
  readonly lines: number[];
}

/** Where the pets come from, for messages. */
interface Origin {
  readonly label: string;
  readonly format: Format;
}

/**
 * Stores pets in batches, one of them while the next is being read, and can say at any time what
 * is stored for certain.
 */
export class BatchImporter {
  readonly #catalogue: Catalogue;
  readonly #origin: Origin;
  #batch: Batch = { pets: [], lines: [] };
  #storing: Promise<void> = Promise.resolve();
  #added = 0;
  #unchanged = 0;
  #addedWithoutId = 0;
  #taken = 0;
  #lastStoredLine = 0;

  constructor(catalogue: Catalogue, origin: Origin) {
    this.#catalogue = catalogue;
    this.#origin = origin;
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
    // The next to await it gets the error; until then it must not count as unhandled.
    this.#storing.catch(() => {});
  }

  async finish(): Promise<void> {
    if (this.#batch.pets.length > 0) await this.store();
    await this.#storing;
  }

  /** Waits for what is being stored, gives up the rest, and says how things stand. */
  async giveUp(): Promise<string> {
    await this.#storing;
    const stored = this.#nothing ? "Nothing was stored" : this.#storedText("");
    return `${stored}. ${this.#advice([], `up to the pet of line ${this.#lastStoredLine}`)}`;
  }

  /** How things stand after a line that cannot be taken. The caller has finished before. */
  failure(line: number, complaints: readonly string[]): CommandFailure {
    const stored = this.#nothing ? "Nothing was stored" : this.#storedText(" before that");
    return this.#failure(line, complaints, stored, line);
  }

  async #send(batch: Batch): Promise<void> {
    const firstLine = batch.lines[0] ?? 0;
    const outcome = await this.#catalogue
      .import(batch.pets)
      .catch((cause) => this.#explainFailure(cause, batch, firstLine));
    if (outcome.kind === "conflict") {
      const stored = this.#nothing
        ? "Nothing was stored"
        : `${this.#storedText(" before that")}, and nothing from line ${firstLine} on`;
      const line = batch.lines[outcome.index] ?? 0;
      const complaint = `Another pet has the id ${outcome.id} already.`;
      throw this.#failure(line, [complaint], stored, firstLine);
    }
    this.#added += outcome.added;
    this.#unchanged += outcome.unchanged;
    this.#lastStoredLine = batch.lines.at(-1) ?? this.#lastStoredLine;
    for (const pet of batch.pets) if (pet.id === undefined) this.#addedWithoutId++;
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

  #explainFailure(cause: unknown, batch: Batch, firstLine: number): ImportOutcome {
    if (!(cause instanceof Problem)) throw cause;
    const stored = this.#nothing ? "" : `${this.#storedText(" before that")}. `;
    const next = batch.pets.some((pet) => pet.id === undefined)
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
