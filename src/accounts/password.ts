/** What a password may be. There are no rules on its composition, since they make people predictable. */
import { commonPasswords } from "./commonPasswords.ts";

export const passwordLengthMin = 12;
export const passwordLengthMax = 256;
/** No letter is written in more parts. */
const partsMax = 4;

/**
 * One spelling for what looks the same; undefined for what is too long to be a password. To
 * normalise a text takes time with the square of its marks, and everybody may send one.
 */
export function normalPassword(password: string): string | undefined {
  return password.length > partsMax * passwordLengthMax ? undefined : password.normalize("NFC");
}

/** Why a text cannot be the password of an account; undefined when it can. */
export function passwordComplaint(password: string, account: string): string | undefined {
  const text = normalPassword(password);
  if (text === undefined) return tooLong;
  if (!text.isWellFormed()) return "The password has half a character in it. Type it anew.";
  const length = [...text].length;
  if (length < passwordLengthMin) {
    return `The password must have at least ${passwordLengthMin} characters. A few words in a row will do.`;
  }
  if (length > passwordLengthMax) return tooLong;
  const folded = text.toLowerCase();
  if (folded === account) return "The password must not be the name.";
  if (commonPasswords.has(folded) || isOneCharacter(folded)) {
    return "The password is among the first that anybody would try. Choose another.";
  }
  return undefined;
}

const tooLong = `The password must not have more than ${passwordLengthMax} characters.`;

function isOneCharacter(text: string): boolean {
  return new Set(text).size === 1;
}
