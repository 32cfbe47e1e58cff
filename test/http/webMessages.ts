/** Requests and responses of the Fetch standard as those of the service, and the other way round. */
import { BodyError, type HttpRequest, type HttpResponse } from "../../src/wire/message.ts";

export function requestFrom(request: Request, peer = "127.0.0.1"): HttpRequest {
  const { protocol, host, pathname, search } = new URL(request.url);
  return {
    method: request.method,
    scheme: protocol === "https:" ? "https" : "http",
    authority: host,
    path: pathname,
    query: search,
    peer,
    header: (name) => request.headers.get(name) ?? undefined,
    async body(bytesMax) {
      const bytes = await request.bytes();
      if (bytes.byteLength > bytesMax) throw new BodyError("too_large");
      return bytes;
    },
    text: undefined,
    signal: request.signal,
  };
}

export function responseFrom({ status, headers, body }: HttpResponse): Response {
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  return new Response((body ?? null) as ConstructorParameters<typeof Response>[0], {
    status,
    headers: fields,
  });
}
