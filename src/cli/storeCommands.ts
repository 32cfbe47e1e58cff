/** Copying the whole store out, and a copy back in. */
import { stat } from "node:fs/promises";
import type { Stores, StoreVersion } from "../storage/stores.ts";
import type { Command } from "./command.ts";
import type { CliContext } from "./context.ts";
import { CommandFailure, explainSystem } from "./errors.ts";
import { saying } from "./stopping.ts";
import { bytesText, counted } from "./table.ts";
import { byCommand, noteNewStore, requireStore, withStores } from "./withStores.ts";

/** Above this, counting takes long, and "more than" is enough. */
const petsCountedMax = 100_000;
const petsPage = 10_000;

export const backup: Command = {
  name: "backup",
  summary: "Copy the store into a new file while it is in use",
  operands: { "<file>": "The file to write; it must not be there yet" },
  about:
    "The copy holds all pets, categories, orders, sites and keys (hashed). Keep it in a\nprivate place.",
  examples: ["petstore backup petstore-2030-01-31.db"],
  async run({ operand: file }, context) {
    requireStore(context);
    refuseServers(context, `pg_dump --format=custom --file=${file} "$DATABASE_URL"`);
    const copy = await context
      .backup(file)
      .catch(saying("No backup was made."))
      .catch(explainSystem(`Cannot back up to ${file}`, "Name another <file>."));
    return {
      json: { file, ...copy },
      text: `Copied ${holdings(copy.pets, copy.keys)} to ${file} (${bytesText(copy.bytes)}).\n`,
    };
  },
};

export const restore: Command = {
  name: "restore",
  summary: "Replace everything in the store by what a backup holds",
  operands: { "<file>": "A file that petstore backup wrote" },
  options: { yes: "Replace what the store holds now" },
  about:
    "Works while the service runs, in one step: either all of the backup is in place or nothing\nchanged. What was added or changed after the backup was made is gone afterwards.",
  examples: ["petstore restore petstore-2030-01-31.db --yes"],
  async run(call, context) {
    const { operand: file, switches } = call;
    refuseServers(context, `pg_restore --clean --if-exists --dbname="$DATABASE_URL" ${file}`);
    await requirePlainFile(file);
    const { path, exists } = context.locateStore();
    const now = exists ? await withStores(context, countHoldings) : nothing;
    const held = now.pets > 0 || now.keys > 0 || now.categories || now.sites;
    const more = now.more ? "more than " : "";
    const others = [now.categories && "categories", now.sites && "sites"].filter(Boolean);
    const replaced = `${more}${holdings(now.pets, now.keys)}${others.map((what) => `, and ${what}`).join("")}`;
    if (held && !switches.has("yes")) {
      throw new CommandFailure(
        `The store holds ${replaced}. Restoring ${file} would replace all of it, and nothing was changed. Keep a copy with petstore backup <file>, then run this again with --yes.`,
      );
    }
    const copy = await byCommand(() => context.restore(file)).catch(
      explainSystem(`Cannot restore ${file} to ${path}`, "Check <file> and PETSTORE_DATA."),
    );
    if (!exists) noteNewStore(call, context, path);
    const instead = held ? `, in place of ${replaced}` : "";
    return {
      json: { file, ...copy, ...(exists ? {} : { store: path }) },
      text: `Restored ${holdings(copy.pets, copy.keys)} from ${file}${instead}.\n`,
    };
  },
};

/** A server's own programs copy it better than this one could. */
function refuseServers(context: CliContext, instead: string): void {
  const { path, copiedBy } = context.locateStore();
  if (copiedBy === undefined) return;
  throw new CommandFailure(
    `${path} is a PostgreSQL database, which this command does not copy. Use PostgreSQL's own: ${instead}`,
  );
}

async function requirePlainFile(file: string): Promise<void> {
  const next = "Name a file that petstore backup wrote.";
  const found = await stat(file).catch(explainSystem(`Cannot restore ${file}`, next));
  if (found.isFile()) return;
  const what = found.isDirectory() ? "it is a folder" : "it is not a plain file";
  throw new CommandFailure(`Cannot restore ${file}: ${what}. ${next}`);
}

const nothing = { pets: 0, more: false, keys: 0, categories: false, sites: false };

/** Orders need not be asked for: where there is one, there is its pet. */
async function countHoldings({ catalogue, categories, keys, sites }: Stores) {
  let pets = 0;
  let after: bigint | undefined;
  do {
    const page = await catalogue.list({ after, limit: petsPage });
    pets += page.pets.length;
    after = page.next;
  } while (after !== undefined && pets < petsCountedMax);
  const { categories: kept } = await categories.list({ limit: 1 });
  return {
    pets,
    more: after !== undefined,
    keys: (await keys.list()).length,
    categories: kept.length > 0,
    sites: (await sites.listOwners()).length > 0,
  };
}

function holdings(pets: number, keys: number): string {
  return `${counted(pets, "pet")} and ${counted(keys, "key")}`;
}

export const migrate: Command = {
  name: "migrate",
  summary: "Bring the store up to the version of this release",
  options: { check: "Only say what would be done" },
  about:
    "The service does this automatically when it starts. Run it before a new release is rolled out to\nmany processes; those of the release before go on serving meanwhile. There is no way back to an\nolder version but a backup.\n\nExit code with --check: 0 nothing is to be done, 1 something is, or the store was refused.",
  examples: ["petstore migrate --check", "petstore migrate"],
  async run({ switches }, context) {
    const store = context.locateStore().path;
    const { version, latest } = await context.storeVersion();
    const pending = latest - (version ?? 0);
    const json = { store, version: version ?? null, latest, pending };
    if (pending === 0) {
      const text = `${store} is at version ${latest}, the latest. Nothing is to be done.\n`;
      return { json, text };
    }
    if (switches.has("check")) {
      // So that a script can stop before processes are replaced.
      return { json, text: `${wouldDo(store, { version, latest })}\n`, exitCode: 1 };
    }
    // Opening it is all it takes.
    await (await context.openStores()).close();
    const from = version === undefined ? "" : ` It was at version ${version}.`;
    return {
      json: { ...json, version: latest, pending: 0 },
      text: `${store} is at version ${latest} now.${from}\n`,
    };
  },
};

function wouldDo(store: string, { version, latest }: StoreVersion): string {
  return version === undefined
    ? `There is no store at ${store} yet. petstore migrate would make one, at version ${latest}.`
    : `${store} is at version ${version}. petstore migrate would bring it to version ${latest}.`;
}
