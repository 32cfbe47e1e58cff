/** Attaching names to projects, looking at them, and taking them off again. */
import { inJson } from "../domains/inJson.ts";
import type { Stores } from "../stores.ts";
import type { Command } from "./command.ts";
import { findDomain } from "./domainsClaims.ts";
import { type OpenDesk, ofProject, operator, pause, whichHost, withDesk } from "./domainsDesk.ts";
import { viewJson } from "./domainsJson.ts";
import { findingsText, listText, recordsText, viewText } from "./domainsText.ts";
import { timelineText } from "./domainsTimeline.ts";
import { counted } from "./table.ts";
import type { World } from "./world.ts";

const timelineShown = 10;

export const addDomain: Command = {
  name: "domains add",
  summary: "Attach a host name to a project",
  operand: { shown: "<slug>", summary: "The project, by its slug" },
  second: { shown: "<host>", summary: "The name, such as docs.example.com" },
  options: {
    prove: { summary: "The name is another owner's here; a TXT record will prove it is not" },
  },
  about: "Shows the DNS record to create. Nothing is served before it is there.",
  examples: ["petstore domains add acme-docs docs.example.com"],
  async run({ operand: slug, second, switches }, world) {
    const view = await withDesk(
      world,
      ({ desk }) => desk.add(operator, slug, second, switches.has("prove")),
      { slug, host: second },
    );
    const { host, project, records } = view;
    const them = records.length === 1 ? "this record" : "these records";
    const which = records.length === 1 ? "" : ` --project ${project}`;
    return {
      json: viewJson(view),
      text: `Attached ${host} to ${project}. Create ${them} at the DNS provider:\n\n${recordsText(records)}\nThen: petstore domains verify ${host}${which} --wait\n`,
    };
  },
};

export const listDomains: Command = {
  name: "domains list",
  summary: "List the attached names and how they are",
  operand: { shown: "[<slug>]", summary: "Only those of this project", optional: true },
  options: {},
  examples: ["petstore domains list", "petstore domains list acme-docs"],
  async run({ operand: slug }, world) {
    const views = await withDesk(world, async ({ desk, stores }) => {
      const slugs = slug === "" ? await projectsWithDomains(stores) : [slug];
      return (await Promise.all(slugs.map((each) => desk.list(operator, each)))).flat();
    });
    return {
      json: views.map(inJson),
      text:
        views.length === 0
          ? `${slug === "" ? "No name is" : `${slug} has no name`} attached yet. Attach one with petstore domains add ${slug || "<slug>"} <host>.\n`
          : listText(views, world.clock.now()),
    };
  },
};

async function projectsWithDomains({ domains }: Stores): Promise<string[]> {
  return [...new Set((await domains.list()).map(({ domain }) => domain.project))].sort();
}

export const showDomain: Command = {
  name: "domains show",
  summary: "Show one attached name, what was found and what to do",
  operand: whichHost,
  options: {
    ...ofProject,
    timeline: { summary: "The whole timeline, with the answers of the name servers" },
  },
  examples: ["petstore domains show docs.example.com"],
  async run({ operand, values, switches }, world) {
    const { view, others } = await withDesk(world, async (open) => {
      const { project, host, others } = await findDomain(open, operand, values.get("project"), {
        ended: true,
      });
      return { view: await open.desk.show(operator, project, host), others };
    });
    const nowMs = world.clock.now();
    const whole = switches.has("timeline");
    const entries = whole ? view.timeline : view.timeline.slice(0, timelineShown);
    const waiting = view.step === "dns";
    const parts = [
      viewText(view, others, nowMs),
      ...(waiting ? [`To create at the DNS provider:\n${recordsText(view.records)}`] : []),
      ...(view.findings.length === 0 ? [] : [findingsText(view, nowMs)]),
      `Timeline, newest first:\n${timelineText(entries, view.findings, whole)}`,
    ];
    const alsoClaimedBy = others.map(({ domain }) => domain.project);
    const json = { ...(whole ? inJson(view) : viewJson(view)), alsoClaimedBy };
    return { json, text: parts.join("\n") };
  },
};

export const removeDomain: Command = {
  name: "domains remove",
  summary: "Take a name off its project; it is no longer served",
  operand: whichHost,
  options: {
    ...ofProject,
    yes: { summary: "Also where it is the primary domain or the target of a redirect" },
  },
  about:
    "Takes effect at once on every edge. If addresses with this name were shared, let it redirect to\nanother name instead (petstore domains redirect) and keep it attached: once removed, it answers\nnothing, also no redirect.",
  examples: ["petstore domains remove old.example.com"],
  async run(call, world) {
    return withDesk(world, async (open) => {
      const found = await findDomain(open, call.operand, call.values.get("project"));
      const { project, host, claim, others } = found;
      const { ownership, certificate } = claim.domain;
      const proven = ownership.kind === "held" || certificate.held !== undefined;
      const shown = await open.desk.show(operator, project, host);
      // Another may need what points here; the proof was asked for by this claim alone.
      const shared = !proven && others.length > 0;
      const records = shown.records.filter(({ type }) => !shared || type === "TXT");
      const removal = await open.desk.remove(operator, project, host, call.switches.has("yes"));
      const reached = proven ? await effect(open, world) : removal;
      const names = records.map(({ type, fullName }) => `the ${type} record of ${fullName}`);
      const outcome = proven
        ? effectText(reached)
        : "It was never proven, so nothing was served from it.";
      return {
        json: { ...inJson({ ...removal, ...reached }), project, records },
        text: `Removed ${host} from ${project}. ${outcome}\nNow delete ${names.join(" and ")} at the DNS provider.\n`,
      };
    });
  },
};

const effectWaitMs = 3_000;
const effectPollMs = 200;

type Effect = Awaited<ReturnType<OpenDesk["desk"]["edgesBehind"]>>;

/** Which edges have acted on the change, after a moment in which all of them should have. */
async function effect({ desk }: OpenDesk, { clock }: Pick<World, "clock">): Promise<Effect> {
  const untilMs = clock.now() + effectWaitMs;
  for (;;) {
    const effect = await desk.edgesBehind();
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
