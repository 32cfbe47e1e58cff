/** Webhooks of a service that is called over its API, which shows them as commands do. */
import { Problem } from "../../core/problems.ts";
import type { HostedWebhooks } from "../webhooksAccess.ts";
import { type ClientOptions, PlatformClient } from "./platformClient.ts";

export function remoteWebhooks(options: ClientOptions): HostedWebhooks {
  const client = new PlatformClient(options);
  const one = (id: string) => ({ path: at(id) });
  const ofEvent = (id: string, event: number) => ({ path: { ...at(id), event: `${event}` } });
  return {
    list: async () => (await client.call("get", "/webhooks")).webhooks,
    create: (body) => client.call("post", "/webhooks", { body }),
    show: (id) => client.call("get", "/webhooks/{webhook}", one(id)),
    update: (id, body) => client.call("put", "/webhooks/{webhook}", { ...one(id), body }),
    enable: (id) =>
      client.call("post", "/webhooks/{webhook}/enable", { ...one(id), repeatable: true }),
    disable: (id) =>
      client.call("post", "/webhooks/{webhook}/disable", { ...one(id), repeatable: true }),
    // Where the response was lost, a second one would say that there is none.
    remove: (id) => client.call("delete", "/webhooks/{webhook}", { ...one(id), repeatable: false }),
    rotate: (id, overlapSeconds) =>
      client.call("post", "/webhooks/{webhook}/rotate", { ...one(id), body: { overlapSeconds } }),
    test: (id) => client.call("post", "/webhooks/{webhook}/test", one(id)),
    deliveries(id, { state = "all" as const, type = "", before, limit }) {
      const query = { state, type, limit, ...(before === undefined ? {} : { before }) };
      return client.call("get", "/webhooks/{webhook}/deliveries", { ...one(id), query });
    },
    delivery: (id, event) =>
      client.call("get", "/webhooks/{webhook}/deliveries/{event}", ofEvent(id, event)),
    replay: (id, event) =>
      event === undefined
        ? client.call("post", "/webhooks/{webhook}/replay", { ...one(id), repeatable: true })
        : client.call("post", "/webhooks/{webhook}/deliveries/{event}/replay", {
            ...ofEvent(id, event),
            repeatable: true,
          }),
  };
}

/** What is no id is no endpoint, and no part of a path. */
function at(id: string): { readonly webhook: string } {
  if (/^whe_[\w-]+$/.test(id)) return { webhook: id };
  throw new Problem("webhook_not_found");
}
