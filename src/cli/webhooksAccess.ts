/** The webhooks as commands use them, on the store or on a service. */
import { isExpectedProblem, type ProblemCode } from "../core/problems.ts";
import type { WebhookService } from "../petstore/webhooks/webhookService.ts";
import type { Call } from "./command.ts";
import type { CliContext } from "./context.ts";
import { CommandFailure } from "./errors.ts";
import { chosenService } from "./remote/credentials.ts";
import { withStores } from "./withStores.ts";

export type HostedWebhooks = Pick<WebhookService, keyof WebhookService>;
type Work<T> = (webhooks: HostedWebhooks) => Promise<T>;

export async function withWebhooks<T>(call: Call, context: CliContext, work: Work<T>): Promise<T> {
  try {
    return await opened(call, context, work);
  } catch (cause) {
    if (!isExpectedProblem(cause)) throw cause;
    const { code, message } = cause;
    const exitCode = code === "webhook_url_invalid" ? 2 : 1;
    throw new CommandFailure(`${message}${nextStep(code, call)}`, { exitCode, code });
  }
}

async function opened<T>(call: Call, context: CliContext, work: Work<T>): Promise<T> {
  const { clock } = context;
  const service = await chosenService(call, context);
  if (service !== undefined) {
    const { remoteWebhooks } = await import("./remote/remoteWebhooks.ts");
    return work(remoteWebhooks({ ...service, clock }));
  }
  return withStores(context, async ({ webhooks: store, events }) => {
    const { WebhookService } = await import("../petstore/webhooks/webhookService.ts");
    const { close, ...tools } = context.webhooks();
    try {
      return await work(new WebhookService({ ...tools, store, events, clock }));
    } finally {
      await close();
    }
  });
}

function nextStep(code: ProblemCode, { operand }: Call): string {
  if (code === "webhook_not_found") return " See petstore webhooks list.";
  if (code === "delivery_not_found") return ` See petstore webhooks deliveries ${operand}.`;
  return "";
}
