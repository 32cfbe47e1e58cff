/** Adds, lists, shows and removes domains. */

import { toJson } from "../contract/json.ts";
import { pause } from "../core/clock.ts";
import { hstsPolicies, statuses } from "../hosting/domains/domain.ts";
import type { DomainDetails } from "../hosting/domains/domainView.ts";
import type { Command } from "./command.ts";
import type { CliContext } from "./context.ts";
import {
  everyDomain,
  findDomain,
  isOpen,
  type OpenDomains,
  ofProject,
  operator,
  viewJson,
  whichHost,
  withDomains,
} from "./domainsAccess.ts";
import { makePrimary, redirectDomain, routeDomains } from "./domainsRouting.ts";
import {
  dueText,
  findingsText,
  hostText,
  hstsWords,
  propagationText,
  recordsText,
  roleText,
  timelineText,
  viewText,
} from "./domainsText.ts";
import { verifyDomain } from "./domainsVerify.ts";
import { dateText } from "./durations.ts";
import { CommandFailure } from "./errors.ts";
import { type HostedDomains, onService } from "./hosting.ts";
import { readChoice } from "./readText.ts";
import { orStopped } from "./stopping.ts";
import { counted, listReport } from "./table.ts";

const timelineShown = 10;

const addDomain: Command = {
  name: "domains add",
  summary: "Attach a host name to a project",
  operands: {
    "<slug>": "The project, by its slug",
    "<host>": "The name, such as docs.example.com",
  },
  options: {
    prepare: "Get the certificate before the name points here, for a move without a gap",
    proxied: "Attach a name behind a proxy such as Cloudflare's, whose addresses it keeps",
    "with-www": "Also www.example.com for example.com, or the other way round, as a redirect",
    ...onService,
  },
  about:
    "Shows the DNS record to create. Nothing is served before it is there. A name that another owner\nhas or claims goes to whose record is in DNS.",
  examples: [
    "petstore domains add acme-docs docs.example.com",
    "petstore domains add acme-docs docs.example.com --prepare",
    "petstore domains add acme-docs example.com --with-www",
  ],
  async run(call, context) {
    const { operand: slug, second, switches } = call;
    const prepared = switches.has("prepare") ? "prepared" : "directly";
    const how = switches.has("proxied") ? "proxied" : prepared;
    const withWww = switches.has("with-www");
    const { view, twin, claims } = await withDomains(
      call,
      context,
      async ({ domains }) => {
        const added = await domains.add(operator, slug, second, how, withWww);
        const beside = withWww ? await twinOf(added, domains) : undefined;
        return {
          view: await withRecords(added, domains, context),
          claims: await domains.claimsOn(operator, added.host),
          twin: beside && (await withRecords(beside, domains, context)),
        };
      },
      { slug, host: second },
    );
    const { host, project } = view;
    const records = [...view.records, ...(twin?.records ?? [])];
    const them = records.length === 1 ? "this record" : "these records";
    const which = claims.filter(isOpen).length === 1 ? "" : ` --project ${project}`;
    const both = twin === undefined ? host : `${host} and ${twin.host}`;
    const redirect = twin === undefined ? "" : `${twin.host}: ${roleText(twin)}.\n`;
    const json = { ...viewJson(view), ...(twin === undefined ? {} : { withWww: viewJson(twin) }) };
    if (records.length === 0) {
      return {
        json,
        text: `Attached ${both} to ${project}. ${redirect}The certificate authority has not said yet which record to create.\nSee it with: petstore domains show ${host}\n`,
      };
    }
    return {
      json,
      text: `Attached ${both} to ${project}. ${redirect}Create ${them} at the DNS provider:\n\n${recordsText(records)}\n${propagationText}\nThen: petstore domains verify ${host}${which} --wait\n`,
    };
  },
};

const recordsWaitMs = 15_000;

/** A record whose value the authority decides is known once a worker has asked for it. */
async function withRecords(
  added: DomainDetails,
  domains: HostedDomains,
  { clock, stopSignal }: CliContext,
): Promise<DomainDetails> {
  let view = added;
  const untilMs = clock.now() + recordsWaitMs;
  while (view.records.length === 0 && clock.now() < untilMs) {
    await orStopped(pause(clock, effectPollMs), stopSignal());
    view = await domains.show(operator, added.project, added.host);
  }
  return view;
}

