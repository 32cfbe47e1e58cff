/** The smaller forms of a content, made once when it is published and never on request. */
import { promisify } from "node:util";
import { brotliCompress, gzip, constants as zlib } from "node:zlib";
import { isCompressible, mediaTypeOf } from "./mediaTypes.ts";
import { partBytesMax } from "./sites.ts";

// The best of both that still takes milliseconds: brotli's 11 gains 10 % and takes 30 times as long.
const brotliQuality = 9;
const gzipLevel = 9;
/** A packet carries this much anyway. */
const compressedFromBytes = 512;
/** A reader's work to unpack it must be worth something. */
const sizeShareMax = 0.9;

const brotliOf = promisify(brotliCompress);
const gzipOf = promisify(gzip);

export interface SmallerForms {
  readonly br?: Uint8Array;
  readonly gzip?: Uint8Array;
}

export async function smallerForms(path: string, content: Uint8Array): Promise<SmallerForms> {
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
