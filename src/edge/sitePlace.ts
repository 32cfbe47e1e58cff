/** Where in a site an address points. It is decoded once, here, and never touches a disk. */
import { hasTooManyMarks, normalPath, pathComplaint } from "../sites/siteFile.ts";

export type Place =
  /** `folder` is true where the address ends with a slash. The path has none at either end. */
  | {
      readonly kind: "path";
      readonly path: string;
      readonly folder: boolean;
      readonly query: string;
    }
  /** No file can be there. */
  | { readonly kind: "nowhere" }
  | { readonly kind: "malformed" };

const addressLengthMax = 8_192;

export function placeOf(target: string): Place {
  if (!target.startsWith("/")) return { kind: "malformed" };
  if (target.length > addressLengthMax) return { kind: "nowhere" };
  const [beforeFragment = ""] = target.split("#", 1);
  const question = beforeFragment.indexOf("?");
  const raw = question === -1 ? beforeFragment : beforeFragment.slice(0, question);
  const query = question === -1 ? "" : beforeFragment.slice(question);
  const segments = decoded(raw.slice(1).split("/"));
  if (segments === undefined) return { kind: "malformed" };
  // A slash that was encoded is part of a name, and no file has one in its name.
  if (segments.some((segment) => segment.includes("/"))) return { kind: "nowhere" };
  if (segments.some(hasTooManyMarks)) return { kind: "nowhere" };
  const folder = segments.at(-1) === "";
  const path = normalPath((folder ? segments.slice(0, -1) : segments).join("/"));
  if (path === "" && segments.length === 1) return { kind: "path", path, folder: true, query };
  return pathComplaint(path) === undefined
    ? { kind: "path", path, folder, query }
    : { kind: "nowhere" };
}

/** Undefined where an escape is none, or is of no character, or of one that no address has. */
function decoded(segments: readonly string[]): string[] | undefined {
  try {
    const texts = segments.map(decodeURIComponent);
    return texts.some((text) => /\p{Cc}/u.test(text)) ? undefined : texts;
  } catch {
    return undefined;
  }
}

/** The same place with a slash. Begins with one slash and a name: it cannot lead to another host. */
export function locationOf(place: Place): string {
  if (place.kind !== "path") return "/";
  return `/${place.path.split("/").map(encodeURIComponent).join("/")}/${place.query}`;
}
