/** The e-mail address of an account, which notifications and invitations are sent to. */
import { domainToASCII } from "node:url";
import { Problem } from "../core/problems.ts";
import type { AccessHolder } from "./access.ts";
import { type AccountStore, accountName } from "./accounts.ts";

/** RFC 5321, section 4.5.3.1; the whole fits a path with its angle brackets. */
const localLengthMax = 64;
const addressLengthMax = 254;
const localForm = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const labelForm = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** In words that follow "must be". */
export const emailWords = "an e-mail address such as anna@example.com";

/**
 * An address in the form in which it is stored; undefined if it is none. The host may have letters of
 * any script and is stored as DNS has it. What comes before it is ASCII, without quotes: nothing else
 * is delivered everywhere.
 */
export function readEmail(text: string): string | undefined {
  // Host names are read as in URLs, which ignore some white space.
  if (text.length > addressLengthMax || /[\s\p{Cc}]/u.test(text)) return undefined;
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(at, 0));
  const host = domainToASCII(text.slice(at + 1));
  const labels = host.split(".");
  const fits =
    local.length <= localLengthMax &&
    localForm.test(local) &&
    labels.length > 1 &&
    labels.every((label) => labelForm.test(label)) &&
    // An address of the network is no host: 192.0.2.1.
    !/^\d+$/.test(labels.at(-1) ?? "");
  const address = `${local}@${host}`;
  return fits && address.length <= addressLengthMax ? address : undefined;
}

/** Undefined where none is set. */
export async function emailOf(
  store: Pick<AccountStore, "find">,
  holder: AccessHolder,
): Promise<string | undefined> {
  const account = accountName(holder);
  return account && (await store.find(account))?.email;
}

/** The name of the account that the address belongs to. One with a reserved name cannot have any. */
export function accountFor(holder: AccessHolder): string {
  const account = accountName(holder);
  if (account === undefined) throw new Problem("name_reserved");
  return account;
}

/** Undefined removes it. */
export async function setEmail(
  store: Pick<AccountStore, "setEmail">,
  holder: AccessHolder,
  email: string | undefined,
): Promise<void> {
  const account = accountFor(holder);
  if (!(await store.setEmail({ account, holder, email }))) throw new Problem("owner_not_found");
}
