import { execFileSync } from "node:child_process";
import { hostname } from "node:os";
import { withOrigin } from "../audit/origin.ts";
import type { MaybePromise } from "../core/maybePromise.ts";
import type { Stores } from "../storage/stores.ts";
import { type Call, note } from "./command.ts";
import type { CliContext } from "./context.ts";
import { CommandFailure } from "./errors.ts";

type Work<T> = (stores: Stores) => MaybePromise<T>;

/** Opens the store for as long as the work takes. Refuses, and makes nothing, where there is none. */
export async function withStores<T>(context: CliContext, work: Work<T>): Promise<T> {
  requireStore(context);
  return opened(context, work);
}

/** The outcome of work on a store, and for the report which store was made for it, if one was. */
export interface StoreResult<T> {
  readonly result: T;
  readonly made: { readonly store?: string };
}

/** Makes the store where there is none, and says so: the settings may be wrong. */
export async function withNewStores<T>(
  call: Call,
  context: CliContext,
  work: Work<T>,
): Promise<StoreResult<T>> {
  const { path, exists } = context.locateStore();
  const result = await opened(context, (stores) => {
    if (!exists) noteNewStore(call, context, path);
    return work(stores);
  });
  return { result, made: exists ? {} : { store: path } };
}

export function noteNewStore(call: Call, context: CliContext, path: string): void {
  note(call, context, `Made a new store at ${path}.`);
}

export function requireStore(context: CliContext): void {
  const { path, exists } = context.locateStore();
  if (exists) return;
  throw new CommandFailure(
    `There is no store at ${path}. Check PETSTORE_DATA and PETSTORE_ENV, or make a new store with petstore keys create.`,
  );
}

async function opened<T>(context: CliContext, work: Work<T>): Promise<T> {
  const stores = await context.openStores();
  try {
    return await byCommand(() => work(stores));
  } finally {
    await stores.close();
  }
}

/** Attributes changes to whoever runs this command. */
export function byCommand<T>(work: () => T): T {
  const source = { host: hostname(), sudoUser: process.env["SUDO_USER"] };
  return withOrigin({ actor: `cli/${osUser()}`, source }, work);
}

/** By the system: `os.userInfo()` of Bun repeats the variable USER, which anybody can set. */
function osUser(): string {
  try {
    return execFileSync("id", ["-un"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    // A container may run as a user without a name, or have no such command.
    return String(process.getuid?.() ?? "unknown");
  }
}
