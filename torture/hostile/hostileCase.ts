/** Requests that no honest client sends, each with the one reading that a service may have of it. */
/** What a case is made with: each time others, so that no two are the same. */
export interface Ingredients {
  /** A key that may do everything. What is let through with it does harm. */
  readonly token: string;
  /** Named by a request that must never be carried out, in its X-Request-Id and in its pet. */
  readonly mark: string;
}

export interface HostileCase {
  readonly name: string;
  readonly bytes: Buffer;
  /** Statuses of the answers in their order, each of those allowed. */
  readonly reading: readonly (readonly number[])[];
  /** The service must close the connection. */
  readonly ends: boolean;
  /** An answer need not come: it may also wait for more. */
  readonly mayWait: boolean;
  /** Methods of the requests, for answers that have no body. */
  readonly methods: readonly string[];
}

export type Recipe = (ingredients: Ingredients) => HostileCase;

export const refusals = [400, 401, 404, 405, 408, 411, 413, 414, 415, 417, 421, 426, 431, 501, 505];

type Details = Partial<Omit<HostileCase, "name" | "bytes">>;

const latin1 = (text: string) => Buffer.from(text, "latin1");

export function hostile(name: string, text: string | Buffer, details: Details): HostileCase {
  const bytes = typeof text === "string" ? latin1(text) : text;
  return { name, bytes, reading: [], ends: false, mayWait: false, methods: [], ...details };
}

/** Refused, and nothing behind it is heard. */
export const refused = (name: string, text: string | Buffer) =>
  hostile(name, text, { reading: [refusals], ends: true });

export const authorized = ({ token }: Ingredients) => `Authorization: Bearer ${token}\r\n`;

/** A whole and honest request, which is harmful where it is not supposed to be one. */
export function smuggled(given: Ingredients): string {
  const body = `{"name":"${given.mark}","categoryId":1}`;
  return `POST /v1/pets HTTP/1.1\r\nHost: inner\r\nX-Request-Id: ${given.mark}\r\n${authorized(given)}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
