/** What the system refuses, in words: its own are codes such as ENOTSUP. */
import { CommandFailure } from "./context.ts";

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
