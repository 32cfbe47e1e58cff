/** Webhook endpoints and their deliveries, for operators. */

import { Problem } from "../../core/problems.ts";
import { eventPatterns } from "../../petstore/events/events.ts";
import type { WebhookService } from "../../petstore/webhooks/webhookService.ts";
import { json, type PlatformHandlers } from "./handlers.ts";

export interface WebhookHandlersParts {
  readonly webhookService: WebhookService;
}

export function webhookHandlers({ webhookService: service }: WebhookHandlersParts) {
  return {
    listWebhooks: async () => json(200, { types: eventPatterns, webhooks: await service.list() }),

    createWebhook: async ({ body }) => json(201, await service.create(body)),

    getWebhook: async ({ path }) => json(200, await service.show(path.webhook)),

    updateWebhook: async ({ path, body }) => json(200, await service.update(path.webhook, body)),

    async removeWebhook({ path }) {
      await service.remove(path.webhook);
      return { status: 204 };
    },

    enableWebhook: async ({ path }) => json(200, await service.enable(path.webhook)),

    disableWebhook: async ({ path }) => json(200, await service.disable(path.webhook)),

    testWebhook: async ({ path }) => json(200, await service.test(path.webhook)),

    rotateWebhook: async ({ path, body }) =>
      json(200, await service.rotate(path.webhook, body.overlapSeconds)),

    async listDeliveries({ path, query: { state, type, ...page } }) {
      const filter = {
        ...page,
        state: state === "all" ? undefined : state,
        type: type === "" ? undefined : type,
      };
      return json(200, await service.deliveries(path.webhook, filter));
    },

    getDelivery: async ({ path }) =>
      json(200, await service.delivery(path.webhook, readEvent(path.event))),

    replayDelivery: async ({ path }) =>
      json(200, await service.replay(path.webhook, readEvent(path.event))),

    replayFailed: async ({ path }) => json(200, await service.replay(path.webhook, undefined)),
  } satisfies Partial<PlatformHandlers>;
}

/** What is no number is the id of no event. */
function readEvent(text: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(text)) return Number(text);
  throw new Problem("delivery_not_found");
}
