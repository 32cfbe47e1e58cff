/** What a row must say of itself to be found when it is due. */
export interface Due {
  readonly dueAtMs: number | undefined;
  readonly leasedUntilMs: number | undefined;
}

const slotMs = 60_000;

/** Rows by the minute in which they are due; those of past minutes stay until they move. */
export class DueRows<Row extends Due> {
  readonly #slots = new Map<number, Set<Row>>();
  #firstSlot = Number.POSITIVE_INFINITY;

  expect(row: Row, dueAtMs: number): void {
    const slot = Math.floor(dueAtMs / slotMs);
    this.#slots.set(slot, (this.#slots.get(slot) ?? new Set()).add(row));
    this.#firstSlot = Math.min(this.#firstSlot, slot);
  }

  dueAt(nowMs: number): Row[] {
    const due: Row[] = [];
    const last = Math.floor(nowMs / slotMs);
    for (let slot = this.#firstSlot; slot <= last; slot++) {
      const rows = this.#slots.get(slot) ?? new Set();
      for (const row of rows) {
        if (row.dueAtMs === undefined || Math.floor(row.dueAtMs / slotMs) !== slot)
          rows.delete(row);
        else if (row.dueAtMs <= nowMs && (row.leasedUntilMs ?? 0) <= nowMs) due.push(row);
      }
      if (rows.size > 0) continue;
      this.#slots.delete(slot);
      if (slot === this.#firstSlot && slot < last) this.#firstSlot = slot + 1;
    }
    return due;
  }
}
