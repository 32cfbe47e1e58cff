/** Domains and the routing between them, one handler each. */

import { toJson } from "../../contract/json.ts";
import { isExpectedProblem, Problem } from "../../core/problems.ts";
import type { DomainsPage } from "../../hosting/domains/domainList.ts";
import type { DomainService } from "../../hosting/domains/domainService.ts";
import type { DomainDetails } from "../../hosting/domains/domainView.ts";
import { type EventStreams, serverSentEvent } from "../eventStreams.ts";
import { platformPrefix } from "../routes.ts";
import { jsonBody } from "./bodies.ts";
import { json, type PlatformHandlers } from "./handlers.ts";

export interface DomainHandlersParts {
  readonly domainService: DomainService;
  readonly streams: EventStreams;
}

export function domainHandlers({ domainService, streams }: DomainHandlersParts) {
  return {
    listDomains: async ({ path: { project }, query: { status: statuses, ...query } }, { caller }) =>
      page(await domainService.list(caller.actor, { project, statuses, ...query })),

    async listAllDomains({ query: { host, owner, status, ...query } }, { caller: { actor } }) {
      const filter = { ownerId: owner === "" ? undefined : owner, statuses: status, ...query };
      if (host === "") return page(await domainService.list(actor, filter));
      return page({ items: await domainService.claimsOn(actor, host), next: undefined });
    },

    getEdges: async () => json(200, await domainService.edgesBehind()),

    async addDomain({ path: { project }, body }, { caller }) {
      const { host, prepare, proxied, withWww } = body;
      const how = proxied ? "proxied" : prepare ? "prepared" : "directly";
      const view = await domainService.add(caller.actor, project, host, how, withWww);
      const location = `${encodeURIComponent(view.project)}/domains/${view.host}`;
      return {
        ...json(201, view),
        headers: { location: `${platformPrefix}/projects/${location}` },
      };
    },

    getDomain: async ({ path: { project, host } }, { caller }) =>
      json(200, await domainService.show(caller.actor, project, host)),

    removeDomain: async ({ path: { project, host }, query: { confirm } }, { caller }) =>
      json(200, await domainService.remove(caller.actor, project, host, confirm)),

    moveDomain: async ({ path: { project, host }, body }, { caller }) =>
      json(200, await domainService.move(caller.actor, project, host, body.project, body.confirm)),

    setDomainHsts: async ({ path: { project, host }, body: { hsts } }, { caller }) =>
      json(200, await domainService.setHsts(caller.actor, project, host, hsts)),

    // 202: a check was asked for, and its outcome comes with a later look.
    verifyDomain: async ({ path: { project, host } }, { caller }) =>
      json(202, await domainService.verify(caller.actor, project, host)),

    async followDomain({ path: { project, host } }, { caller: { actor }, request, stillKnown }) {
      const details = await domainService.show(actor, project, host);
      let view = eventData(details);
      // Unknown at first: a change since the view was read must not be missed.
      let version: string | undefined;
      const refresh = async () => {
        const current = await domainService.versionOf(actor, details);
        if (current === version) return "";
        const before = view;
        view = eventData(await domainService.show(actor, project, host));
        version = current;
        return view === before ? "" : serverSentEvent("domain", view);
      };
      return streams.open({
        holder: actor.kind === "owner" ? `owner ${actor.id}` : actor.kind,
        first: serverSentEvent("domain", view),
        poll: async () => ((await stillKnown()) ? refresh().catch(endOfRefused) : undefined),
        signal: request.signal,
      });
    },

    getRouting: async ({ path: { project } }, { caller }) =>
      json(200, document(await domainService.versionedRouting(caller.actor, project))),

    async replaceRouting({ path: { project } }, { caller: { actor }, request }) {
      const body = await jsonBody(request);
      const { version, ...routing } = Object(body) as { version?: unknown };
      await domainService.changeRouting(actor, project, (_, current) => {
        if ((version ?? current) !== current) throw new Problem("changed_meanwhile");
        return version === undefined ? body : routing;
      });
      return json(200, document(await domainService.versionedRouting(actor, project)));
    },
  } satisfies Partial<PlatformHandlers>;
}

const page = ({ items, next: nextCursor }: DomainsPage) => json(200, { items, nextCursor });

const eventData = (details: DomainDetails) => JSON.stringify(toJson(details));

/** All members, always. */
const document = ({ routing, version }: Awaited<ReturnType<DomainService["versionedRouting"]>>) => {
  const { primary, redirects } = routing;
  return { primary, redirects, version };
};

/** What is no longer shown to this actor is the end of the stream, and no fault. */
function endOfRefused(cause: unknown): undefined {
  if (!isExpectedProblem(cause)) throw cause;
  return undefined;
}