async function twinOf({ host, project }: DomainDetails, domains: HostedDomains) {
  const { wwwTwin } = await import("../hosting/domains/hostName.ts");
  return domains.show(operator, project, wwwTwin(host) ?? host);
}

const listDomains: Command = {
  name: "domains list",
  summary: "List attached host names and their status",
  operands: { "[<slug>]": "Only those of this project" },
  options: {
    "status <status>": "Only these, such as live or pending_dns,misconfigured",
    "search <text>": "Only names with this in them",
    ...onService,
  },
  examples: [
    "petstore domains list",
    "petstore domains list acme-docs --status misconfigured,blocked",
    "petstore domains list --search example.com",
  ],
  async run(call, context) {
    const { operand: slug, values } = call;
    const query = {
      project: slug === "" ? undefined : slug,
      search: values.get("search"),
      statuses: (values.get("status")?.split(",") ?? []).map((each) =>
        readChoice("--status", each, statuses),
      ),
    };
    const views = await withDomains(call, context, ({ domains }) =>
      Array.fromAsync(everyDomain(domains, query)),
    );
    const nowMs = context.clock.now();
    const none = slug === "" ? "No name is" : `${slug} has no name`;
    const filtered = query.search !== undefined || query.statuses.length > 0;
    return listReport(views, {
      json: toJson,
      columns: {
        Host: hostText,
        Project: ({ project }) => project || "(this service)",
        Status: ({ status }) => status,
        Role: roleText,
        "Certificate until": ({ certificate }) =>
          certificate === undefined ? "" : dateText(certificate.notAfterMs),
        "Next check": (view) => (isOpen(view) ? dueText(view, nowMs) : ""),
      },
      empty: filtered
        ? "No such name is attached. Leave out --status and --search to see all."
        : `${none} attached yet. Attach one with petstore domains add ${slug || "<slug>"} <host>.`,
    });
  },
};

const showDomain: Command = {
  name: "domains show",
  summary: "Show one host name: its status, findings and next steps",
  operands: whichHost,
  options: {
    ...ofProject,
    timeline: "The whole timeline, with the answers of the name servers",
  },
  examples: ["petstore domains show docs.example.com"],
  async run(call, context) {
    const { operand, values, switches } = call;
    const { view, others } = await withDomains(call, context, async (open) => {
      const { project, host, others } = await findDomain(open, operand, values.get("project"), {
        ended: "any",
      });
      return { view: await open.domains.show(operator, project, host), others };
    });
    const nowMs = context.clock.now();
    const whole = switches.has("timeline");
    const entries = whole ? view.timeline : view.timeline.slice(0, timelineShown);
    // For a name of the service itself, the finding says which record is missing.
    const waiting = view.step === "dns" && view.records.length > 0;
    const parts = [
      viewText(view, others, nowMs),
      ...(waiting ? [`To create at the DNS provider:\n${recordsText(view.records)}`] : []),
      findingsText(view, nowMs),
      `Timeline, newest first:\n${timelineText(entries, view.findings, whole)}`,
    ];
    const alsoClaimedBy = others.map(({ project }) => project);
    const json = { ...(whole ? toJson(view) : viewJson(view)), alsoClaimedBy };
    return { json, text: parts.join("\n") };
  },
};

const removeDomain: Command = {
  name: "domains remove",
  summary: "Remove a host name from its project",
  operands: whichHost,
  options: {
    ...ofProject,
    yes: "Confirm, where it is the primary domain or a redirect target",
  },
  about:
    "Takes effect at once on every edge. If addresses with this name were shared, let it redirect to\nanother name instead (petstore domains redirect) and keep it attached: once removed, it serves\nnothing, not even a redirect.",
  examples: ["petstore domains remove old.example.com"],
  async run(call, context) {
    return withDomains(call, context, async (open) => {
      const found = await findDomain(open, call.operand, call.values.get("project"), {
        ended: "abandoned",
      });
      const { project, host, claim } = found;
      if (project === "") throw ownNameFailure(host);
      const { proven, records } = claim;
      const removal = await open.domains.remove(operator, project, host, call.switches.has("yes"));
      const reached = proven ? await effect(open, context) : removal;
      const names = records.map(
        ({ type, fullName, value }) => `the ${type} record of ${fullName} with the value ${value}`,
      );
      const next =
        names.length === 0 ? "" : `Now delete ${names.join(" and ")} at the DNS provider.\n`;
      const outcome = proven
        ? effectText(reached)
        : "It was never proven, so nothing was served from it.";
      return {
        json: { ...toJson({ ...removal, ...reached }), project, records },
        text: `Removed ${host} from ${project}. ${outcome}\n${next}`,
      };
    });
  },
};

