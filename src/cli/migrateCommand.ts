/** Bringing the store up to date apart from the service, or seeing beforehand what that would do. */
import type { StoreVersion } from "../storage/stores.ts";
import type { Command } from "./command.ts";
import type { CliContext } from "./context.ts";

export const migrate: Command = {
  name: "migrate",
  summary: "Bring the store up to the version of this release",
  options: { check: { summary: "Only say what would be done" } },
  about:
    "The service does this by itself when it starts. Run it before a new release is rolled out to\nmany processes; those of the release before go on serving meanwhile. There is no way back to an\nolder version but a backup.\n\nExit code with --check: 0 nothing is to be done, 1 something is, or the store was refused.",
  examples: ["petstore migrate --check", "petstore migrate"],
  async run({ switches }, context) {
    const store = context.locateStore().path;
    const { version, latest } = await context.storeVersion();
    const pending = latest - (version ?? 0);
    const json = { store, version: version ?? null, latest, pending };
    if (pending === 0) {
      return {
        json,
        text: `${store} is at version ${latest}, the latest. Nothing is to be done.\n`,
      };
    }
    if (switches.has("check")) {
      // So that a script can stop there: whoever asks wants to know before processes are replaced.
      return { json, text: `${wouldDo(store, { version, latest })}\n`, exitCode: 1 };
    }
    await bringUpToDate(context);
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

/** Opening it is all it takes. */
async function bringUpToDate(context: CliContext): Promise<void> {
  const stores = await context.openStores();
  await stores.close();
}
