/** Requests and responses of the Fetch standard as those of the service, and the other way round. */

import { BodyError, type HttpRequest, type HttpResponse } from "../../src/wire/message.ts";
import { hostOf } from "../../src/wire/requestHead.ts";
import { loopbackNetworks, requestOrigin, TrustedProxies } from "../../src/wire/trustedProxies.ts";

const proxies = new TrustedProxies(loopbackNetworks);

export function requestFrom(request: Request, client = "127.0.0.1"): HttpRequest {
  const { protocol, host, pathname, search } = new URL(request.url);
  const header = (name: string) => request.headers.get(name) ?? undefined;
  const scheme = protocol === "https:" ? "https" : "http";
  return {
    method: request.method,
    ...requestOrigin({ client, scheme, authority: host }, header, proxies),
    host: hostOf(host),
    path: pathname,
    query: search,
    header,
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
  return new Response((body ?? null) as ConstructorParameters<typeof Response>[0], {
    status,
    headers,
  });
}
