/** Remembers the token for a service, and forgets it again. */
import { type Call, type Command, note } from "../command.ts";
import type { CliContext } from "../context.ts";
import { CommandFailure, UsageError } from "../errors.ts";
import { Stopped } from "../stopping.ts";
import {
  namedService,
  readCredentials,
  requireAccessToken,
  saveCredentials,
} from "./credentials.ts";
import { PlatformClient } from "./platformClient.ts";

const login: Command = {
  name: "login",
  summary: "Store the token for a service, for commands with --to",
  options: { "to <url>": "The service, such as https://api.example.com (default: PETSTORE_TO)" },
  required: ["to"],
  about:
    "Asks for an access token, which the operator of the service creates with petstore owners token, or\nreads it from stdin. The token is checked, then stored in petstore/credentials.json below\nXDG_CONFIG_HOME (default ~/.config), for this user alone. PETSTORE_TOKEN goes before it.",
  examples: [
    "petstore login --to https://api.example.com",
    "petstore login --to https://api.example.com < token.txt",
  ],
  async run(call, context) {
    const origin = requireService(call, context);
    const { credentialsFile: file } = context.remote();
    const { tokens } = await readCredentials(file);
    const token = requireAccessToken("This", await askToken(origin, call, context));
    const client = new PlatformClient({ origin, token, clock: context.clock });
    const projects = await client.call("get", "/projects", { signal: context.stopSignal() });
    await saveCredentials({ current: origin, tokens: { ...tokens, [origin]: token } }, context);
    const slugs = projects.map(({ slug }) => slug);
    return {
      json: { service: origin, file, projects: slugs },
      text: `Logged in to ${origin}. The token is stored in ${file}.\nNext: petstore deploy <folder> --project ${slugs[0] ?? "<slug>"} --to ${origin}\n`,
    };
  },
};

const logout: Command = {
  name: "logout",
  summary: "Delete the stored token for a service",
  options: { "to <url>": "The service (default: PETSTORE_TO, or where you logged in last)" },
  about:
    "The token itself stays valid until the operator revokes it: petstore owners revoke-token.",
  examples: ["petstore logout --to https://api.example.com"],
  async run(call, context) {
    const { to, credentialsFile } = context.remote();
    const { current, tokens } = await readCredentials(credentialsFile);
    const origin = namedService(call, to) ?? current;
    if (origin === undefined || tokens[origin] === undefined) {
      throw new CommandFailure(
        `There is no stored token${origin === undefined ? "" : ` for ${origin}`}. Nothing was changed.`,
      );
    }
    const { [origin]: _, ...left } = tokens;
    const stays = current === origin ? undefined : current;
    await saveCredentials({ current: stays, tokens: left }, context);
    return {
      json: { service: origin, file: credentialsFile },
      text: `Deleted the stored token for ${origin}.\n`,
    };
  },
};

function requireService(call: Call, context: CliContext): string {
  const origin = namedService(call, context.remote().to);
  if (origin !== undefined) return origin;
  throw new UsageError("--to is missing: --to <url>. See petstore login --help.");
}

/** Longer than any token. */
const inputLengthMax = 1_000;

/** What is typed is not shown. */
async function askToken(origin: string, call: Call, context: CliContext): Promise<string> {
  const { stdin } = context;
  if (stdin.isTTY) note(call, context, `Paste the access token for ${origin}, then press Enter:`);
  stdin.setRawMode?.(true);
  let text = "";
  try {
    for await (const chunk of stdin) {
      for (const character of Buffer.from(chunk).toString("utf8")) {
        if (character === "\r" || character === "\n") return text.trim();
        if (character === "\u0003") throw new Stopped("SIGINT");
        text = character === "\u007f" ? text.slice(0, -1) : text + character;
      }
      if (text.length > inputLengthMax) break;
    }
    return text.trim();
  } finally {
    stdin.setRawMode?.(false);
  }
}

/** In the order of the help. */
export const loginCommands: readonly Command[] = [login, logout];
