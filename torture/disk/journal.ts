/** What a process did to its disk, as faultyDisk.c has written it down. */

/** In the order in which faultyDisk.c numbers them, from 1. */
const kinds = ["write", "truncate", "sync", "create", "unlink", "rename", "sync folder"] as const;

export interface DiskRecord {
  readonly kind: (typeof kinds)[number];
  /** Below the folder. */
  readonly path: string;
  /** Of a write; the size of a truncation; where the journal was when a sync began. */
  readonly offset: number;
  /** What was written, or the path that a rename leads to. */
  readonly data: Uint8Array;
  /** Where the record ends in the journal. */
  readonly endsAt: number;
}

const headBytes = 24;

/** Leaves out a last record that was cut short when the process was killed. */
export function readJournal(bytes: Uint8Array): DiskRecord[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records: DiskRecord[] = [];
  for (let at = 0; at + headBytes <= bytes.byteLength; ) {
    const kind = kinds[view.getUint32(at, true) - 1];
    const pathBytes = view.getUint32(at + 4, true);
    const offset = Number(view.getBigUint64(at + 8, true));
    const dataBytes = Number(view.getBigUint64(at + 16, true));
    const pathAt = at + headBytes;
    const dataAt = pathAt + pathBytes;
    const endsAt = dataAt + dataBytes;
    if (kind === undefined) throw new Error(`The journal holds no record at ${at}.`);
    if (endsAt > bytes.byteLength) break;
    const path = new TextDecoder().decode(bytes.subarray(pathAt, dataAt));
    records.push({ kind, path, offset, data: bytes.subarray(dataAt, endsAt), endsAt });
    at = endsAt;
  }
  return records;
}
