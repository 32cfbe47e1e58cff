/** The dashboard of a rehearsal: the usual one with one screen more, and the API of that screen. */
import { fileURLToPath } from "node:url";
import { publishDashboard } from "../../src/dashboard/published.ts";
import { type AdminParts, dashboardPath } from "../../src/http/publicRoutes.ts";
import { isUnder, platformPrefix } from "../../src/http/routes.ts";
import type { HttpRequest, HttpResponse } from "../../src/wire/message.ts";
import type { RehearsalView } from "./view.ts";
import { type VisitOptions, visitSite } from "./visit.ts";
import { type Zone, ZoneError } from "./zones.ts";

export interface RehearsalParts extends VisitOptions {
  readonly zone: Zone;
  readonly view: Omit<RehearsalView, "records">;
}

export const rehearsalPath = `${platformPrefix}/rehearsal`;
const bodyBytesMax = 10_000;
const entry = fileURLToPath(new URL("browser/main.tsx", import.meta.url));

export function rehearsalAdmin(own: AdminParts, parts: RehearsalParts): AdminParts {
  return {
    async dashboard() {
      const { outputs } = await Bun.build({
        entrypoints: [entry],
        target: "browser",
        minify: true,
        throw: true,
      });
      const script = new Uint8Array((await outputs[0]?.arrayBuffer()) ?? []);
      const sheets = ["scripts/rehearsal/browser/rehearsal.css"];
      return publishDashboard(dashboardPath, { script, sheets });
    },
    async platform(request) {
      if (!isUnder(rehearsalPath, request.path)) return own.platform(request);
      // Who may list projects here may also edit the zone: the platform itself decides it.
      const permitted = await own.platform(readOf(request, `${platformPrefix}/projects`));
      return permitted.status === 200 ? respond(request, parts) : permitted;
    },
  };
}

/** The same caller, with another question. */
function readOf(request: HttpRequest, path: string): HttpRequest {
  const { scheme, authority, host, client, signal } = request;
  return {
    ...{ method: "GET", path, query: "", scheme, authority, host, client, signal },
    text: undefined,
    header: (name) => request.header(name),
    body: () => new Uint8Array(),
  };
}

async function respond(request: HttpRequest, parts: RehearsalParts): Promise<HttpResponse> {
  const step = request.path.slice(rehearsalPath.length);
  try {
    if (request.method === "GET" && step === "") {
      return json(200, { ...parts.view, records: parts.zone.records });
    }
    if (request.method === "POST" && step === "/records") {
      const { name, type, value } = await fieldsOf(request, ["name", "type", "value"]);
      return json(201, parts.zone.add({ name, type, value }));
    }
    if (request.method === "DELETE" && step.startsWith("/records/")) {
      parts.zone.delete(Number(step.slice("/records/".length)));
      return { status: 204, headers: {} };
    }
    if (request.method === "POST" && step === "/visit") {
      return json(200, await visitSite((await fieldsOf(request, ["host"])).host, parts));
    }
  } catch (cause) {
    if (!(cause instanceof ZoneError)) throw cause;
    return json(400, { code: "record_invalid", message: cause.message });
  }
  return json(404, { code: "path_not_found", message: "Nothing is here." });
}

async function fieldsOf<Name extends string>(
  request: HttpRequest,
  names: readonly Name[],
): Promise<Record<Name, string>> {
  const text = new TextDecoder().decode(await request.body(bodyBytesMax));
  const given: unknown = text.startsWith("{") ? parsed(text) : undefined;
  const fields = Object.fromEntries(
    names.map((name) => [name, (given as Record<string, unknown> | undefined)?.[name]]),
  );
  if (Object.values(fields).every((value) => typeof value === "string")) {
    return fields as Record<Name, string>;
  }
  throw new ZoneError(`Send a JSON object with the texts ${names.join(", ")}.`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function json(status: number, body: unknown): HttpResponse {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  return { status, headers, body: JSON.stringify(body) };
}
