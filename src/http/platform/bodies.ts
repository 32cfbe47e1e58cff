/** Bodies that handlers read themselves. */
import { Problem } from "../../core/problems.ts";
import {
  hasTooManyCombiningMarks,
  isPrivateName,
  normalizePath,
  type SiteFile,
  siteError,
} from "../../hosting/sites/siteFile.ts";
import { BodyError, type HttpRequest } from "../../wire/message.ts";
import { readBody } from "../input.ts";

export const invalid = (detail: string): Problem => new Problem("body_invalid", { detail });

/** As a JSON value, whatever it is. */
export async function jsonBody(request: HttpRequest): Promise<unknown> {
  return readBody(request, (value) => value, ["application/json"], false);
}

/** For a body that may be larger than most. */
export async function largeJsonBody(request: HttpRequest, bytesMax: number): Promise<unknown> {
  const type = request.header("content-type") ?? "";
  if (!/^application\/json\b/i.test(type)) throw new Problem("media_type_unsupported");
  const bytes = await bytesOf(request, bytesMax);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new Problem("body_unreadable", { cause });
  }
}

export async function bytesOf(request: HttpRequest, bytesMax: number): Promise<Uint8Array> {
  try {
    return await request.body(bytesMax);
  } catch (cause) {
    if (!(cause instanceof BodyError) || cause.failure !== "too_large") throw cause;
    throw new Problem("body_too_large", { detail: `The body is larger than ${bytesMax} bytes.` });
  }
}

const hashForm = /^[0-9a-f]{64}$/;

/** Reads the list of files that a deployment is announced with. */
export function readManifest(body: unknown): SiteFile[] {
  const { files } = membersOf(body, ["files"]);
  if (!Array.isArray(files)) throw invalid("files must be a list.");
  const read = files.map(readFile);
  const complaint = siteError(read);
  if (complaint !== undefined) throw unpublishable(complaint);
  const sizes = new Map<string, number>();
  for (const { path, bytes, hash } of read) {
    if ((sizes.get(hash) ?? bytes) !== bytes) {
      throw invalid(`The hash of ${path} is that of a file of another size.`);
    }
    sizes.set(hash, bytes);
  }
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
  if (hasTooManyCombiningMarks(path)) {
    throw unpublishable(`The path ${shown} cannot be published: a letter has over 30 marks.`);
  }
  const normal = normalizePath(path);
  if (normal.split("/").some(isPrivateName)) {
    throw unpublishable(`${shown} is not published: names that begin with a dot are private.`);
  }
  return { path: normal, bytes, hash };
}

/** How many unknown names an error repeats. */
const strangersShownMax = 5;

/** The members of an object, and a complaint about those that are not known. */
function membersOf(body: unknown, known: readonly string[]): Readonly<Record<string, unknown>> {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw invalid("The body must be an object.");
  }
  const strangers = Object.keys(body).filter((name) => !known.includes(name));
  if (strangers.length > 0) {
    const names = strangers
      .slice(0, strangersShownMax)
      .map((name) => JSON.stringify(name.slice(0, 40)));
    throw invalid(`${names.join(", ")} is not known here.`);
  }
  return body as Record<string, unknown>;
}

const unpublishable = (message: string) => new Problem("site_invalid", { detail: message });
