/** The parts of a request's address, without the cost of a URL object. */
export interface Address {
  /** `http://127.0.0.1:8080`; empty where the Host header was none. */
  readonly origin: string;
  readonly path: string;
  /** Without the question mark. */
  readonly search: string;
}

// It goes into addresses that we send back, so nothing but a host and a port will do.
const originForm = /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i;

export function addressOf(url: string): Address {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);
  const fragment = url.indexOf("#", start);
  const end = fragment === -1 ? url.length : fragment;
  const question = url.indexOf("?", start);
  const pathEnd = question === -1 || question > end ? end : question;
  const origin = url.slice(0, start);
  return {
    origin: originForm.test(origin) ? origin : "",
    path: url.slice(start, pathEnd),
    search: url.slice(pathEnd + 1, end),
  };
}
