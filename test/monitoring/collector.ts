/** A collector of traces that keeps what it is sent. */

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, string> }[];
  readonly status: { readonly code?: number };
}

export function collector(answer: () => Response = () => Response.json({})) {
  const bodies: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (new URL(request.url).pathname !== "/v1/traces") return new Response("", { status: 404 });
      bodies.push(await request.text());
      return answer();
    },
  });
  const spans = (): SentSpan[] =>
    bodies.flatMap((body) =>
      JSON.parse(body).resourceSpans.flatMap((each: { scopeSpans: { spans: SentSpan[] }[] }) =>
        each.scopeSpans.flatMap((scope) => scope.spans),
      ),
    );
  return {
    url: `http://127.0.0.1:${server.port}`,
    bodies,
    spans,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
