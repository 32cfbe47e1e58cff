/** What the bodies must be. Complaints never repeat a value: it may be a password. */
import type { Credentials, PasswordWish } from "../../accounts/desk.ts";
import { Problem } from "../../problems.ts";

export function readCredentials(body: unknown): Credentials {
  const { name, password } = members(body, ["name", "password"], []);
  return { name: name as string, password: password as string };
}

export interface Welcome {
  readonly token: string;
  readonly password: string | undefined;
}

export function readWelcome(body: unknown): Welcome {
  const { token, password } = members(body, ["token"], ["password"]);
  return { token: token as string, password };
}

export function readPasswordWish(body: unknown): PasswordWish {
  const { current, next } = members(body, ["next"], ["current"]);
  return { current, next: next as string };
}

/** What is repeated of names that nobody asked for. */
const strangersShownMax = 5;

/** Texts by name: those that must be there, those that may, and no others. */
function members(
  body: unknown,
  required: readonly string[],
  optional: readonly string[],
): Readonly<Record<string, string | undefined>> {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new Problem("body_invalid", { detail: "The body must be an object." });
  }
  const given = body as Record<string, unknown>;
  const isText = (name: string) => typeof given[name] === "string";
  const complaints = [
    ...Object.keys(given)
      .filter((name) => !required.includes(name) && !optional.includes(name))
      .slice(0, strangersShownMax)
      .map((name) => `${JSON.stringify(name.slice(0, 40))} is not known here.`),
    ...required.filter((name) => !isText(name)).map((name) => `${name} must be a text.`),
    ...optional
      .filter((name) => given[name] !== undefined && !isText(name))
      .map((name) => `${name} must be a text, or be left out.`),
  ];
  if (complaints.length > 0) throw new Problem("body_invalid", { detail: complaints.join(" ") });
  return given as Record<string, string | undefined>;
}
