/** Who is signed in. */
import type { PendingSignIn, Session } from "../../contract/generated/platform.ts";
import { reconnections } from "./connection.ts";
import { ApiError, call, signedOutCount } from "./http.ts";
import { observable } from "./observable.ts";
import { markNavigation } from "./parts/page.tsx";
import { route } from "./route.ts";

export type SessionState =
  | { readonly kind: "unknown"; readonly error?: unknown }
  /** `ended`: there was a session, which has expired or was ended elsewhere. */
  | { readonly kind: "signed_out"; readonly ended: boolean }
  /** The password was right, or a link was used, and the second step is to come. */
  | { readonly kind: "second_step"; readonly pending: PendingSignIn }
  | { readonly kind: "signed_in"; readonly session: Session };

export const session = observable<SessionState>({ kind: "unknown" });

/** Signed in on this page. */
export function startSession(started: Session): void {
  markNavigation();
  session.set({ kind: "signed_in", session: started });
}

/** After the first step: the session, unless there is a second. */
export function continueSignIn(step: Session | PendingSignIn): void {
  if ("actor" in step) startSession(step);
  else session.set({ kind: "second_step", pending: step });
}

export async function loadSession(): Promise<void> {
  try {
    const started = await call("get", "/session", { signsIn: true });
    session.set({ kind: "signed_in", session: started });
  } catch (error) {
    const signedOut = error instanceof ApiError && error.status === 401;
    session.set(signedOut ? { kind: "signed_out", ended: false } : { kind: "unknown", error });
  }
}

export async function signOut(): Promise<void> {
  await call("delete", "/session", { signsIn: true });
  session.set({ kind: "signed_out", ended: false });
}

export function watchSession(): void {
  route.subscribe(({ at }) => {
    if (at !== "welcome" && session.get().kind === "unknown") void loadSession();
  });
  signedOutCount.subscribe(() => {
    if (session.get().kind === "signed_in") session.set({ kind: "signed_out", ended: true });
  });
  reconnections.subscribe(() => {
    if (session.get().kind === "unknown") void loadSession();
  });
}

export const isOperator = ({ actor }: Session): boolean => actor.kind === "operator";

export const nameOf = ({ actor }: Session): string => actor.name;
