import type { Command } from "./command.ts";

export const reload: Command = {
  name: "reload",
  summary: "Replace the processes of the running service without a gap",
  options: {
    settings: { summary: "Give it the settings of this command's environment, too" },
  },
  about: [
    "New processes of the program as it is installed now start and accept connections; then those",
    "before finish what they are at and end. Where the new ones do not start, nothing changes.",
    "",
    "Without --settings the service keeps the settings that it has, as with SIGHUP. What says where it",
    "listens and stores, such as HOST, PORT and PETSTORE_DATA, can only be changed by a restart.",
    "",
    "It finds the service by PETSTORE_DATA, PETSTORE_ENV and PORT.",
    "",
    "Exit code: 0 the new processes accept; 1 they do not, or no service was found.",
  ].join("\n"),
  examples: ["petstore reload", "PETSTORE_RATE_LIMIT=600/60 petstore reload --settings"],
  async run({ switches }, context) {
    const { processes } = await context.reload(switches.has("settings"));
    const text = processes === 1 ? "1 new process accepts" : `${processes} new processes accept`;
    return { json: { reloaded: true, processes }, text: `Reloaded: ${text} connections.\n` };
  },
};
