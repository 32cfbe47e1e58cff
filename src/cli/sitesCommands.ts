/** Projects, and which deployment of each is shown. */
import { toJson } from "../contract/json.ts";
import type { Status } from "../hosting/domains/domain.ts";
import { type Project, projectsPerOwnerMax, slugError } from "../hosting/sites/site.ts";
import type { Shown } from "../hosting/sites/sites.ts";
import type { Call, Command, Report } from "./command.ts";
import type { CliContext } from "./context.ts";
import { fromNow, whenText } from "./durations.ts";
import { CommandFailure, UsageError } from "./errors.ts";
import {
  type AttachedHost,
  type HostedDeployment,
  type HostedSites,
  type Hosting,
  onService,
  withHosting,
} from "./hosting.ts";
import { noSuchOwner } from "./ownersCommands.ts";
import { readText, readWhole } from "./readText.ts";
import { bytesText, counted, digits, listReport, someOf, table } from "./table.ts";

const deploymentsShown = 20;
/** Far more than a project keeps. */
export const deploymentsShownMax = 1_000;

export const whichProject = { "<slug>": "The project, by its slug" };

export const createSite: Command = {
  name: "sites create",
  summary: "Create a project for a documentation site",
  operands: { "<slug>": "Its name in addresses: lower-case letters, digits, hyphens" },
  options: { "owner <id>": "The owner; see petstore owners list. With --to, you", ...onService },
  about: "A slug cannot be changed.",
  examples: ["petstore sites create acme-docs --owner acme"],
  async run(call, context) {
    const { operand: slug } = call;
    readText("<slug>", slug, slugError(slug));
    return withHosting(call, context, async (hosting) => {
      const ownerId = call.values.get("owner") ?? "";
      if (ownerId === "" && hosting.service === undefined) {
        throw new UsageError("--owner is missing: --owner <id>. See petstore owners list.");
      }
      const nowMs = context.clock.now();
      const outcome = await hosting.sites.addProject({ slug, ownerId, nowMs });
      if (outcome === "no_such_owner") throw noSuchOwner(ownerId);
      if (outcome === "slug_taken") {
        throw new CommandFailure(
          `The slug ${slug} is taken. Nothing was changed. Choose another, or see petstore sites show ${slug}.`,
        );
      }
      if (outcome === "too_many_projects") {
        throw new CommandFailure(
          `${ownerId || "The owner"} has ${projectsPerOwnerMax} projects, which is as many as an owner can have. Deploy to one of these instead; see petstore sites list.`,
        );
      }
      const project = requireProject(await hosting.sites.project(slug), slug);
      return {
        json: await projectJson(project, hosting),
        text: `Made the project ${slug}. Next: petstore sites deploy ${slug} <folder>\n`,
      };
    });
  },
};

export const listSites: Command = {
  name: "sites list",
  summary: "List the projects and what each shows",
  options: onService,
  examples: ["petstore sites list"],
  async run(call, context) {
    const projects = await withHosting(call, context, async (hosting) => {
      const listed = await hosting.sites.listProjects();
      return Promise.all(listed.map((project) => projectJson(project, hosting)));
    });
    return listReport(projects, {
      columns: {
        Slug: ({ slug }) => slug,
        Owner: ({ owner }) => owner,
        Shows: ({ current }) => current ?? "nothing",
        Address: ({ address }) => address ?? "",
      },
      empty: "There are no projects yet. Make one with petstore sites create <slug> --owner <id>.",
    });
  },
};

export const showSite: Command = {
  name: "sites show",
  summary: "Show one project and its next steps",
  operands: whichProject,
  options: onService,
  examples: ["petstore sites show acme-docs"],
  async run(call, context) {
    const { operand: slug } = call;
    return withHosting(call, context, async (hosting) => {
      const { sites } = hosting;
      const project = requireProject(await sites.project(slug), slug);
      const owner = await sites.ownerOf(slug);
      const deployments = await sites.listDeployments(slug, deploymentsShownMax);
      const current = deployments.find(({ id }) => id === project.current);
      const attached = await hosting.attached(slug);
      return {
        json: {
          ...(await projectJson(project, hosting)),
          owner,
          current: toJson(current),
          domains: attached,
        },
        text: table([
          ["Project", slug],
          ["Owner", `${project.ownerId} (${owner?.plan})`],
          ["Made", whenText(project.createdAtMs, context.clock.now())],
          ...(current
            ? facts(current, await hosting.addressOf(slug), context)
            : nothingShown(slug, lastReadyOf(deployments))),
          ...attachedRows(attached.map(({ host, status }) => `${host} (${status})`)),
        ]),
      };
    });
  },
};

