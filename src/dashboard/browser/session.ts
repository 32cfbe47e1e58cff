/** Who is signed in: not known yet, nobody, or somebody. */
import type { Session } from "./answers.ts";
import { comebacks } from "./connection.ts";
import { ask, Refusal, signedOutCount } from "./http.ts";
import { leaving } from "./parts/page.tsx";
import { route } from "./route.ts";
import { topic } from "./topic.ts";

export type SessionState =
  | { readonly kind: "unknown"; readonly fault?: unknown }
  /** `ended`: there was a session, and it is no more. */
  | { readonly kind: "nobody"; readonly ended: boolean }
  | { readonly kind: "somebody"; readonly session: Session };

export const session = topic<SessionState>({ kind: "unknown" });

/** Somebody came in by what they did here. */
export function enter(entered: Session): void {
  leaving();
  show(entered);
}

function show(entered: Session): void {
  session.set({ kind: "somebody", session: entered });
}

export async function lookWhoIsIn(): Promise<void> {
  try {
    show(await ask<Session>("GET", "/session", { signsIn: true }));
  } catch (fault) {
    const nobody = fault instanceof Refusal && fault.status === 401;
    session.set(nobody ? { kind: "nobody", ended: false } : { kind: "unknown", fault });
  }
}

export async function signOut(): Promise<void> {
  await ask("DELETE", "/session", { signsIn: true });
  session.set({ kind: "nobody", ended: false });
}

export function watchSession(): void {
  route.listen(({ at }) => {
    if (at !== "welcome" && session.get().kind === "unknown") void lookWhoIsIn();
  });
  signedOutCount.listen(() => {
    if (session.get().kind === "somebody") session.set({ kind: "nobody", ended: true });
  });
  comebacks.listen(() => {
    if (session.get().kind === "unknown") void lookWhoIsIn();
  });
}

export const isOperator = ({ actor }: Session): boolean => actor.kind === "operator";

export const nameOf = ({ actor }: Session): string => actor.name;
