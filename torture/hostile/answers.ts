/** Takes the bytes of a connection apart into answers, as strictly as HTTP/1.1 lets a client be. */

export interface RawAnswer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

export interface Transcript {
  /** Final answers in their order; those of 1xx are left out. */
  readonly answers: readonly RawAnswer[];
  /** What an answer was begun with and is not whole. */
  readonly rest: Buffer;
  /** Why the bytes are no sequence of HTTP answers. */
  readonly fault: string | undefined;
}

export interface ResponseContext {
  /** Whether the service has closed the connection: only then may that be the end of a body. */
  readonly closed: boolean;
  /** The method of each request in its order; an answer to HEAD has no body. GET where not given. */
  readonly methods?: readonly string[];
}

type Part =
  | { readonly kind: "whole"; readonly answer: RawAnswer; readonly end: number }
  | { readonly kind: "begun" }
  | { readonly kind: "fault"; readonly why: string };

const begun = { kind: "begun" } as const;
const fault = (why: string): Part => ({ kind: "fault", why });
const statusLine = /^HTTP\/1\.1 ([1-5]\d\d) [ -~]*$/;
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t -~\x80-\xff]*?)[ \t]*$/;

export function transcriptOf(bytes: Buffer, circumstances: ResponseContext): Transcript {
  const answers: RawAnswer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const method = circumstances.methods?.[answers.length] ?? "GET";
    const part = answerAt(bytes, at, method, circumstances.closed);
    if (part.kind === "fault") return { answers, rest: bytes.subarray(at), fault: part.why };
    if (part.kind === "begun") break;
    if (part.answer.status >= 200) answers.push(part.answer);
    at = part.end;
  }
  return { answers, rest: bytes.subarray(at), fault: undefined };
}

function answerAt(bytes: Buffer, start: number, method: string, closed: boolean): Part {
  const headEnd = bytes.indexOf("\r\n\r\n", start, "latin1");
  if (headEnd < 0) {
    const opening = bytes.subarray(start, start + 9).toString("latin1");
    return "HTTP/1.1 ".startsWith(opening)
      ? begun
      : fault(`${JSON.stringify(opening)} begins none`);
  }
  const [first = "", ...lines] = bytes.subarray(start, headEnd).toString("latin1").split("\r\n");
  const status = statusLine.exec(first)?.[1];
  if (status === undefined) return fault(`the status line ${JSON.stringify(first.slice(0, 80))}`);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value = ""] = headerLine.exec(line) ?? [];
    if (name === undefined) return fault(`the header line ${JSON.stringify(line.slice(0, 80))}`);
    const key = name.toLowerCase();
    const before = headers.get(key);
    if (before !== undefined && framing.has(key)) return fault(`${key} twice`);
    headers.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  const answer = { status: Number(status), headers };
  const bodyStart = headEnd + 4;
  if (answer.status < 200 || [204, 304].includes(answer.status) || method === "HEAD") {
    return whole(answer, bytes, bodyStart, bodyStart);
  }
  return withBody(answer, bytes, bodyStart, closed);
}

const framing = new Set(["content-length", "transfer-encoding", "content-type"]);

type Head = Omit<RawAnswer, "body">;

function whole(head: Head, bytes: Buffer, start: number, end: number): Part {
  return { kind: "whole", answer: { ...head, body: bytes.subarray(start, end) }, end };
}

function withBody(head: Head, bytes: Buffer, start: number, closed: boolean): Part {
  const length = head.headers.get("content-length");
  const coding = head.headers.get("transfer-encoding");
  if (length !== undefined && coding !== undefined) return fault("a length beside a coding");
  if (coding !== undefined) {
    if (coding.toLowerCase() !== "chunked") return fault(`the coding ${coding}`);
    return chunkedBody(head, bytes, start);
  }
  if (length !== undefined) {
    if (!/^\d{1,12}$/.test(length)) return fault(`the length ${length}`);
    const end = start + Number(length);
    return end > bytes.length ? begun : whole(head, bytes, start, end);
  }
  if (head.headers.get("connection")?.toLowerCase() !== "close") {
    return fault("an answer of no length on a connection that goes on");
  }
  return closed ? whole(head, bytes, start, bytes.length) : begun;
}

function chunkedBody(head: Head, bytes: Buffer, start: number): Part {
  const chunks: Buffer[] = [];
  let at = start;
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", at, "latin1");
    if (lineEnd < 0) return begun;
    const line = bytes.subarray(at, lineEnd).toString("latin1");
    if (!/^[\da-f]{1,8}$/i.test(line)) return fault(`the chunk size ${line.slice(0, 40)}`);
    const size = Number.parseInt(line, 16);
    const dataEnd = lineEnd + 2 + size;
    if (dataEnd + 2 > bytes.length) return begun;
    if (bytes[dataEnd] !== 13 || bytes[dataEnd + 1] !== 10) return fault("a chunk of another size");
    if (size === 0) {
      return { kind: "whole", answer: { ...head, body: Buffer.concat(chunks) }, end: dataEnd + 2 };
    }
    chunks.push(bytes.subarray(lineEnd + 2, dataEnd));
    at = dataEnd + 2;
  }
}
