/**
 * Standard Webhooks: its published libraries receive what a service sends, and accept it with the
 * secret that was shown, and neither a changed body nor another secret.
 */
import { randomBytes } from "node:crypto";
import standardWebhooks from "standardwebhooks/package.json" with { type: "json" };
import { eventually } from "../../../testkit/eventually.ts";
import { Missing } from "../run.ts";
import { onService, startService } from "../service.ts";
import type { Failure, Outcome, Suite } from "../suite.ts";
import { type ReceivedMessage, type Verdict, webhookLibraries } from "../webhookLibraries.ts";

export const webhooks: Suite = {
  name: "Standard Webhooks, its libraries as receivers",
  slug: "webhooks",
  quick: true,
  run: receive,
};

/** Of the pets and the order that every suite begins with. */
const typesExpected = ["pet.created", "pet.updated", "order.placed"];

async function receive(): Promise<Outcome> {
  const received: Omit<ReceivedMessage, "secret">[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      received.push({ headers: request.headers.toJSON(), body: await request.text() });
      return new Response(null, { status: 204 });
    },
  });
  let secret = "";
  const starting = startService({ PETSTORE_WEBHOOK_NETWORKS: "127.0.0.0/8" }, async (command) => {
    const made: unknown = await command("webhooks", "create", `http://127.0.0.1:${server.port}/`);
    ({ secret } = made as { secret: string });
  });
  try {
    return await onService(async () => {
      const types = () => received.map(({ body }) => JSON.parse(body).type);
      await eventually(() => typesExpected.every((type) => types().includes(type)));
      return judged(received.map((message) => ({ ...message, secret })));
    }, starting);
  } finally {
    await server.stop(true);
  }
}

function judged(messages: readonly ReceivedMessage[]): Outcome {
  const another = `whsec_${randomBytes(32).toString("base64")}`;
  const cases = messages.flatMap((message): [string, Verdict, ReceivedMessage][] => [
    ["as it was sent", "accepted", message],
    ["with another body", "refused", { ...message, body: `${message.body} ` }],
    ["with another secret", "refused", { ...message, secret: another }],
  ]);
  let passed = 0;
  const failures: Failure[] = [];
  for (const [language, verify] of Object.entries(webhookLibraries())) {
    if (verify === undefined) {
      throw new Missing(`The library for ${language} is missing: .ci/run install`);
    }
    const verdicts = verify(cases.map(([, , message]) => message));
    for (const [index, [what, expected, { headers }]] of cases.entries()) {
      if (verdicts[index] === expected) passed++;
      else {
        const says = `${headers["webhook-id"]} ${what} is ${verdicts[index] ?? "not judged"}.`;
        failures.push({ id: `${language}: ${what}`, says });
      }
    }
  }
  return { version: standardWebhooks.version, passed, failures };
}
