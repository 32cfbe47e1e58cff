/** Where sites are shown without any domain of their owners. */
import { deploymentLabel } from "./deployment.ts";

/** The host that the addresses of all sites are below, over HTTPS. */
export interface SitesHost {
  readonly host: string;
  /** As visitors see it. */
  readonly httpsPort: number;
  /** Whether each deployment has an address of its own: it has where one certificate is for all names. */
  readonly previews: boolean;
}

/** Without a host for the sites, they are shown on this machine alone. */
export function siteAddress(slug: string, sites: SitesHost | undefined, localPort: number): string {
  return sites === undefined ? localAddress(slug, localPort) : addressBelow(sites, slug);
}

/** Undefined where there are no such addresses. */
export function previewAddress(
  id: string,
  sites: SitesHost | undefined,
  localPort: number,
): string | undefined {
  const label = deploymentLabel(id);
  if (sites === undefined) return localAddress(label, localPort);
  return sites.previews ? addressBelow(sites, label) : undefined;
}

function addressBelow({ host, httpsPort }: SitesHost, label: string): string {
  return `https://${label}.${host}${httpsPort === 443 ? "" : `:${httpsPort}`}/`;
}

function localAddress(label: string, port: number): string {
  return `http://${label}.localhost${port === 80 ? "" : `:${port}`}/`;
}
