/** The request of a filled-in form, and the equivalent curl command. */

export interface Filled {
  readonly baseUrl: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly FilledParameter[];
  readonly body: string | undefined;
}

export interface FilledParameter {
  readonly name: string;
  readonly location: string;
  readonly value: string;
  /** Several values, with commas or spaces between. */
  readonly many: boolean;
}

export interface Prepared {
  readonly method: string;
  readonly url: string;
  /** Without the key. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
}

/** Throws an Error whose message is shown to the user. */
export function prepare({ baseUrl, method, path, parameters, body }: Filled): Prepared {
  const base = readBase(baseUrl);
  const query: string[] = [];
  const headers: [string, string][] = [];
  let filledPath = path;
  for (const { name, location, value, many } of parameters) {
    if (location === "path") {
      if (value === "") throw new Error(`${name} is part of the path. Fill it in.`);
      filledPath = filledPath.replace(`{${name}}`, encodeURIComponent(value));
    } else if (value !== "" && location === "query") {
      const values = many ? value.split(/[\s,]+/).filter((item) => item !== "") : [value];
      query.push(
        ...values.map((item) => `${encodeURIComponent(name)}=${encodeURIComponent(item)}`),
      );
    } else if (value !== "" && location === "header") {
      if (!/^[ -~]+$/.test(value)) throw new Error(`${name} may have ASCII characters only.`);
      headers.push([name, value]);
    }
  }
  if (body !== undefined) headers.push(["Content-Type", "application/json"]);
  const search = query.length === 0 ? "" : `?${query.join("&")}`;
  return { method, url: `${base}${filledPath}${search}`, headers, body };
}

function readBase(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new Error("The base URL must be absolute, such as http://127.0.0.1:8080/v1.");
  }
  return (url.origin + url.pathname).replace(/\/+$/, "");
}

/** In single quotes, for a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

export function curlLine({ method, url, headers, body }: Prepared): string {
  const lines = headers.map(([name, value]) => quoted(`${name}: ${value}`));
  return curlCommand(method, quoted(url), lines, body);
}

/** URL and headers are in quotes already. The key stays a variable, so that the command can be shared. */
export function curlCommand(
  method: string,
  url: string,
  headers: readonly string[],
  body: string | undefined,
): string {
  const parts = [url, '-H "Authorization: Bearer $API_KEY"', ...headers.map((it) => `-H ${it}`)];
  if (body !== undefined) parts.push(`-d ${quoted(body)}`);
  const implied = method === "GET" || (method === "POST" && body !== undefined);
  return `curl ${implied ? "" : `-X ${method} `}${parts.join(" \\\n  ")}`;
}
