/** The second factors of the signed-in account, one handler each. */
import { relyingParty } from "../../accounts/passkeys.ts";
import type { SecondFactorService } from "../../accounts/secondFactorService.ts";
import type { Log } from "../../core/log.ts";
import type { HttpRequest } from "../../wire/message.ts";
import type { PlatformAuthentication } from "./authentication.ts";
import type { PlatformHandlers } from "./handlers.ts";
import { inMs } from "./sessions.ts";

export interface SecondFactorHandlersParts {
  readonly factors: SecondFactorService;
  readonly authentication: PlatformAuthentication;
  readonly log: Log;
}

export function secondFactorHandlers({ factors, authentication, log }: SecondFactorHandlersParts) {
  const partyOf = (request: HttpRequest) => relyingParty(authentication.originFor(request));
  const noted = (account: string, change: string) =>
    log.info("account.factors_changed", { account, change });

  return {
    async getSecondFactors(_, { caller, request }) {
      const { session, holder } = caller.session;
      const { passkeys, totp, recoveryCodesLeft } = await factors.factorsOf(session.account);
      return inMs(200, {
        required: factors.isRequired(holder),
        passkeys: passkeys.map(({ id, name, createdAtMs, usedAtMs = null }) => ({
          ...{ id, name, createdAtMs, usedAtMs },
        })),
        totpSinceMs: totp?.createdAtMs ?? null,
        recoveryCodesLeft,
        passkeyOrigin: partyOf(request)?.origin ?? null,
        changeableUntilMs: factors.changeableUntilMs(session),
      });
    },

    beginTotp: (_, { caller }) => inMs(200, factors.beginTotp(caller.session.session)),

    async confirmTotp({ body: { setup, code } }, { caller }) {
      const { session } = caller.session;
      const recoveryCodes = await factors.confirmTotp(session, setup, code);
      noted(session.account, "totp added");
      return inMs(200, { recoveryCodes });
    },

    async removeTotp(_, { caller }) {
      await factors.remove(caller.session, undefined);
      noted(caller.session.session.account, "totp removed");
      return { status: 204 };
    },

    async createPasskey(_, { caller, request }) {
      const { session } = caller.session;
      return inMs(200, await factors.createPasskey(session, partyOf(request)));
    },

    async addPasskey({ body }, { caller, request }) {
      const { session } = caller.session;
      const recoveryCodes = await factors.addPasskey(session, body, partyOf(request));
      noted(session.account, "passkey added");
      return inMs(200, { recoveryCodes });
    },

    async renamePasskey({ path: { passkey }, body: { name } }, { caller }) {
      await factors.renamePasskey(caller.session.session, passkey, name);
      return { status: 204 };
    },

    async removePasskey({ path: { passkey } }, { caller }) {
      await factors.remove(caller.session, passkey);
      noted(caller.session.session.account, "passkey removed");
      return { status: 204 };
    },

    async replaceRecoveryCodes(_, { caller }) {
      const { session } = caller.session;
      const recoveryCodes = await factors.replaceRecoveryCodes(session);
      noted(session.account, "recovery codes replaced");
      return inMs(200, { recoveryCodes });
    },
  } satisfies Partial<PlatformHandlers>;
}
