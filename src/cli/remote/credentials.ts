/** Which service a command is for, and the token for it: of the environment, or of `petstore login`. */
import { mkdir, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { isAccessToken } from "../../accounts/access.ts";
import { type Call, note } from "../command.ts";
import type { CliContext } from "../context.ts";
import { CommandFailure, explainSystem, UsageError } from "../errors.ts";
import { createFile } from "../files.ts";
import { didYouMean } from "../readText.ts";

/** What `petstore login` has stored. */
export interface Credentials {
  /** The service that was logged in to last. */
  readonly current: string | undefined;
  /** By origin. */
  readonly tokens: Readonly<Record<string, string>>;
}

export interface ChosenService {
  readonly origin: string;
  readonly token: string;
}

/**
 * The service that the command names, or else the environment; or else, where there is no local store,
 * the one that was logged in to. Undefined where the work is on the local store.
 */
export async function chosenService(
  call: Call,
  context: CliContext,
): Promise<ChosenService | undefined> {
  const { to, token, credentialsFile } = context.remote();
  const named = namedService(call, to);
  if (named === undefined && context.locateStore().exists) return undefined;
  const { current, tokens } = await readCredentials(credentialsFile);
  const origin = named ?? current;
  if (origin === undefined) return undefined;
  if (named === undefined) note(call, context, `Working on ${origin}, where you are logged in.`);
  // One of the environment is for the service that was named beside it.
  const chosen = (named === undefined ? undefined : token) ?? tokens[origin];
  if (chosen === undefined) {
    throw new CommandFailure(
      `There is no token for ${origin}. Run petstore login --to ${origin}, or set PETSTORE_TOKEN to an access token.`,
      { code: "unauthorized" },
    );
  }
  return { origin, token: requireAccessToken("PETSTORE_TOKEN", chosen) };
}

export function namedService({ values }: Call, to: string | undefined): string | undefined {
  const typed = values.get("to");
  if (typed !== undefined) return readOrigin("--to", typed);
  return to === undefined ? undefined : readOrigin("PETSTORE_TO", to);
}

export function requireAccessToken(what: string, text: string): string {
  if (isAccessToken(text)) return text;
  throw new UsageError(
    `${what} is not an access token: these begin with pet_owner_ or pet_operator_, and every character counts. The operator creates one with petstore owners token <id>.`,
  );
}

/** The address of a service, without a path. */
function readOrigin(what: string, text: string): string {
  const url = URL.parse(text);
  const bare = url && `${url.username}${url.password}${url.search}${url.hash}` === "";
  if (!bare || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(
      `${what} must be the address of a service, such as https://api.example.com, not ${JSON.stringify(text)}.`,
    );
  }
  if (url.pathname !== "/") {
    throw new UsageError(`${what} must have no path.${didYouMean(url.origin)}`);
  }
  if (url.protocol === "http:" && !isThisMachine(url.hostname)) {
    throw new UsageError(
      `${what} must begin with https://, or the token could be read on the way. http:// is for this machine alone, such as http://127.0.0.1:8080.`,
    );
  }
  return url.origin;
}

function isThisMachine(host: string): boolean {
  return /^(?:127(?:\.\d+){3}|\[::1\]|(?:.+\.)?localhost)$/.test(host);
}

const none: Credentials = { current: undefined, tokens: {} };

export async function readCredentials(file: string): Promise<Credentials> {
  const cannot = explainSystem(`Cannot read ${file}`, "Check it, or run petstore login again.");
  const found = await stat(file).catch((cause) => (cause.code === "ENOENT" ? none : cannot(cause)));
  if (!("mode" in found)) return none;
  if ((found.mode & 0o077) !== 0 && process.platform !== "win32") {
    throw new CommandFailure(
      `${file} holds tokens, and others can read or change it. Run chmod 600 ${file}, and revoke the tokens if they may have been read.`,
    );
  }
  const text = await readFile(file, "utf8").catch(cannot);
  const credentials = credentialsIn(text);
  if (credentials !== undefined) return credentials;
  throw new CommandFailure(
    `${file} is not as petstore login writes it. Delete it, then log in again.`,
  );
}

function credentialsIn(text: string): Credentials | undefined {
  try {
    const { current, tokens } = JSON.parse(text);
    const texts = [...(current === undefined ? [] : [current]), ...Object.values(tokens)];
    return texts.every((each) => typeof each === "string") ? { current, tokens } : undefined;
  } catch {
    return undefined;
  }
}

export async function saveCredentials(
  credentials: Credentials,
  { clock, remote }: CliContext,
): Promise<void> {
  const { credentialsFile: file } = remote();
  const cannot = explainSystem(`Cannot write ${file}`, "Check XDG_CONFIG_HOME.");
  await mkdir(dirname(file), { recursive: true, mode: 0o700 }).catch(cannot);
  const written = await createFile(file, true, clock, 0o600);
  await written.write(`${JSON.stringify(credentials, null, 2)}\n`);
  await written.keep();
}
