import { parseJson } from "../contract/json.ts";
import type { Reader, Reading } from "../contract/schema.ts";
import { Problem } from "../problems.ts";

export const bodyBytesMax = 65_536;

/** Reads a request's body as the contract describes it. Names all that is wrong with it. */
export async function readBody(request: Request, read: Reader, strict: boolean): Promise<unknown> {
  refuseOtherMedia(request.headers);
  const bytes = await boundedBytes(request);
  const reading: Reading = { complaints: [], strict };
  const body = read(parsed(bytes), "The body", reading);
  if (reading.complaints.length > 0) {
    throw new Problem("body_invalid", { detail: reading.complaints.join(" ") });
  }
  return body;
}

// RFC 8259 knows no charset parameter, but many clients send the one that is true anyway.
const jsonMedia = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i;

function refuseOtherMedia(headers: Headers): void {
  if (!jsonMedia.test(headers.get("content-type")?.trim() ?? "")) {
    throw new Problem("media_type_unsupported");
  }
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity") {
    throw new Problem("media_type_unsupported", {
      detail: "Send the body without a Content-Encoding.",
    });
  }
}

async function boundedBytes(request: Request): Promise<Uint8Array> {
  // The listener holds the client to the length it announced.
  const announced = request.headers.get("content-length");
  if (Number(announced) > bodyBytesMax) throw tooLarge();
  try {
    return announced === null ? await countedBytes(request) : await request.bytes();
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    const detail = "The connection ended before the body did, or the body was framed wrongly.";
    throw new Problem("body_unreadable", { detail, cause });
  }
}

async function countedBytes(request: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let count = 0;
  for await (const chunk of request.body ?? []) {
    count += chunk.byteLength;
    if (count > bodyBytesMax) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The rest of the body is not worth reading, so the connection cannot serve another request. */
function tooLarge(): Problem {
  return new Problem("body_too_large", { headers: { connection: "close" } });
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function parsed(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) {
    throw new Problem("body_unreadable", { detail: "The body is empty; a JSON object is needed." });
  }
  try {
    return parseJson(utf8.decode(bytes));
  } catch (cause) {
    if (cause instanceof RangeError) {
      throw new Problem("body_unreadable", { detail: "The body is nested too deeply.", cause });
    }
    const detail =
      cause instanceof SyntaxError ? "The body is not valid JSON." : "The body is not valid UTF-8.";
    throw new Problem("body_unreadable", { detail, cause });
  }
}
