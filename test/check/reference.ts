/** The whole interface in memory as another team might serve it: what the checks are tried on. */
import { type Plain, Refusal } from "./reading.ts";
import {
  type Answered,
  type Asked,
  createReferenceService,
  type Fault,
  statuses,
  tagOf,
} from "./referenceService.ts";

const exposed =
  "Accept-Patch, Allow, Deprecation, ETag, Idempotency-Replayed, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Request-Id, X-Total-Count";

export function startReference(fault: Partial<Fault> = {}) {
  const has = (inside: string) => fault.inside === inside;
  let base = "";
  const service = createReferenceService(has, () => base);

  async function serve(asked: Asked): Promise<Plain> {
    if (asked.path !== "/openapi.json") return service(asked);
    return { status: 200, body: JSON.stringify(document(base)) };
  }

  function refused(thrown: unknown, asked: Asked): Plain {
    if (!(thrown instanceof Refusal)) throw thrown;
    const { code, message } = thrown;
    const status = statuses[code] ?? 500;
    const accept = asked.headers.get("accept") ?? "";
    const equally = /application\/json(?:,|$)/.test(accept);
    const asProblem = accept.includes("application/problem+json") && !equally;
    const type = { "content-type": "application/problem+json" };
    const problem = { type: `/errors/${code}`, title: code, status, detail: message, code };
    return {
      status,
      body: JSON.stringify(asProblem ? problem : { code, message, status }),
      headers: { ...thrown.headers, ...(asProblem ? type : {}) },
    };
  }

  async function answer(asked: Asked): Promise<Answered> {
    const origin = asked.headers.has("origin");
    if (asked.method === "OPTIONS" && origin)
      return { status: 204, headers: new Headers(preflight), body: "" };
    const plain = await serve(asked).catch((thrown: unknown) => refused(thrown, asked));
    const headers = new Headers({ "content-type": "application/json", ...plain.headers });
    const read = asked.method === "GET" || asked.method === "HEAD";
    if (plain.status >= 400 || asked.headers.has("x-request-id")) {
      headers.set("x-request-id", asked.headers.get("x-request-id") ?? "r-1");
    }
    if (origin) headers.set("access-control-allow-origin", "*");
    if (origin) headers.set("access-control-expose-headers", exposed);
    headers.set("ratelimit-policy", '"default";q=100000;w=60');
    headers.set("ratelimit", '"default";r=99999;t=60');
    const [, id] = /^\/pets\/([^?/]+)(?:\?|$)/.exec(asked.path) ?? [];
    if (id !== undefined && read && plain.status !== 401) announce(headers, base, id);
    const { status, body, follow } = plain;
    const answered = { status, headers, body, ...(follow && { follow }) };
    if (follow || !read || plain.status !== 200) return answered;
    const tag = tagOf(plain.body, has("etag of body") ? "" : plain.headers?.["link"]);
    headers.set("etag", tag);
    headers.set("cache-control", "private, no-cache");
    const held = (asked.headers.get("if-none-match") ?? "").split(/\s*,\s*/);
    if (!held.some((one) => one === "*" || one.replace(/^W\//, "") === tag)) return answered;
    headers.delete("content-type");
    return { status: 304, headers, body: "" };
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    development: false,
    async fetch(request) {
      const path = request.url.slice(base.length);
      const { method } = request;
      const asked: Asked = {
        method,
        path,
        headers: new Headers(request.headers),
        body: await request.bytes(),
        gone: request.signal,
      };
      fault.asked?.(asked);
      const answered = await answer(asked);
      fault.answered?.(answered, asked);
      const { status, headers, body, follow } = answered;
      if (follow) return new Response(streamOf(follow, asked.gone), { status, headers });
      if (method !== "HEAD") return new Response(body || null, { status, headers });
      if (!headers.has("content-length"))
        headers.set("content-length", String(Buffer.byteLength(body)));
      return new Response(null, { status, headers });
    },
  });
  base = `http://127.0.0.1:${server.port}/v1`;
  return {
    base,
    /** As over HTTP, without a connection. */
    async fetch(url: string, init: RequestInit) {
      return await server.fetch(new Request(url, init));
    },
    stop: () => server.stop(true),
  };
}

function streamOf(follow: NonNullable<Plain["follow"]>, gone: AbortSignal): ReadableStream {
  const bytes = new TextEncoder();
  let stop = () => {};
  return new ReadableStream({
    start(controller) {
      stop = follow((text) => controller.enqueue(bytes.encode(text)));
      gone.addEventListener("abort", () => {
        stop();
        controller.error(gone.reason);
      });
    },
    cancel: () => stop(),
  });
}

const preflight = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, HEAD, POST, PATCH, DELETE",
  "access-control-allow-headers":
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, X-Request-Id",
};

function announce(headers: Headers, base: string, id: string): void {
  headers.set("deprecation", "@1793491200");
  headers.set("sunset", "Thu, 05 Dec 2030 00:00:00 GMT");
  const links = [
    `</notice>; rel="deprecation sunset"`,
    `<${base}/pets?id=${id}>; rel=successor-version`,
  ];
  headers.set("link", links.join(", "));
}

const document = (base: string) => ({
  openapi: "3.1.0",
  info: { title: "Reference", version: "1.0.0" },
  servers: [{ url: base }, { url: "https://staging.example/v1" }],
  paths: {
    "/pets": { get: { operationId: "listPets" }, post: { operationId: "createPet" } },
    "/pets/{petId}": { get: { operationId: "getPet", deprecated: true, "x-sunset": "2030-12-05" } },
  },
});
