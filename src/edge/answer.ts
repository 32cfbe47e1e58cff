/** What is sent back, in whichever protocol. */
export interface Answer {
  readonly status: number;
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string | undefined;
  /** The connection ends with this answer. */
  readonly last?: boolean;
}

/** An answer in plain words, for people who came to the wrong place. */
export function say(
  status: number,
  words: string,
  { headers = {}, last = false }: { headers?: Record<string, string>; last?: boolean } = {},
): Answer {
  const plain = {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  };
  return { status, headers: { ...plain, ...headers }, body: `${words}\n`, last };
}

export function bodyBytesOf({ body }: Answer): number {
  return typeof body === "string" ? Buffer.byteLength(body) : (body?.byteLength ?? 0);
}

const controls = /[^\P{Cc}\t]/u;

/** The headers as they go out: with a length wherever the answer has content. */
export function headersOf(answer: Answer): Record<string, string> {
  // Over HTTP/2, Bun sends a value that ends its own line.
  for (const [name, value] of Object.entries(answer.headers)) {
    if (controls.test(value)) throw new Error(`The header ${name} has control characters.`);
  }
  if (answer.body === undefined || "content-length" in answer.headers) return { ...answer.headers };
  return { ...answer.headers, "content-length": String(bodyBytesOf(answer)) };
}
