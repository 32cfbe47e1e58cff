/**
 * The contents of files, by their hash. They are shared by deployments of any project: a write that
 * uses, extends or removes one locks its row first, so that no content is removed that another write
 * is about to reference.
 */
import { type Upload, type UploadPart, uploadBytesMax } from "../../hosting/sites/sites.ts";
import { byText, type Transaction } from "./storage.ts";

/** Limits of one call, so that other writes need not wait long. */
const discardedFilesMax = 64;
const discardedBytesMax = uploadBytesMax;

interface FailedFile {
  readonly deployment: string;
  readonly path: string;
  readonly hash: string;
  readonly bytes: number;
}

/** Contents that are neither stored nor part of an earlier one of the uploads. */
export async function missingContents(
  tx: Transaction,
  uploads: readonly Upload[],
): Promise<string[]> {
  const brought = new Set<string>();
  const wanted = new Set<string>();
  for (const { hash, part } of uploads) {
    if (part?.last) brought.add(hash);
    if (part === undefined && !brought.has(hash)) wanted.add(hash);
  }
  if (wanted.size === 0) return [];
  const rows = await tx.all<{ hash: string }>(lockKnown, [[...wanted]]);
  const known = new Set(rows.map(({ hash }) => hash));
  return [...wanted].filter((hash) => !known.has(hash));
}

export async function addContents(tx: Transaction, uploads: readonly Upload[]): Promise<void> {
  const parts = partsOf(uploads);
  const bytesOf = new Map(parts.map(({ hash, bytes }) => [hash, bytes]));
  // In one order, so that uploads of the same contents do not deadlock.
  const contents = [...bytesOf].sort(byText(([hash]) => hash));
  await tx.insertAll(
    lockOrAdd,
    contents.map(([hash, bytes]) => [hash, bytes, false]),
  );
  await tx.insertAll(
    addParts,
    parts.map(({ hash, part: { encoding, index, data } }) => [hash, encoding, index, data]),
  );
  const whole = parts.filter(({ part }) => part.last).map(({ hash }) => hash);
  if (whole.length === 0) return;
  await tx.run("UPDATE contents SET complete = TRUE WHERE hash = ANY(?1)", [whole]);
}

/** Each part once. */
function partsOf(uploads: readonly Upload[]) {
  const parts = new Map<string, Upload & { readonly part: UploadPart }>();
  for (const upload of uploads) {
    const { hash, part } = upload;
    if (part === undefined) continue;
    const name = `${hash} ${part.encoding} ${part.index}`;
    const last = part.last || parts.get(name)?.part.last === true;
    parts.set(name, { ...upload, part: { ...part, last } });
  }
  return [...parts.values()];
}

/** False once there are no files left to delete. */
export async function discardFiles(tx: Transaction, slug: string): Promise<boolean> {
  const failed = await tx.all<FailedFile>(findFailed, [slug, discardedFilesMax]);
  const files = upToBytesMax(failed);
  const hashes = [...new Set(files.map(({ hash }) => hash))];
  if (hashes.length === 0) return false;
  await tx.all(lockContents, [hashes]);
  for (const deployment of new Set(files.map((file) => file.deployment))) {
    const own = files.filter((file) => file.deployment === deployment);
    await tx.run(removeFiles, [deployment, own.map(({ path }) => path)]);
  }
  // Read under the locks: all references made before them are visible.
  const used = await tx.all<{ hash: string }>(findUsed, [hashes]);
  const inUse = new Set(used.map(({ hash }) => hash));
  const unused = hashes.filter((hash) => !inUse.has(hash));
  await tx.run("DELETE FROM content_parts WHERE hash = ANY(?1)", [unused]);
  await tx.run("DELETE FROM contents WHERE hash = ANY(?1)", [unused]);
  return true;
}

/** The first of them, until their contents are as large as one upload. */
function upToBytesMax(files: readonly FailedFile[]): readonly FailedFile[] {
  let sum = 0;
  const end = files.findIndex(({ bytes }) => {
    sum += bytes;
    return sum >= discardedBytesMax;
  });
  return end === -1 ? files : files.slice(0, end + 1);
}

const lockKnown = `SELECT hash FROM contents WHERE hash = ANY(?1) AND complete
  ORDER BY hash FOR UPDATE`;
const lockContents = `SELECT 1 FROM contents WHERE hash = ANY(?1) ORDER BY hash FOR UPDATE`;
const lockOrAdd = `INSERT INTO contents (hash, bytes, complete) VALUES (?1, ?2, ?3)
  ON CONFLICT (hash) DO UPDATE SET bytes = excluded.bytes`;
const addParts = `INSERT INTO content_parts (hash, encoding, part, data) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT (hash, encoding, part) DO UPDATE SET data = excluded.data`;
export const findFailed = `SELECT deployment, path, hash, contents.bytes FROM deployments
  JOIN site_files ON deployment = id JOIN contents USING (hash)
  WHERE project = ?1 AND state = 'failed' LIMIT ?2`;
const removeFiles = "DELETE FROM site_files WHERE deployment = ?1 AND path = ANY(?2)";
const findUsed = "SELECT DISTINCT hash FROM site_files WHERE hash = ANY(?1)";
