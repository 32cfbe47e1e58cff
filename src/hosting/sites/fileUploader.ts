/** Takes files to the store in messages of bounded size, each content only where it is not there. */

import { promisify } from "node:util";
import { brotliCompress, gzip, constants as zlib } from "node:zlib";
import type { Clock } from "../../core/clock.ts";
import { hashOf } from "./deployment.ts";
import { type Encoding, isCompressible, mediaTypeOf, type SiteFile } from "./siteFile.ts";
import { partBytesMax, type SiteStore, type Upload, uploadBytesMax } from "./sites.ts";

/** A file that is to be published. */
export interface SourceFile {
  /** As it is to stand in addresses, without a leading slash. */
  readonly path: string;
  readonly bytes: number;
  /** All of it. May be called again, and gives the same unless somebody changed the file. */
  read(): Promise<Uint8Array>;
}

/** Files whose content is known weigh nothing, and are still work for the store. */
const uploadsMax = 500;

interface Item {
  readonly upload: Upload;
  readonly source: SourceFile;
}

export class FileUploader {
  readonly #deploymentId: string;
  readonly #store: SiteStore;
  readonly #clock: Clock;
  #items: Item[] = [];
  #bytes = 0;
  /** Contents that are on their way with an earlier file. */
  readonly #sent = new Set<string>();

  constructor(deploymentId: string, store: SiteStore, clock: Clock) {
    this.#deploymentId = deploymentId;
    this.#store = store;
    this.#clock = clock;
  }

  async take(file: SiteFile, content: Uint8Array, source: SourceFile): Promise<void> {
    const { hash } = file;
    const known = this.#sent.has(hash) || (await this.#store.knownContents([hash])).has(hash);
    if (known) return this.#put({ upload: { ...file, part: undefined }, source });
    await this.#takeWhole(file, content, source);
  }

  async #takeWhole(file: SiteFile, content: Uint8Array, source: SourceFile): Promise<void> {
    for (const upload of await uploadsOf(file, content)) await this.#put({ upload, source });
    this.#sent.add(file.hash);
  }

  async #put(item: Item): Promise<void> {
    const bytes = item.upload.part?.data.byteLength ?? 0;
    if (this.#items.length === uploadsMax || this.#bytes + bytes > uploadBytesMax) {
      await this.send();
    }
    this.#items.push(item);
    this.#bytes += bytes;
  }

  /** Sends what has gathered. */
  async send(): Promise<void> {
    if (this.#items.length === 0) return;
    const items = this.#items;
    this.#items = [];
    this.#bytes = 0;
    const uploads = items.map(({ upload }) => upload);
    const outcome = await this.#store.addFiles(this.#deploymentId, uploads, this.#clock.now());
    if (outcome.kind === "not_building") throw endedByAnother();
    if (outcome.kind === "content_missing") await this.#sendAgain(items, outcome.hashes);
  }

  /** What a failed deployment had stored can be taken away just after we asked for it. */
  async #sendAgain(items: readonly Item[], hashes: readonly string[]): Promise<void> {
    const lacks = ({ upload }: Item) => upload.part === undefined && hashes.includes(upload.hash);
    for (const item of items.filter((item) => !lacks(item))) await this.#put(item);
    for (const { upload, source } of items.filter(lacks)) {
      const { path, hash, bytes } = upload;
      const content = await source.read();
      if (hashOf(content) !== hash) {
        throw new PublishError(`${path} was changed while it was being deployed.`);
      }
      await this.#takeWhole({ path, hash, bytes }, content, source);
    }
    await this.send();
  }
}

/** The smaller forms first: the content counts as stored with the last part of its own form. */
async function uploadsOf(file: SiteFile, content: Uint8Array): Promise<Upload[]> {
  const { br, gzip } = await compressedForms(file.path, content);
  const part = (encoding: Encoding, index: number, last: boolean, data: Uint8Array): Upload => ({
    ...file,
    // A copy: a view would take all that lies behind it along to the writing thread.
    part: { encoding, index, last, data: new Uint8Array(data) },
  });
  const count = Math.max(1, Math.ceil(content.byteLength / partBytesMax));
  const whole = Array.from({ length: count }, (_, index) => {
    const start = index * partBytesMax;
    const data = content.subarray(start, start + partBytesMax);
    return part("identity", index, index === count - 1, data);
  });
  return [
    ...(br === undefined ? [] : [part("br", 0, false, br)]),
    ...(gzip === undefined ? [] : [part("gzip", 0, false, gzip)]),
    ...whole,
  ];
}

// The best of both that still takes milliseconds: brotli's 11 gains 10 % and takes 30 times as long.
const brotliQuality = 9;
const gzipLevel = 9;
/** A packet carries this much anyway. */
const compressedFromBytes = 512;
/** A reader's work to unpack it must be worth something. */
const sizeShareMax = 0.9;

const brotliOf = promisify(brotliCompress);
const gzipOf = promisify(gzip);

/** Compressed once, when a content is published, and never on request. */
interface CompressedForms {
  readonly br?: Uint8Array;
  readonly gzip?: Uint8Array;
}

export async function compressedForms(path: string, content: Uint8Array): Promise<CompressedForms> {
  if (content.byteLength < compressedFromBytes || !isCompressible(mediaTypeOf(path))) return {};
  const pays = (form: Uint8Array) =>
    form.byteLength < content.byteLength * sizeShareMax && form.byteLength <= partBytesMax;
  const [br, gzipped] = await Promise.all([
    brotliOf(content, {
      params: {
        [zlib.BROTLI_PARAM_QUALITY]: brotliQuality,
        [zlib.BROTLI_PARAM_SIZE_HINT]: content.byteLength,
      },
    }),
    gzipOf(content, { level: gzipLevel }),
  ]);
  return { ...(pays(br) ? { br } : {}), ...(pays(gzipped) ? { gzip: gzipped } : {}) };
}

/** The files cannot be published as they are. The message says why, for their owner. */
export class PublishError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PublishError";
  }
}

export function endedByAnother(): PublishError {
  return new PublishError(
    "The deployment was ended from elsewhere before it was complete. Deploy it again.",
  );
}
