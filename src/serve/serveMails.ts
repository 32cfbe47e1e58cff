/** Notifies owners and the operator by e-mail, beside the API. */
import type { Config } from "../config/config.ts";
import type { MailConfig } from "../config/mailConfig.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { Vault } from "../core/vault.ts";
import type { MailContext, MailMessage } from "../notifications/mailText.ts";
import type { Notifier } from "../notifications/notifier.ts";
import type { SmtpSender } from "../outbound/smtpSender.ts";
import type { Stores } from "../storage/stores.ts";
import { dashboardAddress } from "./serveDashboard.ts";

interface MailParts {
  readonly config: Config;
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly stores: Stores;
}

/** Loaded when the first mail is sent: TLS would make every start slower. */
function lazySender({ server, from }: MailConfig, clock: Clock) {
  let made: Promise<SmtpSender> | undefined;
  const sender = () => {
    made ??= import("../outbound/smtpSender.ts").then(
      ({ SmtpSender }) => new SmtpSender({ server, from, clock }),
    );
    return made;
  };
  return {
    send: async (message: MailMessage) => (await sender()).send(message),
    verify: async () => (await sender()).verify(),
  };
}

const mailContext = (config: Config): MailContext => ({
  service: config.environment === "production" ? "Pet Store" : "Pet Store staging",
  dashboard: dashboardAddress(config),
});

/** Every process of a service does this: the store gives each mail to one of them. */
export function startMails({ config, secret, clock, log, stores }: MailParts) {
  const { mail } = config;
  let notifier: Notifier | undefined;
  const start = async (settings: MailConfig) => {
    const { Notifier } = await import("../notifications/notifier.ts");
    notifier = new Notifier({
      ...{ stores, clock, log, operatorEmail: settings.operator },
      vault: new Vault(secret, clock),
      context: mailContext(config),
      send: lazySender(settings, clock).send,
    });
    notifier.start();
  };
  const started = mail && start(mail);
  return {
    async stop(graceMs: number): Promise<void> {
      await started;
      await notifier?.stop(graceMs);
    },
  };
}

/** What commands need: `secretOf` gives the secret of the service. Undefined where nothing is mailed. */
export function mailTools(config: Config, secretOf: (config: Config) => string, clock: Clock) {
  const { mail } = config;
  if (mail === undefined) return undefined;
  return {
    ...lazySender(mail, clock),
    server: `${mail.server.host}:${mail.server.port}`,
    vault: new Vault(config.secret ?? secretOf(config), clock),
    operatorEmail: mail.operator,
    context: mailContext(config),
  };
}
