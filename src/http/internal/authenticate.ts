/** Who asks. Other ways to say so, such as a session's cookie, can stand beside this one. */
import type { AccessStore } from "../../access/access.ts";
import { isAccessToken } from "../../access/accessToken.ts";
import type { Actor } from "../../domains/desk.ts";
import { hashToken } from "../../keys/token.ts";
import { type MaybePromise, then } from "../../maybePromise.ts";
import type { HttpRequest } from "../../wire/message.ts";
import { bearer } from "../authorize.ts";

/** Undefined where nobody is known by what the request carries. */
export type Authenticate = (request: HttpRequest) => MaybePromise<Actor | undefined>;

/** The store is asked every time, so that a revoked token is refused at once in every process. */
export function byAccessToken(store: AccessStore): Authenticate {
  return (request) => {
    const token = bearer.exec(request.header("authorization") ?? "")?.[1] ?? "";
    if (!isAccessToken(token)) return undefined;
    return then(store.findByHash(hashToken(token)), (access) =>
      access?.revokedAtMs === undefined ? access?.holder : undefined,
    );
  };
}
