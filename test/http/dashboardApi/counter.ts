/** The dashboard's API with all of its places, asked without a socket and under a test's clock. */

import { DomainDesk } from "../../../src/domains/desk.ts";
import { dashboardPlaces } from "../../../src/http/dashboardApi/dashboardPlaces.ts";
import { Recent } from "../../../src/http/dashboardApi/recent.ts";
import { createInternalApi } from "../../../src/http/internal/internalApi.ts";
import { createLog } from "../../../src/log.ts";
import { hashOf } from "../../../src/sites/deployment.ts";
import type { Engine } from "../../end-to-end/engines.ts";
import { openOffice, origin, target } from "../internal/office.ts";
import { requestFrom, responseFrom } from "../webMessages.ts";

export interface Asked {
  readonly as?: "shop" | "rival" | "operator";
  readonly body?: unknown;
  readonly bytes?: string | ReadableStream<Uint8Array>;
}

/** On the stores, tokens and clock of an office: two owners, shop and rival, and the operator. */
export async function openCounter(engine: Engine) {
  const office = await openOffice(engine);
  const { stores, clock, tokens } = office;
  const recent = new Recent(clock);
  const state: { trouble: Error | undefined } = { trouble: undefined };
  const places = dashboardPlaces({
    stores,
    environment: "production",
    series: () => recent.series(),
    clock,
    async ready() {
      if (state.trouble !== undefined) throw state.trouble;
    },
  });
  const handle = createInternalApi({
    ...stores,
    desk: new DomainDesk({ ...stores, clock, target, reserved: [] }),
    clock,
    log: createLog("error", clock, () => {}),
    baseUrl: undefined,
    leaving: () => false,
    places,
  });

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
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  }

  return { ...office, ask, recent, state };
}

export type Counter = Awaited<ReturnType<typeof openCounter>>;

/** The announcement of files that are to be deployed. */
export const announced = (files: Readonly<Record<string, string>>) => ({
  files: Object.entries(files).map(([path, content]) => ({
    path,
    bytes: Buffer.byteLength(content),
    hash: hash(content),
  })),
});

export const hash = (content: string) => hashOf(Buffer.from(content));
