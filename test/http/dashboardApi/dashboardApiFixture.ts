/** The platform's API, called without a socket and under the test's clock. */

import { hashOf } from "../../../src/hosting/sites/deployment.ts";
import type { SitesHost } from "../../../src/hosting/sites/siteAddress.ts";
import { judgePlatform } from "../../contract/judgePlatform.ts";
import type { Engine } from "../../end-to-end/engines.ts";
import { openInternalApiFixture, origin } from "../internal/internalApiFixture.ts";
import { requestFrom, responseFrom } from "../webMessages.ts";

export interface Asked {
  readonly as?: "shop" | "rival" | "operator";
  readonly body?: unknown;
  readonly bytes?: string | ReadableStream<Uint8Array>;
}

/** On the stores, tokens and clock of the internal API fixture: the owners shop and rival, and the operator. */
export async function openDashboardApiFixture(engine: Engine, sitesHost?: SitesHost) {
  const fixture = await openInternalApiFixture(engine, sitesHost);
  const { handle, tokens } = fixture;

  async function ask(method: string, path: string, asked: Asked = {}) {
    const { as = "shop", body, bytes } = asked;
    const type = bytes === undefined ? "application/json" : "application/octet-stream";
    const content = bytes ?? (body === undefined ? undefined : JSON.stringify(body));
    const request = new Request(`${origin}/internal/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${tokens[as]}`, "content-type": type },
      ...(content === undefined ? {} : { body: content }),
    });
    const response = responseFrom(await handle(requestFrom(request)));
    const { status, headers } = response;
    const text = await response.text();
    judgePlatform(method, path, { status, headers, text });
    return { status, body: text === "" ? undefined : JSON.parse(text) };
  }

  return { ...fixture, ask };
}

export type DashboardApiFixture = Awaited<ReturnType<typeof openDashboardApiFixture>>;

/** The announcement of files that are to be deployed. */
export const announced = (files: Readonly<Record<string, string>>) => ({
  files: Object.entries(files).map(([path, content]) => ({
    path,
    bytes: Buffer.byteLength(content),
    hash: hash(content),
  })),
});

export const hash = (content: string) => hashOf(Buffer.from(content));
