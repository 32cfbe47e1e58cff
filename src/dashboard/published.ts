/** The dashboard in memory, ready to be served. */
import type { PublishedDocs, PublishedFile } from "../docs/published.ts";
import { publishedFile } from "../docs/publishedFile.ts";
import { emitDashboardAssets } from "./assets.ts";
import { dashboardPage } from "./page.ts";

/** Nothing from elsewhere, nothing inline, and no frame around it. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

export async function publishDashboard(base: string): Promise<PublishedDocs> {
  const files = new Map<string, PublishedFile>();
  const emit = (path: string, bytes: Uint8Array) => {
    files.set(path, publishedFile(path, bytes));
  };
  const assets = await emitDashboardAssets(emit);
  emit("index.html", new TextEncoder().encode(dashboardPage(base, assets)));
  return { files, contentSecurityPolicy };
}
