/** The errors of commands, and their messages. */
import { Problem } from "../core/problems.ts";

interface FailureDetails {
  /** 1 for a refusal, unless given; 2 for wrong usage. */
  readonly exitCode?: number;
  /** Where in a file it lies, for programs. The message says it too. */
  readonly lines?: readonly LineErrors[];
  /** The error code for programs, where there is one. */
  readonly code?: string;
}

/** What the user can fix: printed in full on stderr, without a stack. */
export class CommandFailure extends Error {
  readonly details: FailureDetails;

  constructor(message: string, details: FailureDetails = {}) {
    super(message);
    this.name = "CommandFailure";
    this.details = details;
  }
}

/** What is wrong with one line of a file, in whole sentences. */
export interface LineErrors {
  readonly line: number;
  readonly complaints: readonly string[];
}

/** The command line itself is wrong. */
export class UsageError extends CommandFailure {
  constructor(message: string) {
    super(message, { exitCode: 2 });
    this.name = "UsageError";
  }
}

/** What went wrong, for the person at the terminal. */
export function explain(cause: unknown): string {
  if (cause instanceof CommandFailure) return cause.message;
  if (cause instanceof Problem) {
    // A client must not learn what lies behind a problem; the operator must.
    const behind = cause.cause instanceof Error ? ` (${cause.cause.message})` : "";
    return `${cause.message}${behind}`;
  }
  // What a person can fix is thrown as a plain Error in whole sentences, or by the system with
  // the name of the file. A TypeError or the like is a defect, and its place is needed.
  if (cause instanceof Error && cause.constructor === Error) return cause.message;
  const stack = cause instanceof Error ? cause.stack : String(cause);
  return `This is a fault of the program itself; please report it.\n${stack}`;
}

/** What the system's error codes mean. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EACCES: "this user may not",
  EPERM: "this user may not",
  EISDIR: "it is a folder",
  // What Bun says of copying a folder.
  ENOTSUP: "it is not a plain file",
  ENOTDIR: "a part of the path is a file, not a folder",
  EEXIST: "a part of the path is a file, not a folder",
  ENOSPC: "the disk is full",
  EDQUOT: "this user's part of the disk is full",
  EROFS: "the disk is read-only",
  EIO: "the disk fails",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "its links go round in circles",
  EMFILE: "too many files are open",
};

/** Undefined where it was not the system that refused. */
export function systemReason(cause: unknown): string | undefined {
  const { code, syscall, message } = cause as NodeJS.ErrnoException;
  if (typeof code !== "string" || typeof syscall !== "string") return undefined;
  return reasons[code] ?? message;
}

/** `what` names the file, `next` the argument or setting to change. */
export function explainSystem(what: string, next: string) {
  return (cause: unknown): never => {
    const reason = systemReason(cause);
    throw reason === undefined ? cause : new CommandFailure(`${what}: ${reason}. ${next}`);
  };
}
