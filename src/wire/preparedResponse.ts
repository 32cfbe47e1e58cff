import type { HttpResponse } from "./message.ts";
import { httpDate, responseHead } from "./response.ts";

/** A whole response as bytes, to be sent again and again; only its date changes. */
export class PreparedResponse {
  readonly #bytes: Buffer;
  readonly #dateAt: number;
  #second: number;

  constructor(response: HttpResponse & { readonly body: string | Uint8Array }, nowMs: number) {
    const { body } = response;
    const contentLength = Buffer.byteLength(body);
    const framing = { nowMs, contentLength, chunked: false, connection: undefined };
    const head = responseHead(response, framing);
    this.#bytes =
      typeof body === "string"
        ? Buffer.from(head + body)
        : Buffer.concat([Buffer.from(head, "latin1"), body]);
    // The head is ASCII, so characters are bytes.
    this.#dateAt = head.indexOf("Date: ") + "Date: ".length;
    this.#second = Math.floor(nowMs / 1000);
  }

  /** Must be written, or copied, before the next call. */
  at(nowMs: number): Buffer {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#bytes.write(httpDate(nowMs), this.#dateAt, "latin1");
    }
    return this.#bytes;
  }
}
