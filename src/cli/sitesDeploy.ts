import { type BigIntStats, constants } from "node:fs";
import { lstat, open, readdir, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { isExpectedProblem } from "../core/problems.ts";
import { PublishError, type SourceFile } from "../hosting/sites/fileUploader.ts";
import type { PublishOutcome } from "../hosting/sites/publish.ts";
import {
  fileSizeError,
  isPrivateName,
  normalizePath,
  pathError,
  siteFilesMax,
  sizeError,
} from "../hosting/sites/siteFile.ts";
import type { Shown } from "../hosting/sites/sites.ts";
import { type Call, type Command, note, type Report } from "./command.ts";
import type { CliContext } from "./context.ts";
import { CommandFailure, explainSystem, UsageError } from "./errors.ts";
import { type Hosting, onService, withHosting } from "./hosting.ts";
import { progressBar } from "./output.ts";
import { didYouMean } from "./readText.ts";
import {
  deploymentsShownMax,
  noSuchProject,
  overtakenText,
  requireProject,
  requireShowable,
  whichProject,
} from "./sitesCommands.ts";
import { Stopped } from "./stopping.ts";
import { bytesText, counted, someOf } from "./table.ts";

const about =
  "The site appears all at once when every file is stored; until then, and if anything goes wrong,\nthe project shows what it showed before. Names that begin with a dot are left out, except\n.well-known. Links that leave the folder are refused.";
const whichFolder = { "<folder>": "The folder with the site, ready to be served" };
const howToDeploy = {
  preview: "Only upload it; petstore sites publish publishes it later",
  ...onService,
};

export const deploySite: Command = {
  name: "sites deploy",
  summary: "Publish the files of a folder as a project",
  operands: { ...whichProject, ...whichFolder },
  options: howToDeploy,
  about,
  examples: ["petstore sites deploy acme-docs ./build"],
  run: (call, context) => deployFolder(call, context, call.operand, call.second),
};

export const deploy: Command = {
  name: "deploy",
  summary: "Publish a folder as a project, here or on a service",
  operands: whichFolder,
  options: { "project <slug>": "The project, by its slug", ...howToDeploy },
  required: ["project"],
  about: `${about}\n\nWith --to, only files that the service lacks are sent, by their hash. If it breaks off, the next\nrun sends the rest. The token is that of petstore login, or PETSTORE_TOKEN; the default of --to is\nPETSTORE_TO or, where there is no local store, the service that you logged in to.\nExit code: 0 done or unchanged, 1 refused or failed, 2 not understood, 130 or 143 stopped.`,
  examples: ["petstore deploy ./build --project acme-docs --to https://api.example.com"],
  async run(call, context) {
    const slug = call.values.get("project");
    if (slug === undefined) {
      throw new UsageError("--project is missing: --project <slug>. See petstore deploy --help.");
    }
    return deployFolder(call, context, slug, call.operand);
  },
};

function deployFolder(
  call: Call,
  context: CliContext,
  slug: string,
  folder: string,
): Promise<Report> {
  return withHosting(call, context, async (hosting) => {
    requireProject(await hosting.sites.project(slug), slug);
    const found = await openSiteFolder(folder);
    const { leftOut } = found;
    if (leftOut.length > 0) note(call, context, leftOutText(leftOut));
    if (!hasIndex(found)) note(call, context, noIndexText(folder, found));
    const stored = await uploadFolder(slug, found, hosting, call, context);
    if (stored.kind === "no_such_project") throw noSuchProject(slug);
    const changed = stored.kind !== "needless";
    const id = changed ? stored.id : stored.same;
    const { files, bytes } = changed ? stored : { ...found, files: found.files.length };
    const kept = await hosting.sites.listDeployments(slug, deploymentsShownMax);
    const preview = kept.find((each) => each.id === id)?.preview;
    const address = await hosting.addressOf(slug);
    const outcome = { project: slug, deployment: id, changed };
    const details = { files, bytes, leftOut, address, preview: preview ?? null };
    const report = (shown: boolean, text: string) => ({
      json: { ...outcome, shown, ...details },
      text: `${text}\n`,
    });
    if (!changed) {
      return report(true, `Nothing changed: ${slug} shows these very files already, as ${id}.`);
    }
    // Before it is published, so that it can be looked at where that fails.
    if (!call.switches.has("json")) {
      const own = preview === undefined ? "" : `${preview} shows this deployment alone.\n`;
      const size = `${counted(files, "file")} (${bytesText(bytes)})`;
      context.stdout.write(`Deployed ${size} of ${folder} as ${id}.\n${own}`);
    }
    const publish = `petstore sites publish ${slug} ${id}`;
    if (call.switches.has("preview")) {
      return report(false, `It is not published. To publish it: ${publish}`);
    }
    const shown = await publishUploaded(slug, id, hosting, context).catch(
      failing(`${id} is uploaded. To publish it: ${publish}`),
    );
    return shown === "shown"
      ? report(true, `${address} shows them now.`)
      : report(false, overtakenText(slug, id));
  });
}

function uploadFolder(
  slug: string,
  { files }: SiteFolder,
  hosting: Hosting,
  call: Call,
  context: CliContext,
): Promise<PublishOutcome> {
  const { clock, stderr } = context;
  return hosting
    .upload(slug, files, {
      signal: context.stopSignal(),
      progress: (what) => progressBar(what, stderr, clock, "files"),
      say: (text) => stderr.isTTY !== true && note(call, context, text),
    })
    .catch(failing(`The deployment failed, and ${slug} still shows what it did before.`));
}

async function publishUploaded(
  slug: string,
  id: string,
  { sites }: Hosting,
  context: CliContext,
): Promise<Shown> {
  context.stopSignal().throwIfAborted();
  return requireShowable(await sites.publishDeployment(slug, id), slug, id);
}

/** Adds to what is refused or stopped how things are now. */
function failing(outcome: string) {
  return (cause: unknown): never => {
    if (cause instanceof Stopped) throw new Stopped(cause.by, outcome);
    const known = cause instanceof PublishError || cause instanceof CommandFailure;
    if (!known && !isExpectedProblem(cause)) throw cause;
    const details =
      "details" in cause ? cause.details : "code" in cause ? { code: cause.code } : {};
    throw new CommandFailure(`${cause.message} ${outcome}`, details);
  };
}

const hasIndex = ({ files }: SiteFolder) => files.some(({ path }) => path === "index.html");

/** The parent of the folder may have been named by mistake. */
function noIndexText(folder: string, { files }: SiteFolder): string {
  const below = files.find(({ path }) => /^[^/]+\/index\.html$/.test(path))?.path.split("/", 1);
  const meant = below && `${folder.replace(/\/$/, "")}/${below}`;
  return `There is no index.html in ${folder}, so / will be answered with 404. The folder may be the wrong one.${didYouMean(meant)}`;
}

const leftOutNamed = 5;

function leftOutText(paths: readonly string[]): string {
  return `Left out ${someOf(paths, leftOutNamed)}: names that begin with a dot are not published.`;
}

export interface SiteFolder {
  /** In the order of their paths. */
  readonly files: readonly SourceFile[];
  readonly bytes: number;
  /** Names that begin with a dot, which are not published. */
  readonly leftOut: readonly string[];
}

/** Folders too are counted: links among them could go on for long without a file. */
const foldersMax = siteFilesMax;

export async function openSiteFolder(folder: string): Promise<SiteFolder> {
  const cannot = explainSystem(`Cannot read ${folder}`, "Check <folder>.");
  const root = await realpath(folder).catch(cannot);
  if (!(await stat(root)).isDirectory()) {
    throw new CommandFailure(`${folder} is not a folder. Name the folder that holds the site.`);
  }
  const walk = new Walk(root);
  await walk.enter(root, "", []).catch(cannot);
  const { files, leftOut } = walk;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const complaint = sizeError(files.length, bytes);
  if (complaint !== undefined) throw new CommandFailure(`${folder} ${complaint}.`);
  return { files, bytes, leftOut };
}

class Walk {
  readonly files: SourceFile[] = [];
  readonly leftOut: string[] = [];
  readonly #root: string;
  #folders = 0;

  constructor(root: string) {
    this.#root = root;
  }

  /** `within` are the folders that lead here, without links. */
  async enter(folder: string, path: string, within: readonly string[]): Promise<void> {
    if (within.includes(folder)) throw refused(path, "its links go round in circles");
    if (++this.#folders > foldersMax) throw refused(path, `there are over ${foldersMax} folders`);
    const entries = await readdir(folder, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const at = path === "" ? entry.name : `${path}/${entry.name}`;
      if (isPrivateName(entry.name)) this.leftOut.push(at);
      else await this.#take(join(folder, entry.name), at, [...within, folder]);
    }
  }

  async #take(place: string, path: string, within: readonly string[]): Promise<void> {
    const real = await realpath(place).catch(() => {
      throw refused(path, "it is a link that leads nowhere");
    });
    if (!isWithin(this.#root, real)) throw refused(path, "it is a link that leaves the folder");
    const found = await lstat(real, { bigint: true });
    if (found.isDirectory()) return this.enter(real, path, within);
    if (!found.isFile()) throw refused(path, "it is neither a file nor a folder");
    this.files.push(sourceOf(real, path, found));
    if (this.files.length > siteFilesMax) {
      throw new CommandFailure(`There are more than ${siteFilesMax} files. ${nothingDone}`);
    }
  }
}

function sourceOf(real: string, path: string, found: BigIntStats): SourceFile {
  const bytes = Number(found.size);
  const complaint = pathError(path) ?? fileSizeError(bytes);
  if (complaint !== undefined) throw refused(path, `it ${complaint}`);
  return { path: normalizePath(path), bytes, read: () => readSame(real, path, found) };
}

/** Reads the whole file, and only if it is the one that was found: it may have been replaced. */
async function readSame(real: string, path: string, found: BigIntStats): Promise<Uint8Array> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(changed(path));
  try {
    const opened = await handle.stat({ bigint: true });
    if (!isSame(opened, found) || (await realpath(real)) !== real) changed(path)();
    // One byte more, so that a file that grows is noticed.
    const content = new Uint8Array(Number(found.size) + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(content, length, content.byteLength - length);
      length += bytesRead;
      if (bytesRead === 0 || length === content.byteLength) break;
    }
    if (length !== Number(found.size)) changed(path)();
    return content.slice(0, length);
  } finally {
    await handle.close();
  }
}

/** A number of a file is soon given to another, so the instant of the last change counts too. */
function isSame(one: BigIntStats, other: BigIntStats): boolean {
  const facts = ["dev", "ino", "size", "ctimeNs"] as const;
  return facts.every((fact) => one[fact] === other[fact]);
}

function changed(path: string) {
  return (): never => {
    throw new PublishError(notPublished(path, "it was changed meanwhile"));
  };
}

function isWithin(root: string, place: string): boolean {
  const way = relative(root, place);
  return way !== ".." && !way.startsWith(`..${sep}`) && !way.startsWith(sep);
}

const nothingDone = "Nothing was published.";

function refused(path: string, why: string): CommandFailure {
  return new CommandFailure(`${notPublished(path, why)} ${nothingDone}`);
}

function notPublished(path: string, why: string): string {
  const shown = /^[\p{L}\p{N}\p{P}\p{S} ]*$/u.test(path) ? path : JSON.stringify(path);
  return `${shown} cannot be published: ${why}.`;
}