export const listDeployments: Command = {
  name: "sites deployments",
  summary: "List the deployments of a project, newest first",
  operands: whichProject,
  options: {
    "limit <number>": `How many at most, 1 to ${deploymentsShownMax} (default ${deploymentsShown})`,
    ...onService,
  },
  examples: ["petstore sites deployments acme-docs"],
  async run(call, context) {
    const { operand: slug, values } = call;
    const limit = readWhole(
      "limit",
      values.get("limit") ?? String(deploymentsShown),
      1,
      deploymentsShownMax,
    );
    const { project, deployments } = await withHosting(call, context, async ({ sites }) => ({
      project: requireProject(await sites.project(slug), slug),
      deployments: await sites.listDeployments(slug, limit),
    }));
    return listReport(deployments, {
      json: (deployment) => ({
        ...toJson(deployment),
        shown: deployment.id === project.current,
      }),
      columns: {
        Deployment: ({ id }) => id,
        State: ({ state }) => state,
        Begun: ({ createdAtMs }) => fromNow(createdAtMs, context.clock.now()),
        Files: ({ files }) => digits(files),
        Size: ({ bytes }) => bytesText(bytes),
        "": ({ id, failure = "" }) => (id === project.current ? "shown" : failure),
      },
      empty: `${slug} has no deployment yet. Next: petstore sites deploy ${slug} <folder>`,
    });
  },
};

const whichDeployment = { "<deployment>": "Its id; see petstore sites deployments" };

export const publishSite: Command = {
  name: "sites publish",
  summary: "Publish a deployment that was only uploaded",
  operands: { ...whichProject, ...whichDeployment },
  options: onService,
  about:
    "Takes effect at once. Refused where a deployment that was begun later has been published:\nsites rollback shows an older one.",
  examples: ["petstore sites publish acme-docs dep_0123456789abcdef0123"],
  run: (call, context) => showDeployment(call, context, "publishDeployment"),
};

export const rollBackSite: Command = {
  name: "sites rollback",
  summary: "Show an earlier deployment again",
  operands: { ...whichProject, ...whichDeployment },
  options: onService,
  about: "Takes effect at once. It also publishes an unpublished project again.",
  examples: ["petstore sites rollback acme-docs dep_0123456789abcdef0123"],
  run: (call, context) => showDeployment(call, context, "rollBack"),
};

async function showDeployment(
  call: Call,
  context: CliContext,
  how: "publishDeployment" | "rollBack",
): Promise<Report> {
  const { operand: slug, second: id } = call;
  const { outcome, address } = await withHosting(call, context, async (hosting) => {
    requireProject(await hosting.sites.project(slug), slug);
    return {
      outcome: requireShowable(await hosting.sites[how](slug, id), slug, id),
      address: await hosting.addressOf(slug),
    };
  });
  if (outcome === "overtaken") {
    throw new CommandFailure(`${overtakenText(slug, id)} Nothing changed.`, { code: outcome });
  }
  return {
    json: { project: slug, deployment: id, address },
    text: `${address} shows ${id} now.\n`,
  };
}

export function overtakenText(slug: string, id: string): string {
  return `A deployment that was begun later than ${id} has been published, and stays. To show this one instead: petstore sites rollback ${slug} ${id}`;
}

export function requireShowable(
  outcome: Awaited<ReturnType<HostedSites["publishDeployment"]>>,
  slug: string,
  id: string,
): Shown {
  const next = `See petstore sites deployments ${slug}.`;
  if (outcome === "no_such_deployment") {
    throw new CommandFailure(
      `${slug} has no deployment ${JSON.stringify(id)}. Nothing changed. ${next}`,
    );
  }
  if (outcome === "not_ready") {
    throw new CommandFailure(`${id} is not ready, so it cannot be shown. Nothing changed. ${next}`);
  }
  return outcome;
}

