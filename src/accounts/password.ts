/** What a password may be. There are no rules on its composition, since they make people predictable. */
import { commonPasswords } from "./commonPasswords.ts";

export const passwordLengthMin = 12;
export const passwordLengthMax = 256;

/** Why a text cannot be the password of an account; undefined when it can. */
export function passwordComplaint(password: string, account: string): string | undefined {
  const text = password.normalize("NFC");
  if (!text.isWellFormed()) return "The password has half a character in it. Type it anew.";
  const length = [...text].length;
  if (length < passwordLengthMin) {
    return `The password must have at least ${passwordLengthMin} characters. A few words in a row will do.`;
  }
  if (length > passwordLengthMax) {
    return `The password must not have more than ${passwordLengthMax} characters.`;
  }
  const folded = text.toLowerCase();
  if (folded === account) return "The password must not be the name.";
  if (commonPasswords.has(folded) || isOneCharacter(folded)) {
    return "The password is among the first that anybody would try. Choose another.";
  }
  return undefined;
}

function isOneCharacter(text: string): boolean {
  return new Set(text).size === 1;
}
