/**
 * Contents, which deployments of any project share. Whoever relies on one, adds to it or takes it
 * away locks its row first, so that nothing is taken away that somebody is about to refer to.
 */
import { type Upload, type UploadPart, uploadBytesMax } from "../sites/sites.ts";
import { int8s, type Session } from "./session.ts";

/** What one call takes away at most, so that the locks are soon free again. */
export const discardedFilesMax = 64;
const discardedBytesMax = uploadBytesMax;

type FailedFile = [deployment: string, path: string, hash: string, bytes: bigint];

/** Contents that are neither stored nor brought along by an earlier one of the uploads. */
export async function missingOf(session: Session, uploads: readonly Upload[]): Promise<string[]> {
  const brought = new Set<string>();
  const wanted = new Set<string>();
  for (const { hash, part } of uploads) {
    if (part?.last) brought.add(hash);
    if (part === undefined && !brought.has(hash)) wanted.add(hash);
  }
  if (wanted.size === 0) return [];
  const { rows } = await session.query<[string]>(lockKnown, [[...wanted]]);
  const known = new Set(rows.map(([hash]) => hash));
  return [...wanted].filter((hash) => !known.has(hash));
}

export async function addContents(session: Session, uploads: readonly Upload[]): Promise<void> {
  const parts = partsOf(uploads);
  if (parts.length === 0) return;
  const bytesOf = new Map(parts.map(({ hash, bytes }) => [hash, bytes]));
  await session.query(lockOrAdd, [[...bytesOf.keys()], int8s([...bytesOf.values()])]);
  await session.query(addParts, [
    parts.map(({ hash }) => hash),
    parts.map(({ part }) => part.encoding),
    int8s(parts.map(({ part }) => part.index)),
    parts.map(({ part }) => part.data),
  ]);
  const whole = parts.filter(({ part }) => part.last).map(({ hash }) => hash);
  if (whole.length > 0) await session.query(complete, [whole]);
}

/** Each part once: a statement may touch a row only once. */
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

/** False once there is nothing left to take away. */
export async function discardFiles(session: Session, slug: string): Promise<boolean> {
  const { rows } = await session.query<FailedFile>(findFailed, [slug, discardedFilesMax]);
  const files = upToBytesMax(rows);
  if (files.length === 0) return false;
  const hashes = [...new Set(files.map(([, , hash]) => hash))];
  await session.query(lockContents, [hashes]);
  await session.query(removeFiles, [
    files.map(([deployment]) => deployment),
    files.map(([, path]) => path),
  ]);
  // Asked under the locks: who began to refer to one before has said so by now.
  const used = await session.query<[string]>(findUsed, [hashes]);
  const inUse = new Set(used.rows.map(([hash]) => hash));
  const needless = hashes.filter((hash) => !inUse.has(hash));
  await session.query("DELETE FROM content_parts WHERE hash = ANY($1::text[])", [needless]);
  await session.query("DELETE FROM contents WHERE hash = ANY($1::text[])", [needless]);
  return true;
}

/** The first of them, until their contents are as large as one upload. */
function upToBytesMax(files: readonly FailedFile[]): readonly FailedFile[] {
  let bytes = 0;
  const end = files.findIndex(([, , , size]) => {
    bytes += Number(size);
    return bytes >= discardedBytesMax;
  });
  return end === -1 ? files : files.slice(0, end + 1);
}

const lockKnown = `SELECT hash FROM contents WHERE hash = ANY($1::text[]) AND complete
  ORDER BY hash FOR UPDATE`;

// In one order, so that two uploads of the same contents do not wait for each other.
const lockOrAdd = `INSERT INTO contents (hash, bytes, complete)
  SELECT hash, bytes, false FROM unnest($1::text[], $2::int8[]) AS new (hash, bytes) ORDER BY hash
  ON CONFLICT (hash) DO UPDATE SET bytes = excluded.bytes`;

const addParts = `INSERT INTO content_parts (hash, encoding, part, data)
  SELECT * FROM unnest($1::text[], $2::text[], $3::int8[], $4::bytea[])
  ON CONFLICT (hash, encoding, part) DO UPDATE SET data = excluded.data`;

const complete = "UPDATE contents SET complete = true WHERE hash = ANY($1::text[])";

export const findFailed = `SELECT deployment, path, hash, contents.bytes FROM deployments
  JOIN site_files ON deployment = id JOIN contents USING (hash)
  WHERE project = $1 AND state = 'failed' LIMIT $2`;

const lockContents = `SELECT 1 FROM contents WHERE hash = ANY($1::text[])
  ORDER BY hash FOR UPDATE`;

const removeFiles = `DELETE FROM site_files
  USING unnest($1::text[], $2::text[]) AS gone (deployment, path)
  WHERE site_files.deployment = gone.deployment AND site_files.path = gone.path`;

const findUsed = "SELECT DISTINCT hash FROM site_files WHERE hash = ANY($1::text[])";
