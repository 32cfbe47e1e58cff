/** The API of the dashboard on the stores of a service. */
import type { Config } from "../config/config.ts";
import { Vault } from "../core/vault.ts";
import type { SitesHost } from "../hosting/sites/siteAddress.ts";
import type * as platform from "../http/platform/platformApi.ts";
import type { WebhookTools } from "../petstore/webhooks/webhookService.ts";
import type { Stores } from "../storage/stores.ts";
import type { HttpRequest, HttpResponse } from "../wire/message.ts";

type OpenParts = Parameters<typeof platform.openPlatform>[0];

interface PlatformParts
  extends Omit<
    OpenParts,
    | "domainService"
    | "webhookService"
    | "environment"
    | "baseUrl"
    | "sitesHost"
    | "secondFactor"
    | "vault"
    | "accountMails"
  > {
  readonly config: Config;
  readonly secret: string;
  readonly webhookTools: WebhookTools;
  readonly stores: Stores;
}

/** Loaded at the first request: the list of public suffixes would make every start slower. */
export function platformApi({ config, secret, stores, counts, ...parts }: PlatformParts) {
  const make = async () => {
    const [platformModule, { DomainService }, { WebhookService }, { AccountMails }] =
      await Promise.all([
        import("../http/platform/platformApi.ts"),
        import("../hosting/domains/domainService.ts"),
        import("../petstore/webhooks/webhookService.ts"),
        import("../notifications/accountMails.ts"),
      ]);
    const { clock, webhookTools } = parts;
    const domainService = new DomainService({ ...stores, clock, ...domainSettings(config) });
    const { webhooks: store, events } = stores;
    const webhookService = new WebhookService({ ...webhookTools, store, events, clock });
    const { environment } = config;
    const baseUrl = adminBaseUrl(config);
    const { secondFactor } = config;
    const vault = new Vault(secret, clock);
    const services = { domainService, webhookService, vault };
    const service = { ...services, environment, baseUrl, sitesHost: sitesHost(config) };
    const { mail } = config;
    const accountMails =
      mail && new AccountMails({ ...stores, clock, vault, operatorEmail: mail.operator });
    const all = { ...parts, ...service, stores, counts, secondFactor, accountMails };
    return platformModule.openPlatform(all).handle;
  };
  let made: ReturnType<typeof make> | undefined;
  return async (request: HttpRequest): Promise<HttpResponse> => {
    made ??= make().catch((cause) => {
      made = undefined;
      throw cause;
    });
    return (await made)(request);
  };
}

/** The configured address of the API beside the dashboard. */
function adminBaseUrl({ admin, baseUrls, environment }: Config): string | undefined {
  if (admin === undefined) return baseUrls[environment];
  return admin.url && `${admin.url}/v1`;
}

/** Undefined where sites are shown on this machine alone. */
export function sitesHost({ domains }: Config): SitesHost | undefined {
  return (
    domains?.sites && {
      host: domains.sites.host,
      httpsPort: domains.edge.publicHttpsPort,
      previews: domains.sites.certificates.kind !== "each",
    }
  );
}

/** Settings that the domain service needs. */
export function domainSettings({ domains, baseUrls }: Config) {
  const reserved = Object.values(baseUrls).map((address) => new URL(address).hostname);
  return {
    target: domains?.target,
    ownLimits: domains?.acme.ownLimits ?? false,
    dnsUpdates: domains?.sites?.certificates.kind === "wildcard",
    reserved,
    publicHttpsPort: domains?.edge.publicHttpsPort,
  };
}

/** How to write the address we listen on, so that it can be called from this machine. */
export function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}

/** With `PORT=0` the system chooses a port, which other processes cannot know. */
export function usualPort({ port }: Config): number {
  return port === 0 ? 8080 : port;
}

/** `port` is that of the listener which has the dashboard. */
export function dashboardAddress(
  config: Config,
  port = config.admin?.port ?? usualPort(config),
): string {
  const { admin, baseUrls, environment, host } = config;
  const configured = admin === undefined ? baseUrls[environment] : admin.url;
  const listening = admin?.host ?? host;
  // By its name, because browsers make no passkeys for an address.
  const shown = listening === "127.0.0.1" ? "localhost" : reachable(listening);
  const origin = configured === undefined ? `http://${shown}:${port}` : new URL(configured).origin;
  return `${origin}/dashboard/`;
}
