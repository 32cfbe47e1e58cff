/** What a webhook service needs beside its stores. Only this machine may be reached. */
import { systemClock } from "../../src/core/clock.ts";
import { Vault } from "../../src/core/vault.ts";
import { WebhookSender } from "../../src/outbound/webhookSender.ts";
import type { SignedMessage } from "../../src/petstore/webhooks/webhooks.ts";

export function webhookToolsForTests(secret = "the secret of this service") {
  const vault = new Vault(secret, systemClock);
  const isAllowed = (address: string) => address === "127.0.0.1";
  let sender: WebhookSender | undefined;
  return {
    ...{ vault, isAllowed },
    send(message: SignedMessage) {
      sender ??= new WebhookSender({ clock: systemClock, isAllowed });
      return sender.send(message);
    },
    close: async () => sender?.close(),
  };
}