export const unpublishSite: Command = {
  name: "sites unpublish",
  summary: "Unpublish a project",
  operands: whichProject,
  options: { yes: "Confirm, where live domains go offline", ...onService },
  about: "Takes effect at once. Its deployments stay, and sites rollback shows one of them again.",
  examples: ["petstore sites unpublish acme-docs"],
  async run(call, context) {
    const { operand: slug } = call;
    return withHosting(call, context, async (hosting) => {
      const { current } = requireProject(await hosting.sites.project(slug), slug);
      const hosts = servedHosts(await hosting.attached(slug));
      const back = `petstore sites rollback ${slug} ${current}`;
      refuseCut(call, { by: "This", hosts, back });
      if ((await hosting.sites.unpublish(slug)) !== "unpublished") {
        throw new CommandFailure(`${slug} shows nothing as it is. Nothing changed.`);
      }
      return {
        json: { project: slug, current: null, cutOff: hosts },
        text: `${await hosting.addressOf(slug)} is unpublished. Its deployments are kept: ${back}\n${cutText({ hosts, back })}`,
      };
    });
  },
};

export function requireProject(project: Project | undefined, slug: string): Project {
  if (project === undefined) throw noSuchProject(slug);
  return project;
}

export function noSuchProject(slug: string): CommandFailure {
  const meant = slugError(slug) === undefined ? slug : "<slug>";
  return new CommandFailure(
    `There is no project ${JSON.stringify(slug)}. See petstore sites list, or make one with petstore sites create ${meant} --owner <id>.`,
  );
}

async function projectJson({ slug, ownerId, createdAtMs, current }: Project, hosting: Hosting) {
  const address = current && (await hosting.addressOf(slug));
  return toJson({ slug, owner: ownerId, createdAtMs, current, address });
}

function facts(deployment: HostedDeployment, address: string, context: CliContext): string[][] {
  const { id, createdAtMs, files, bytes, preview } = deployment;
  return [
    ["Shows", id],
    ["Deployed", whenText(createdAtMs, context.clock.now())],
    ["Holds", `${counted(files, "file")}, ${bytesText(bytes)}`],
    ["Address", address],
    ...(preview === undefined ? [] : [["Preview", preview]]),
  ];
}

function nothingShown(slug: string, ready: string | undefined): string[][] {
  const next = ready === undefined ? `deploy ${slug} <folder>` : `rollback ${slug} ${ready}`;
  return [["Shows", `nothing; next: petstore sites ${next}`]];
}

function attachedRows([first = "none", ...others]: readonly string[]): string[][] {
  return [["Domains", first], ...others.map((other) => ["", other])];
}

const served: ReadonlySet<Status> = new Set<Status>(["live", "degraded", "renewal_failing"]);

/** Those of the attached names that are answered for now. */
export function servedHosts(attached: readonly AttachedHost[]): string[] {
  return attached.flatMap(({ host, status }) => (served.has(status) ? [host] : []));
}

export interface Cut {
  /** What does it: `This`, `The plan free`. */
  readonly by: string;
  readonly hosts: readonly string[];
  /** The command that undoes it. */
  readonly back: string;
}

/** Refuses what would leave visitors without an answer, unless that is wanted. */
export function refuseCut({ switches }: Call, { by, hosts, back }: Cut): void {
  if (hosts.length === 0 || switches.has("yes")) return;
  throw new CommandFailure(
    `${by} would cut off ${counted(hosts.length, "live domain")}: ${someOf(hosts, hostsNamed)}. Visitors would get no answer there, until ${back} brings ${them(hosts)} back. Nothing was changed. To confirm, add --yes.`,
    { code: "confirmation_needed" },
  );
}

/** Empty where nothing was cut off. */
export function cutText({ hosts, back }: Pick<Cut, "hosts" | "back">): string {
  if (hosts.length === 0) return "";
  const are = hosts.length === 1 ? "is" : "are";
  return `${counted(hosts.length, "live domain")} ${are} cut off: ${someOf(hosts, hostsNamed)}. Visitors get no answer there from now on, until ${back} brings ${them(hosts)} back.\n`;
}

const hostsNamed = 3;

const them = ({ length }: readonly string[]) => (length === 1 ? "it" : "them");

/** The newest deployment that can be shown again. */
export async function lastReady(sites: HostedSites, slug: string): Promise<string | undefined> {
  return lastReadyOf(await sites.listDeployments(slug, deploymentsShownMax));
}

const lastReadyOf = (newestFirst: readonly HostedDeployment[]) =>
  newestFirst.find(({ state }) => state === "ready")?.id;
