/** A dropped or chosen folder: its files, with their paths on the site. */

export interface FolderFile {
  readonly path: string;
  readonly file: File;
}

export interface Folder {
  readonly files: readonly FolderFile[];
  /** How many files were left out because a name in their path begins with a dot. */
  readonly leftOut: number;
}

const filesMax = 10_000;

/** Hidden files are not meant to be published, except /.well-known/ (RFC 8615). */
const isPrivate = (segment: string) => segment.startsWith(".") && segment !== ".well-known";

function folderOf(named: readonly FolderFile[]): Folder {
  const inside = withoutRoot(named);
  const files = inside
    .filter(({ path }) => !path.split("/").some(isPrivate))
    .map(({ path, file }) => ({ path: path.normalize("NFC"), file }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
  return { files, leftOut: inside.length - files.length };
}

/** The name of the folder itself is not part of the URLs. */
function withoutRoot(named: readonly FolderFile[]) {
  const [first] = named;
  const root = first?.path.includes("/") ? `${first.path.split("/")[0]}/` : undefined;
  if (root === undefined || !named.every(({ path }) => path.startsWith(root))) return named;
  return named.map(({ path, file }) => ({ path: path.slice(root.length), file }));
}

/** From an input that takes a folder. */
export function chosenFolder(list: Iterable<File>): Folder {
  return folderOf([...list].map((file) => ({ path: file.webkitRelativePath || file.name, file })));
}

/** From a drop. Its entries must be read before the first await: the event clears them. */
export async function droppedFolder(transfer: DataTransfer): Promise<Folder> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry());
  const plain = [...transfer.files];
  const found: FolderFile[] = [];
  for (const entry of entries) if (entry !== null) await collect(entry, "", found);
  if (found.length > 0) return folderOf(found);
  return chosenFolder(plain);
}

async function collect(entry: FileSystemEntry, above: string, found: FolderFile[]): Promise<void> {
  if (found.length > filesMax) return;
  const path = `${above}${entry.name}`;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    found.push({ path, file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A reader returns up to a hundred entries at a time, and none at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return;
    for (const each of some) await collect(each, `${path}/`, found);
  }
}
