/** What a file is, by the ending of its name: nothing is ever guessed from the content. */

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

export const mediaTypeUnknown = "application/octet-stream";

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
