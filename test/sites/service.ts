/** A running service with sites on it, and requests to any host of it. */
import { request } from "node:http";
import { publish } from "../../src/hosting/sites/publish.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { startTestService, type TestOptions, type TestService } from "../end-to-end/service.ts";
import { type Contents, sourcesOf } from "./sources.ts";

export interface Visit {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly text: string;
}

export interface SitesService extends TestService {
  /** Shows these files as a project, which is made if it is not there. Gives the deployment. */
  show(slug: string, contents: Contents): Promise<string>;
  /** `target` goes out as it is, which `fetch` would tidy up. */
  visit(
    host: string,
    target: string,
    headers?: Record<string, string>,
    method?: string,
  ): Promise<Visit>;
}

let seed = 0;

export async function startSitesService(options: TestOptions = {}): Promise<SitesService> {
  const running = await startTestService(options);
  const { sites } = running.stores;
  const nowMs = Date.UTC(2026, 10, 15, 12);
  return {
    ...running,
    async show(slug, contents) {
      await sites.addOwner({ id: "ada", name: "Ada", plan: "free" });
      await sites.addProject({ slug, ownerId: "ada", nowMs });
      const terms = { store: sites, clock: fakeClock(nowMs, ++seed), unless: "shown" } as const;
      const outcome = await publish(slug, sourcesOf(contents), terms);
      if (!("id" in outcome)) throw new Error(outcome.kind);
      return outcome.id;
    },
    visit(host, target, headers = {}, method = "GET") {
      return new Promise((resolve, reject) => {
        const asking = request(
          {
            host: "127.0.0.1",
            port: running.service.port,
            method,
            path: target,
            headers: { host, ...headers },
            agent: false,
          },
          (answer) => {
            const chunks: Buffer[] = [];
            answer.on("data", (chunk) => chunks.push(chunk));
            answer.on("end", () => {
              const body = Buffer.concat(chunks);
              const { statusCode = 0, headers } = answer;
              resolve({ status: statusCode, headers, body, text: body.toString() });
            });
          },
        );
        asking.on("error", reject);
        asking.end();
      });
    },
  };
}
