/** The session operations on a real database, called without a socket and under the test's clock. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { type AccessHolder, mintAccess } from "../../src/accounts/access.ts";
import type { Derive } from "../../src/accounts/password.ts";
import type { SecondFactorPolicy } from "../../src/accounts/secondFactors.ts";
import { invitationMs, issueLink } from "../../src/accounts/sessions.ts";
import { createLog } from "../../src/core/log.ts";
import { Vault } from "../../src/core/vault.ts";
import { DomainService } from "../../src/hosting/domains/domainService.ts";
import { openPlatform } from "../../src/http/platform/platformApi.ts";
import { Recent } from "../../src/http/recentRequests.ts";
import { OwnCounts } from "../../src/petstore/keys/rateLimiter.ts";
import { WebhookService } from "../../src/petstore/webhooks/webhookService.ts";
import type { Stores } from "../../src/storage/stores.ts";
import type { HttpRequest } from "../../src/wire/message.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { judgePlatform } from "../contract/judgePlatform.ts";
import { type Engine, sqlite } from "../end-to-end/engines.ts";
import { requestFrom, responseFrom } from "../http/webMessages.ts";
import { webhookToolsForTests } from "../webhooks/webhookTools.ts";

export const origin = "http://petstore.test:8080";
export const startMs = Date.UTC(2026, 10, 15, 12);
export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const phrase = "lantern over the harbour";

export interface Asked {
  /** The value of the Cookie header. */
  readonly cookie?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly at?: string;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare whole values with what they expect
  readonly body: any;
  /** What a browser would send back: `petstore=…`. */
  readonly cookie: string;
}

export interface SessionFixtureOptions {
  readonly engine?: Engine;
  readonly baseUrl?: string;
  readonly secondFactor?: SecondFactorPolicy;
  /** Wraps the stores that the API gets. */
  readonly wrap?: (stores: Stores) => Stores;
}

/** The owners shop and rival, and an API whose hashing is cheap and counted. */
export async function openSessionFixture({
  engine = sqlite,
  baseUrl,
  secondFactor = "optional",
  wrap = (stores) => stores,
}: SessionFixtureOptions = {}) {
  const database = await engine.newDatabase({ migrated: true });
  const clock = fakeClock(startMs, 11);
  const stores = await database.open();
  const others: Stores[] = [];
  for (const id of ["shop", "rival"]) {
    await stores.sites.addOwner({ id, name: `The ${id}`, plan: "paid" });
  }
  let lines = "";
  const log = createLog("info", clock, (text) => {
    lines += text;
  });
  const state = { peer: "198.51.100.7", hashings: 0 };
  /** Holds every hashing until it is let go. */
  let held: Promise<void> | undefined;
  const derive: Derive = async (password, salt, cost) => {
    state.hashings++;
    await held;
    const parts = [password, salt, Buffer.from(JSON.stringify(cost))];
    return createHash("sha256").update(Buffer.concat(parts)).digest();
  };
  const open = (policy = secondFactor, handle = stores) =>
    openPlatform({
      stores: wrap(handle),
      vault: new Vault("a secret of this test", clock),
      secondFactor: policy,
      domainService: new DomainService({
        ...stores,
        clock,
        target: undefined,
        ownLimits: true,
        reserved: [],
      }),
      webhookService: new WebhookService({
        ...{ ...webhookToolsForTests(), clock },
        ...{ store: stores.webhooks, events: stores.events },
      }),
      environment: "production",
      series: () => new Recent(clock).series(),
      ready: async () => {},
      leaving: () => false,
      clock,
      counts: new OwnCounts(clock),
      log,
      sitesHost: undefined,
      baseUrl,
      derive,
    });
  const api = open();

  function requestFor(method: string, path: string, asked: Asked = {}): HttpRequest {
    const { cookie, body, headers, at = origin } = asked;
    const ours: Record<string, string> =
      method === "GET" ? {} : { "sec-fetch-site": "same-origin" };
    const request = new Request(`${at}/internal/v1${path}`, {
      method,
      headers: {
        ...(cookie === undefined ? {} : { cookie }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(headers ?? ours),
      },
      ...(body === undefined ? {} : { body: bodyText(body) }),
    });
    return requestFrom(request, state.peer);
  }

  async function ask(method: string, path: string, asked: Asked = {}, by = api): Promise<Answered> {
    const request = requestFor(method, path, asked);
    const response = responseFrom(await by.handle(request));
    const { status, headers } = response;
    const text = await response.text();
    judgePlatform(method, path, { status, headers, text });
    const [cookie = ""] = (headers.get("set-cookie") ?? "").split(";", 1);
    return { status, headers, body: text === "" ? undefined : JSON.parse(text), cookie };
  }

  const link = (holder: AccessHolder, lifetimeMs = invitationMs) =>
    issueLink(stores.accounts, clock, holder, lifetimeMs);

  return {
    stores,
    clock,
    state,
    api,
    /** As another process on the same store. */
    open,
    /** The same, with connections of its own. */
    async openOther() {
      const other = await database.open();
      others.push(other);
      return open(secondFactor, other);
    },
    /** Of SQLite. */
    file: join(database.folder, "production", "petstore.db"),
    query: database.query,
    requestFor,
    ask,
    link,
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = undefined;
        resolve();
      };
    },
    /** Signs in by a one-time link, sets the password, and returns the cookie. */
    async signInByLink(
      holder: AccessHolder,
      password: string | undefined = phrase,
    ): Promise<string> {
      const { token } = await link(holder);
      const { status, cookie } = await ask("POST", "/welcome", { body: { token, password } });
      if (status !== 200) throw new Error(`Welcome answered ${status}.`);
      return cookie;
    },
    signIn: (name: string, password: string, asked: Asked = {}, by = api) =>
      ask("POST", "/session", { ...asked, body: { name, password } }, by),
    async tokenFor(holder: AccessHolder): Promise<string> {
      const { access, token } = mintAccess(holder, "test", clock);
      await stores.access.add(access);
      return token;
    },
    logged(): string {
      log.flush();
      return lines;
    },
    /** Every byte that is on disk. */
    onDisk: () => database.storedText(),
    async close() {
      for (const each of [stores, ...others]) await each.close();
      await database.remove();
    },
  };
}

export type SessionFixture = Awaited<ReturnType<typeof openSessionFixture>>;

export const operator: AccessHolder = { kind: "operator" };
export const shop: AccessHolder = { kind: "owner", id: "shop" };
export const rival: AccessHolder = { kind: "owner", id: "rival" };

const bodyText = (body: unknown) => (typeof body === "string" ? body : JSON.stringify(body));
