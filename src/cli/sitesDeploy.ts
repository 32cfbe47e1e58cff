import { PublishError } from "../hosting/sites/fileUploader.ts";
import { type PublishOutcome, publish } from "../hosting/sites/publish.ts";
import type { SiteStore } from "../hosting/sites/sites.ts";
import { type Command, note, type Report } from "./command.ts";
import { type CliContext, CommandFailure, saying } from "./context.ts";
import { Progress } from "./progress.ts";
import { noSuchProject, requireProject, whichProject } from "./sitesCommands.ts";
import { openSiteFolder, type SiteFolder } from "./sitesFolder.ts";
import { didYouMean } from "./suggest.ts";
import { bytesText, counted } from "./table.ts";
import { withStores } from "./withStores.ts";

export const deploySite: Command = {
  name: "sites deploy",
  summary: "Publish the files of a folder as a project",
  operand: whichProject,
  second: { shown: "<folder>", summary: "The folder with the site, ready to be served" },
  options: {},
  about:
    "The site appears all at once when every file is stored; until then, and if anything goes wrong,\nthe project shows what it showed before. Names that begin with a dot are left out, except\n.well-known. Links that leave the folder are refused.",
  examples: ["petstore sites deploy acme-docs ./build"],
  async run(call, context) {
    const { operand: slug, second: folder } = call;
    return withStores(context, async ({ sites }) => {
      requireProject(await sites.project(slug), slug);
      const found = await openSiteFolder(folder);
      if (found.leftOut.length > 0) note(call, context, leftOutText(found.leftOut));
      if (!hasIndex(found)) note(call, context, noIndexText(folder, found));
      return reportOn(await deploy(slug, found, sites, context), slug, folder, found, context);
    });
  },
};

async function deploy(
  slug: string,
  { files, bytes: all }: SiteFolder,
  store: SiteStore,
  context: CliContext,
) {
  const { clock, stderr } = context;
  const progress = new Progress("Deploying", stderr, clock, "files");
  const untouched = `The deployment failed, and ${slug} still shows what it did before.`;
  try {
    return await publish(slug, files, {
      store,
      clock,
      unless: "shown",
      signal: context.stopSignal(),
      onProgress: ({ files, bytes }) => progress.update(files, all > 0 ? bytes / all : undefined),
    }).catch(saying(untouched));
  } catch (cause) {
    if (!(cause instanceof PublishError)) throw cause;
    throw new CommandFailure(`${cause.message} ${untouched}`);
  } finally {
    progress.clear();
  }
}

function reportOn(
  outcome: PublishOutcome,
  slug: string,
  folder: string,
  { leftOut }: SiteFolder,
  context: CliContext,
): Report {
  if (outcome.kind === "no_such_project") throw noSuchProject(slug);
  const address = context.siteAddress(slug);
  if (outcome.kind === "needless") {
    const { same } = outcome;
    return {
      json: { project: slug, deployment: same, changed: false, shown: true, leftOut, address },
      text: `Nothing changed: ${slug} shows these very files already, as ${same}.\n`,
    };
  }
  const { kind, id, files, bytes } = outcome;
  const shown = kind === "shown";
  return {
    json: { project: slug, deployment: id, changed: true, shown, files, bytes, leftOut, address },
    text: `Deployed ${counted(files, "file")} (${bytesText(bytes)}) of ${folder} as ${id}.\n${
      shown
        ? `${address} shows them now.\n`
        : `A deployment that was begun later was ready first and is shown. To show this one: petstore sites rollback ${slug} ${id}\n`
    }`,
  };
}

const hasIndex = ({ files }: SiteFolder) => files.some(({ path }) => path === "index.html");

/** Whoever names the folder above the site by mistake finds it just below. */
function noIndexText(folder: string, { files }: SiteFolder): string {
  const below = files.find(({ path }) => /^[^/]+\/index\.html$/.test(path))?.path.split("/", 1);
  const meant = below && `${folder.replace(/\/$/, "")}/${below}`;
  return `There is no index.html in ${folder}, so / will be answered with 404. The folder may be the wrong one.${didYouMean(meant)}`;
}

const leftOutNamed = 5;

function leftOutText(paths: readonly string[]): string {
  const named = paths.slice(0, leftOutNamed).join(", ");
  const more = paths.length > leftOutNamed ? ` and ${paths.length - leftOutNamed} more` : "";
  return `Left out ${named}${more}: names that begin with a dot are not published.`;
}
