/** The names below the host of the sites: where they are shown without a domain, and what domains point to. */
import type { Clock } from "../../core/clock.ts";
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

const targetForm = /^edge-[0-9a-f]{20}$/;

/** What one domain points to, and no other ever will. */
export function newTarget(sitesHost: string, clock: Clock): string {
  return `edge-${Buffer.from(clock.random(10)).toString("hex")}.${sitesHost}`;
}

export const isTargetLabel = (label: string) => targetForm.test(label);
