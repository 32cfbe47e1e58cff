/** A file of a site: where it stands, what it is called inside, and in which forms it is kept. */

/** A file of a deployment. The same content is stored once, whoever deploys it. */
export interface SiteFile {
  /** As in an address, decoded, without a leading slash: `guide/keys/index.html`. */
  readonly path: string;
  /** SHA-256 of the content, in hex. */
  readonly hash: string;
  readonly bytes: number;
}

/** In the order in which they are preferred where a reader takes them alike. */
export const encodings = ["br", "gzip", "identity"] as const;
export type Encoding = (typeof encodings)[number];

/** A file as it can be served. */
export interface StoredFile extends SiteFile {
  /** The smaller forms that exist beside the content itself. */
  readonly smaller: readonly Exclude<Encoding, "identity">[];
}

const mebibyte = 1024 * 1024;
export const siteFilesMax = 10_000;
export const fileBytesMax = 25 * mebibyte;
export const siteBytesMax = 250 * mebibyte;
export const pathLengthMax = 512;

/** Why a path cannot be published; undefined when it can. */
export function pathError(path: string): string | undefined {
  if (path === "" || path.length > pathLengthMax) {
    return `must have 1 to ${pathLengthMax} characters`;
  }
  if (!path.isWellFormed() || /[\p{Cc}\\]/u.test(path)) {
    return "must not have control characters, backslashes or broken characters";
  }
  if (hasTooManyCombiningMarks(path)) return "must not have a letter with over 30 marks";
  const segments = path.split("/");
  return segments.some((segment) => segment === "" || segment === "." || segment === "..")
    ? "must not have empty, . or .. segments"
    : undefined;
}

const markedLetter = /\p{M}{31}/u;

/**
 * More marks on a letter than any language needs (UAX #15, section 13). To bring them into order takes
 * time with their square, and everybody may send some: to be asked before `normalPath`.
 */
export function hasTooManyCombiningMarks(path: string): boolean {
  return markedLetter.test(path);
}

/** One spelling for what looks the same: some systems take names apart, and links are typed whole. */
export function normalizePath(path: string): string {
  return path.normalize("NFC");
}

/**
 * What people leave in a folder and do not mean to publish: `.git`, `.env`, `.DS_Store`. The one
 * such name that belongs to the web is that of RFC 8615.
 */
export function isPrivateName(name: string): boolean {
  return name.startsWith(".") && name !== ".well-known";
}

/** Why so many files of so many bytes cannot be a site; undefined when they can. */
export function sizeError(files: number, bytes: number): string | undefined {
  if (files === 0) return "has no file to publish";
  if (files > siteFilesMax) return `has more than ${siteFilesMax} files`;
  return bytes > siteBytesMax ? `has more than ${siteBytesMax / mebibyte} MiB` : undefined;
}

/** Why a file of so many bytes cannot be published; undefined when it can. */
export function fileSizeError(bytes: number): string | undefined {
  return bytes > fileBytesMax ? `has more than ${fileBytesMax / mebibyte} MiB` : undefined;
}

/** Why these files cannot be a site, in a sentence for their owner; undefined when they can. */
export function siteError(files: readonly Pick<SiteFile, "path" | "bytes">[]): string | undefined {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const size = sizeError(files.length, total);
  if (size !== undefined) return `The site ${size}.`;
  const paths = new Set<string>();
  for (const { path, bytes } of files) {
    const wrong = pathError(path);
    if (wrong !== undefined) {
      return `The path ${JSON.stringify(path.slice(0, 200))} cannot be published: it ${wrong}.`;
    }
    if (paths.has(path)) return `Two files have the path ${path}.`;
    const large = fileSizeError(bytes);
    if (large !== undefined) return `${path} ${large}.`;
    paths.add(path);
  }
  return undefined;
}

const utf8 = "; charset=utf-8";

const types: Readonly<Record<string, string>> = {
  html: `text/html${utf8}`,
  htm: `text/html${utf8}`,
  xhtml: "application/xhtml+xml",
  css: `text/css${utf8}`,
  js: `text/javascript${utf8}`,
  mjs: `text/javascript${utf8}`,
  txt: `text/plain${utf8}`,
  md: `text/markdown${utf8}`,
  csv: `text/csv${utf8}`,
  yaml: `application/yaml${utf8}`,
  yml: `application/yaml${utf8}`,
  json: "application/json",
  map: "application/json",
  webmanifest: "application/manifest+json",
  xml: "application/xml",
  rss: "application/rss+xml",
  atom: "application/atom+xml",
  svg: "image/svg+xml",
  png: "image/png",
  apng: "image/apng",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  ico: "image/x-icon",
  woff: "font/woff",
  woff2: "font/woff2",
  ttf: "font/ttf",
  otf: "font/otf",
  wasm: "application/wasm",
  pdf: "application/pdf",
  mp3: "audio/mpeg",
  ogg: "audio/ogg",
  wav: "audio/wav",
  mp4: "video/mp4",
  webm: "video/webm",
  vtt: `text/vtt${utf8}`,
  zip: "application/zip",
  gz: "application/gzip",
};

const mediaTypeUnknown = "application/octet-stream";

export function mediaTypeOf(path: string): string {
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return (Object.hasOwn(types, ending) ? types[ending] : undefined) ?? mediaTypeUnknown;
}

/** The others are compressed already, or unknown. */
export function isCompressible(mediaType: string): boolean {
  return /^text\/|^application\/(?:json|xml|yaml|wasm|[\w.-]+\+(?:json|xml))|^image\/(?:svg|x-icon)|^font\/(?:ttf|otf)/.test(
    mediaType,
  );
}
