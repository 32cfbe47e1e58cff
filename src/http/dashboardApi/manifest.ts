/** The list of files that a deployment is announced with. */
import {
  fileSizeComplaint,
  hasTooManyMarks,
  isPrivateName,
  normalPath,
  pathComplaint,
  type SiteFile,
  sizeComplaint,
} from "../../sites/siteFile.ts";
import { invalid, membersOf } from "./reading.ts";
import { DashboardRefusal } from "./refusal.ts";

const hashForm = /^[0-9a-f]{64}$/;

export function readManifest(body: unknown): SiteFile[] {
  const { files } = membersOf(body, ["files"]);
  if (!Array.isArray(files)) throw invalid("files must be a list.");
  const read = files.map(readFile);
  const bytes = read.reduce((sum, file) => sum + file.bytes, 0);
  const complaint = sizeComplaint(read.length, bytes);
  if (complaint !== undefined) throw unpublishable(`The site ${complaint}.`);
  refuseTwins(read);
  return read;
}

function readFile(value: unknown): SiteFile {
  const { path, bytes, hash } = membersOf(value, ["path", "bytes", "hash"]);
  if (typeof path !== "string") throw invalid("path must be a text.");
  const shown = JSON.stringify(path.slice(0, 200));
  if (typeof bytes !== "number" || !Number.isSafeInteger(bytes) || bytes < 0) {
    throw invalid(`bytes of ${shown} must be a whole number.`);
  }
  if (typeof hash !== "string" || !hashForm.test(hash)) {
    throw invalid(`hash of ${shown} must be the SHA-256 of its content, in lower-case hex.`);
  }
  if (hasTooManyMarks(path)) {
    throw unpublishable(`The path ${shown} cannot be published: a letter has over 30 marks.`);
  }
  const normal = normalPath(path);
  const wrong = pathComplaint(normal);
  if (wrong !== undefined)
    throw unpublishable(`The path ${shown} cannot be published: it ${wrong}.`);
  if (normal.split("/").some(isPrivateName)) {
    throw unpublishable(`${shown} is not published: names that begin with a dot are private.`);
  }
  const large = fileSizeComplaint(bytes);
  if (large !== undefined) throw unpublishable(`${shown} ${large}.`);
  return { path: normal, bytes, hash };
}

function refuseTwins(files: readonly SiteFile[]): void {
  const paths = new Set<string>();
  const sizes = new Map<string, number>();
  for (const { path, bytes, hash } of files) {
    if (paths.has(path)) throw unpublishable(`Two files have the path ${path}.`);
    if ((sizes.get(hash) ?? bytes) !== bytes) {
      throw invalid(`The hash of ${path} is that of a file of another size.`);
    }
    paths.add(path);
    sizes.set(hash, bytes);
  }
}

const unpublishable = (message: string) => new DashboardRefusal("site_invalid", message);
