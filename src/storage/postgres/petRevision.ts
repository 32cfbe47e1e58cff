import { PetChanges } from "../../petstore/catalogue/petChanges.ts";
import { int8s, type Session } from "./connection.ts";

/** Beyond it, everything counts as changed. */
const transactionsMax = 1_000;
const prunedAfterTransactions = 256;
const keptSeconds = 60;

/** A row of `petRevisionRows`, with an id that no pet has. */
export type RevisionRow = readonly [place: bigint, text: string];

/**
 * Rows in the shape of pets, to be read with pets in one snapshot: the revision has id 0, and each
 * transaction after the revision in $2 has its negative as id, with the previous revision and the
 * ids of the pets it changed. Includes the server's timeline: after a failover the last added pets
 * may be missing, which advance no counter, and their ids may be assigned again.
 */
export const petRevisionRows = (timeline: string) => `
  SELECT 0, ${timeline} || ' ' || value::text FROM counters WHERE name = 'pet_revision'
  UNION ALL (SELECT -revision, previous::text || ' ' || array_to_string(pet_ids, ' ')
    FROM pet_changes WHERE revision > $2::int8 ORDER BY revision DESC LIMIT ${transactionsMax})`;

/** Tracks the revision, although responses of several connections may arrive in any order. */
export class PetRevision {
  readonly changes = new PetChanges();
  #timeline: string | undefined;
  #value = 0n;

  /** The last known revision, for $2 of the statement. */
  get value(): bigint {
    return this.#value;
  }

  /** `asked` is the revision that was passed to the statement. */
  note(rows: readonly RevisionRow[], asked: bigint): void {
    const [timeline, text] = rows.find(([place]) => place === 0n)?.[1].split(" ") ?? [];
    if (text === undefined) throw new Error("The counters are missing from the database.");
    const value = BigInt(text);
    const isSameServer = timeline === this.#timeline;
    // A late response, unless the revision itself went back.
    if (isSameServer && value <= this.#value && value >= asked) return;
    const ids = isSameServer ? changedSince(this.#value, value, rows) : undefined;
    if (ids === undefined) this.changes.addAll();
    else for (const id of ids) this.changes.add(id);
    this.#timeline = timeline;
    this.#value = value;
  }
}

/** Undefined if a transaction is missing: it may have changed any pet. */
function changedSince(
  before: bigint,
  now: bigint,
  rows: readonly RevisionRow[],
): bigint[] | undefined {
  const ids: bigint[] = [];
  let reached = before;
  // The newest comes first.
  for (const [place, text] of rows.filter(([place]) => place < -before).reverse()) {
    const [previous, ...changed] = text.split(" ").map(BigInt);
    if (previous !== reached) return undefined;
    ids.push(...changed);
    reached = -place;
  }
  return reached === now ? ids : undefined;
}

/**
 * Advances the revision under the lock of the counters, so in the order of the commits. It follows
 * the time of day: a promoted server may lack the last changes, and must not assign their revisions
 * again.
 */
export class PetRevisionWriter {
  #transactions = 0;

  /** Without ids, any pet may have changed. */
  async move(session: Session, ids: readonly bigint[] | undefined): Promise<void> {
    const { count } =
      ids === undefined
        ? await session.query(moveRevision)
        : await session.query(moveWithChanges, [int8s(ids)]);
    if (count !== 1) throw new Error("The counters are missing from the database.");
    this.#transactions++;
    if (this.#transactions % prunedAfterTransactions === 0) await session.query(prune);
  }
}

const moveRevision = `UPDATE counters
  SET value = greatest(value + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::int8)
  WHERE name = 'pet_revision'`;

const moveWithChanges = `WITH before AS (
    SELECT value FROM counters WHERE name = 'pet_revision' FOR UPDATE),
  moved AS (
    UPDATE counters SET value =
      greatest(before.value + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::int8)
    FROM before WHERE counters.name = 'pet_revision'
    RETURNING counters.value AS revision, before.value AS previous)
  INSERT INTO pet_changes (revision, previous, pet_ids)
  SELECT revision, previous, $1::int8[] FROM moved`;

/** The rows of the last minute are retained. */
const prune = `DELETE FROM pet_changes WHERE revision <
  (SELECT value - ${keptSeconds * 1_000_000} FROM counters WHERE name = 'pet_revision')`;