const moveDomain: Command = {
  name: "domains move",
  summary: "Move a host name to another project of its owner",
  operands: { ...whichHost, "<slug>": "The project to move it to" },
  options: {
    ...ofProject,
    yes: "Confirm, where it is the primary domain or a redirect target",
  },
  about:
    "It is served all the while, first by one project and then by the other: its certificate stays.\nThe primary domain and redirects of its project no longer name it.",
  examples: ["petstore domains move docs.example.com acme-handbook"],
  async run(call, context) {
    const { operand, second: to, values, switches } = call;
    const { view, from } = await withDomains(
      call,
      context,
      async (open) => {
        const { project, host } = await findDomain(open, operand, values.get("project"));
        if (project === "") throw ownNameFailure(host);
        const moved = await open.domains.move(operator, project, host, to, switches.has("yes"));
        return { view: moved, from: project };
      },
      { slug: to, host: operand },
    );
    return {
      json: viewJson(view),
      text: `Moved ${view.host} from ${from} to ${view.project}, which it shows now.\n`,
    };
  },
};

const setHsts: Command = {
  name: "domains hsts",
  summary: "Choose for how long browsers insist on HTTPS for a host name",
  operands: { ...whichHost, "<policy>": hstsPolicies.join(", ") },
  options: ofProject,
  about:
    "What the header Strict-Transport-Security says. day, the default, and year are for this name alone;\nsubdomains is a year for every name below it too, whoever serves that: visitors of one that has no\nHTTPS are locked out until the time is over. off tells browsers to forget it at their next visit.",
  examples: ["petstore domains hsts docs.example.com year"],
  async run(call, context) {
    const policy = readChoice("<policy>", call.second, hstsPolicies);
    const view = await withDomains(call, context, async (open) => {
      const found = await findDomain(open, call.operand, call.values.get("project"));
      if (found.project === "") throw ownNameFailure(found.host);
      return open.domains.setHsts(operator, found.project, found.host, policy);
    });
    return { json: viewJson(view), text: `${view.host}: ${hstsWords[policy]}.\n` };
  },
};

const ownNameFailure = (host: string) =>
  new CommandFailure(
    `${host} is a name of the service itself. It goes when PETSTORE_DOMAIN or PETSTORE_SITES_HOST changes.`,
  );

const effectWaitMs = 3_000;
const effectPollMs = 200;

type Effect = Awaited<ReturnType<OpenDomains["domains"]["edgesBehind"]>>;

/** Which edges have acted on the change, after a moment in which all of them should have. */
async function effect(
  { domains }: OpenDomains,
  { clock }: Pick<CliContext, "clock">,
): Promise<Effect> {
  const untilMs = clock.now() + effectWaitMs;
  for (;;) {
    const effect = await domains.edgesBehind();
    if (effect.edgesBehind.length === 0 || clock.now() >= untilMs) return effect;
    await pause(clock, effectPollMs);
  }
}

function effectText({ edges, edgesBehind }: Effect): string {
  if (edges === 0) return "No edge is running, so nothing serves it.";
  const done = edges - edgesBehind.length;
  return edgesBehind.length === 0
    ? `It is no longer served: ${counted(edges, "edge")} of ${edges} ${edges === 1 ? "has" : "have"} said so.`
    : `${counted(done, "edge")} of ${edges} no longer ${done === 1 ? "serves" : "serve"} it; not heard of yet: ${edgesBehind.join(", ")}.`;
}

/** In the order of the help. */
export const domainsCommands: readonly Command[] = [
  addDomain,
  listDomains,
  showDomain,
  verifyDomain,
  routeDomains,
  makePrimary,
  redirectDomain,
  setHsts,
  moveDomain,
  removeDomain,
];
