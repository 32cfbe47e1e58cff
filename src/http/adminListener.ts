import { type Listener, type ListenOptions, listen } from "../wire/listener.ts";
import { type AppParts, createApp } from "./app.ts";
import { createPublicRoutes, type PublicRoutesParts } from "./publicRoutes.ts";
import { createWireHandler } from "./wireHandler.ts";

/**
 * The whole service with the dashboard, on a listener of its own, so that whoever reaches the API
 * does not reach the dashboard. The API is here too since the dashboard calls it, and its links lead
 * back here.
 */
export async function listenForAdmin(
  { url, ...at }: ListenOptions & { readonly url: string | undefined },
  parts: AppParts,
  publicRoutes: Omit<PublicRoutesParts, "baseUrl">,
): Promise<Listener> {
  const baseUrl = url && `${url}/v1`;
  const app = createApp({
    ...parts,
    baseUrl,
    publicRoutes: createPublicRoutes({ ...publicRoutes, baseUrl }),
  });
  try {
    return await listen(at, createWireHandler(app, parts), parts.clock);
  } catch (cause) {
    // The system does not say which of the listeners it refused.
    throw Object.assign(cause as Error, { admin: true });
  }
}
