/** How the command line reaches the service that runs: a socket in the folder of its data. */
import { once } from "node:events";
import { chmodSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";

/** Settings by their names. Undefined keeps those that the service has. */
export interface ReloadRequest {
  readonly settings?: Readonly<Record<string, string>> | undefined;
}

export type ReloadReply =
  | { readonly reloaded: true; readonly processes: number }
  | { readonly reloaded: false; readonly reason: string };

const requestCharactersMax = 1_000_000;

/** Services of one data folder differ in their ports. */
export const controlName = (port: number) => `control-${port}.sock`;

/** Resolves with its end. Rejects where there can be no such socket. */
export async function listenForReloads(
  path: string,
  reload: (request: ReloadRequest) => Promise<ReloadReply>,
): Promise<() => void> {
  const server = createServer((socket) => void answer(socket, reload));
  try {
    await listenOn(server, path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EADDRINUSE" || (await isAnswered(path))) {
      throw cause;
    }
    // Left behind by a service that was killed.
    rmSync(path, { force: true });
    await listenOn(server, path);
  }
  chmodSync(path, 0o600);
  server.unref();
  return () => {
    server.close();
    rmSync(path, { force: true });
  };
}

/** Rejects with ENOENT or ECONNREFUSED where no service listens. */
export async function requestReload(path: string, request: ReloadRequest): Promise<ReloadReply> {
  const socket = await connected(path);
  socket.write(`${JSON.stringify(request)}\n`);
  const text = await lineOf(socket);
  if (text === undefined) throw new Error("The service ended before it answered.");
  return JSON.parse(text) as ReloadReply;
}

async function answer(
  socket: Socket,
  reload: (request: ReloadRequest) => Promise<ReloadReply>,
): Promise<void> {
  socket.on("error", () => socket.destroy());
  const text = await lineOf(socket).catch(() => undefined);
  if (text === undefined) return void socket.destroy();
  const reply = await Promise.try(() => reload(JSON.parse(text) as ReloadRequest)).catch(
    (cause): ReloadReply => ({ reloaded: false, reason: (cause as Error).message }),
  );
  socket.end(`${JSON.stringify(reply)}\n`);
}

/** Undefined where the other end closes before its line is whole, or the line is too long. */
function lineOf(socket: Socket): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let text = "";
    socket.setEncoding("utf8");
    socket.on("data", (chunk) => {
      text += chunk;
      if (text.endsWith("\n")) resolve(text);
      else if (text.length > requestCharactersMax) resolve(undefined);
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(undefined));
  });
}

async function listenOn(server: Server, path: string): Promise<void> {
  server.listen(path);
  await once(server, "listening");
}

async function connected(path: string): Promise<Socket> {
  const socket = connect(path);
  await once(socket, "connect");
  return socket;
}

async function isAnswered(path: string): Promise<boolean> {
  try {
    (await connected(path)).destroy();
    return true;
  } catch {
    return false;
  }
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Which part of an environment is settings: a command hands over these and nothing else. */
const settingNames = /^(?:PORT|HOST|DATABASE_URL|PETSTORE_\w+|PG[A-Z]+)$/;

export function settingsAmong(variables: Variables): Record<string, string> {
  const named = Object.entries(variables).filter(([name]) => settingNames.test(name));
  return Object.fromEntries(named) as Record<string, string>;
}

/** The environment with these settings in place of its own. */
export function withSettings(
  variables: Variables,
  settings: Readonly<Record<string, string>>,
): Variables {
  const others = Object.entries(variables).filter(([name]) => !settingNames.test(name));
  return { ...Object.fromEntries(others), ...settingsAmong(settings) };
}
