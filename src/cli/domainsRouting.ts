/** Which attached name shows the site, and which lead to another one. */
import type { DomainView } from "../hosting/domains/domainView.ts";
import type { Redirect, Routing } from "../hosting/domains/routing.ts";
import { type Call, type Command, note, type Report } from "./command.ts";
import type { CliContext } from "./context.ts";
import { everyDomain, findDomain, ofProject, operator, withDomains } from "./domainsAccess.ts";
import { roleText } from "./domainsText.ts";
import { CommandFailure, UsageError } from "./errors.ts";
import { openInput } from "./files.ts";
import { onService } from "./hosting.ts";
import { readChoice } from "./readText.ts";

const documentBytesMax = 64 * 1024;
/** Not the list of the rules themselves, which load the public suffixes. */
const statuses = ["301", "302", "307", "308"] satisfies `${Redirect["status"]}`[];

export const routeDomains: Command = {
  name: "domains routing",
  summary: "Print or replace a project's primary domain and redirects",
  operands: { "<slug>": "The project, by its slug" },
  options: {
    "apply <file|->": "Replace the routing with this document",
    ...onService,
  },
  about:
    'What --apply brings replaces the whole document: a redirect that is not in it ends.\nThe document: { "primary": "docs.example.com", "redirects": [{ "from": "www.example.com",\n"to": "docs.example.com", "status": 301 }] }. A status is 301, 302, 307 or 308.',
  examples: [
    "petstore domains routing acme-docs > routing.json",
    "petstore domains routing acme-docs --apply routing.json",
  ],
  async run(call, context) {
    const file = call.values.get("apply");
    const document = file === undefined ? undefined : await readDocument(file, context);
    const { routing, views } = await withDomains(call, context, async ({ domains }) => ({
      routing: await (file === undefined
        ? domains.routing(operator, call.operand)
        : domains.applyRouting(operator, call.operand, document)),
      views: await Array.fromAsync(everyDomain(domains, { project: call.operand })),
    }));
    if (file !== undefined) note(call, context, "Saved. It is in force on every edge from now on.");
    for (const view of views.filter(isRoleHeld)) {
      note(call, context, `${view.host}: ${roleText(view)}.`);
    }
    return documentReport(routing);
  },
};

export const makePrimary: Command = {
  name: "domains primary",
  summary: "Set or clear the primary domain of a project",
  operands: { "[<host>]": "The attached name" },
  options: {
    ...ofProject,
    none: "Clear the primary domain of --project",
  },
  examples: [
    "petstore domains primary docs.example.com",
    "petstore domains primary --none --project acme-docs",
  ],
  async run(call, context) {
    const slug = call.values.get("project");
    const none = call.switches.has("none");
    if (none === (call.operand !== "") || (none && slug === undefined)) {
      throw new UsageError(
        "Name a host, or give --none with --project <slug>. See petstore domains primary --help.",
      );
    }
    if (none && slug !== undefined) return withoutPrimary(slug, call, context);
    const { routing, host, held } = await reroute(call, context, (before, host) => ({
      ...before,
      primary: host,
    }));
    const when = held ? ", held until it is live" : " now";
    return documentReport(routing, `${host} is the primary domain${when}.`);
  },
};

async function withoutPrimary(slug: string, call: Call, context: CliContext): Promise<Report> {
  const routing = await withDomains(call, context, ({ domains }) =>
    domains.changeRouting(operator, slug, (before) => {
      if (before.primary !== undefined) return { ...before, primary: undefined };
      throw new CommandFailure(`${slug} has no primary domain as it is. Nothing was changed.`);
    }),
  );
  return documentReport(routing, `${slug} has no primary domain now.`);
}

export const redirectDomain: Command = {
  name: "domains redirect",
  summary: "Add or remove a redirect",
  operands: {
    "<from>": "The attached name that redirects",
    "[<to>]": "The attached host name to redirect to",
  },
  options: {
    ...ofProject,
    none: "End the redirect: the first name shows the site again",
    "status <code>": `${statuses.join(", ")} (default 301)`,
  },
  about: "Takes the place of a redirect that the first name has already. Path and query are kept.",
  examples: [
    "petstore domains redirect www.example.com docs.example.com --status 308",
    "petstore domains redirect www.example.com --none",
  ],
  async run(call, context) {
    const none = call.switches.has("none");
    if (none === (call.second !== "")) {
      throw new UsageError("Give either the host name to redirect to or --none.");
    }
    if (none) return withoutRedirect(call, context);
    const typed = readChoice("--status", call.values.get("status") ?? "301", statuses);
    const status = Number(typed) as Redirect["status"];
    const rerouted = await reroute(call, context, ({ primary, redirects }, from) => ({
      primary,
      redirects: [...othersThan(from, redirects), { from, to: call.second, status }],
    }));
    const { routing, host, held } = rerouted;
    const to = routing.redirects.find(({ from }) => from === host)?.to ?? call.second;
    const when = held ? `, held until ${to} is live: until then it shows the site` : " now";
    return documentReport(routing, `${host} redirects to ${to} (${status})${when}.`);
  },
};

async function withoutRedirect(call: Call, context: CliContext): Promise<Report> {
  if (call.values.has("status")) {
    throw new UsageError("--status is for a redirect. Leave it out with --none.");
  }
  const { routing, host, project } = await reroute(
    call,
    context,
    ({ primary, redirects }, from) => {
      const left = othersThan(from, redirects);
      if (left.length < redirects.length) return { primary, redirects: left };
      throw new CommandFailure(`${from} does not redirect as it is. Nothing was changed.`);
    },
  );
  return documentReport(
    routing,
    `${host} no longer redirects: it shows the site of ${project} now.`,
  );
}

const othersThan = (from: string, redirects: readonly Redirect[]) =>
  redirects.filter((redirect) => redirect.from !== from);

/** Changes one thing of the whole document, about the host that was named. */
function reroute(
  call: Call,
  context: CliContext,
  change: (before: Routing, host: string) => Routing,
) {
  return withDomains(call, context, async (open) => {
    const { host, project } = await findDomain(open, call.operand, call.values.get("project"));
    const routing = await open.domains.changeRouting(operator, project, (before) =>
      change(before, host),
    );
    const held = isRoleHeld(await open.domains.show(operator, project, host));
    return { routing, host, project, held };
  });
}

const isRoleHeld = ({ role }: DomainView) => role.kind !== "site" && role.held;

/** The document itself is the text where nothing else is to be said. */
function documentReport({ primary, redirects }: Routing, said?: string): Report {
  const document = { primary: primary ?? null, redirects };
  return { json: document, text: `${said ?? JSON.stringify(document, null, 2)}\n` };
}

async function readDocument(file: string, { stdin }: CliContext): Promise<unknown> {
  const shown = file === "-" ? "stdin" : file;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of file === "-" ? stdin : (await openInput(file)).chunks) {
    bytes += chunk.byteLength;
    if (bytes > documentBytesMax) {
      throw new CommandFailure(`${shown} has more than ${documentBytesMax} bytes.`);
    }
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new CommandFailure(
      `${shown} is not JSON. Nothing was changed. petstore domains routing <slug> prints what it looks like.`,
    );
  }
}
