/** The platform's API on a real database, called without a socket and under the test's clock. */
import { type AccessHolder, mintAccess } from "../../../src/accounts/access.ts";
import { createLog } from "../../../src/core/log.ts";
import { Vault } from "../../../src/core/vault.ts";
import { DomainService } from "../../../src/hosting/domains/domainService.ts";
import type { SitesHost } from "../../../src/hosting/sites/siteAddress.ts";
import { openPlatform } from "../../../src/http/platform/platformApi.ts";
import { Recent } from "../../../src/http/recentRequests.ts";
import { OwnCounts } from "../../../src/petstore/keys/rateLimiter.ts";
import { WebhookService } from "../../../src/petstore/webhooks/webhookService.ts";
import type { Stores } from "../../../src/storage/stores.ts";
import { fakeClock } from "../../../testkit/fakeClock.ts";
import { judgePlatform } from "../../contract/judgePlatform.ts";
import type { Engine } from "../../end-to-end/engines.ts";
import { nowMs, projectIn } from "../../store/domainSamples.ts";
import { webhookToolsForTests } from "../../webhooks/webhookTools.ts";
import { requestFrom, responseFrom } from "../webMessages.ts";

export const origin = "http://petstore.test:8080";
export const target = "sites.platform.test";

export interface Asked {
  readonly as?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare whole values with what they expect
  readonly body: any;
}

/** Two owners, shop and rival, with a project each of the same name; tokens for both and us. */
export async function openInternalApiFixture(engine: Engine, sitesHost?: SitesHost) {
  const database = await engine.newDatabase({ migrated: true });
  const clock = fakeClock(nowMs, 7);
  const stores: Stores = await database.open();
  let lines = "";
  const log = createLog("info", clock, (text) => {
    lines += text;
  });
  await projectIn(stores, "shop");
  await projectIn(stores, "rival");
  const tokenFor = async (holder: AccessHolder) => {
    const minted = mintAccess(holder, "test", clock);
    await stores.access.add(minted.access);
    return minted;
  };
  const shop = await tokenFor({ kind: "owner", id: "shop" });
  const rival = await tokenFor({ kind: "owner", id: "rival" });
  const operator = await tokenFor({ kind: "operator" });
  const state: { leaving: boolean; trouble: Error | undefined } = {
    leaving: false,
    trouble: undefined,
  };
  const recent = new Recent(clock);
  const serviceParts = { ...stores, clock, target, ownLimits: true, reserved: ["platform.test"] };
  const tools = webhookToolsForTests();
  const { handle } = openPlatform({
    stores,
    domainService: new DomainService(serviceParts),
    webhookService: new WebhookService({
      ...{ ...tools, clock, store: stores.webhooks, events: stores.events },
    }),
    counts: new OwnCounts(clock),
    environment: "production",
    vault: new Vault("a secret of this test", clock),
    secondFactor: "optional",
    clock,
    log,
    baseUrl: "https://api.petstore.test/v1",
    sitesHost,
    series: () => recent.series(),
    async ready() {
      if (state.trouble !== undefined) throw state.trouble;
    },
    leaving: () => state.leaving,
  });

  async function send(method: string, path: string, asked: Asked = {}): Promise<Response> {
    const { as = shop.token, body, headers = {}, signal } = asked;
    const request = new Request(`${origin}/internal/v1${path}`, {
      method,
      headers: {
        ...(as === "" ? {} : { authorization: `Bearer ${as}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: bodyText(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    return responseFrom(await handle(requestFrom(request)));
  }

  return {
    stores,
    clock,
    state,
    recent,
    handle,
    tokens: { shop: shop.token, rival: rival.token, operator: operator.token },
    ids: { shop: shop.access.id },
    send,
    async ask(method: string, path: string, asked: Asked = {}): Promise<Answered> {
      const seen = await sent(send(method, path, asked));
      judgePlatform(method, path, seen);
      const { status, headers, text } = seen;
      return { status, headers, body: text === "" ? undefined : JSON.parse(text) };
    },
    logged() {
      log.flush();
      return lines;
    },
    async close() {
      await tools.close();
      await stores.close();
      await database.remove();
    },
  };
}

export type InternalApiFixture = Awaited<ReturnType<typeof openInternalApiFixture>>;

const bodyText = (body: unknown) => (typeof body === "string" ? body : JSON.stringify(body));

async function sent(response: Promise<Response>) {
  const { status, headers } = await response;
  return { status, headers, text: await (await response).text() };
}
