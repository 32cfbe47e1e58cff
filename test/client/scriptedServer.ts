/** A server that answers by a script, well or badly. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PetStoreClient, type PetStoreOptions } from "../../src/client/client.ts";
import { type FakePlatform, fakePlatform } from "./platform.ts";

export interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  /** A string goes as it is, anything else as JSON. */
  readonly body?: unknown;
}

/** `hang up`: before a byte. `break off`: in the middle of the body. `say nothing`: for ever. */
export type Act = Answer | "hang up" | "break off" | "say nothing";

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ScriptedServer {
  readonly origin: string;
  readonly base: string;
  /** Since the last script. */
  readonly requests: SeenRequest[];
  /** One act for each request to come; a request beyond the script fails the test that sent it. */
  play(...acts: Act[]): void;
  /** Resolves when that many requests have come. */
  received(count: number): Promise<void>;
  stop(): void;
}

export const key = "pet_test_a_key_that_nothing_but_this_test_may_see";

export async function startScriptedServer(): Promise<ScriptedServer> {
  const requests: SeenRequest[] = [];
  let script: Act[] = [];
  let waiting: { readonly count: number; readonly wake: () => void }[] = [];

  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method = "", url = "", headers } = request;
    requests.push({ method, url, headers, body });
    perform(script.shift() ?? { status: 501, body: "The script is over." }, response);
    for (const { wake } of waiting.filter(({ count }) => count <= requests.length)) wake();
    waiting = waiting.filter(({ count }) => count > requests.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    base: `${origin}/v1`,
    requests,
    play(...acts) {
      script = acts;
      requests.length = 0;
    },
    received: (count) =>
      new Promise((wake) => {
        if (requests.length >= count) wake();
        else waiting.push({ count, wake });
      }),
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function perform(act: Act, response: ServerResponse): void {
  if (act === "say nothing") return;
  if (act === "hang up") {
    response.socket?.destroy();
  } else if (act === "break off") {
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
    response.write('[{"id":1,');
    response.socket?.destroySoon();
  } else {
    const { status, headers, body = "" } = act;
    // Closed, because Bun's fetch by itself repeats a GET on a connection that was used before.
    response.writeHead(status, {
      "content-type": "application/json",
      connection: "close",
      ...headers,
    });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  }
}

export const refusal = (
  status: number,
  code: string,
  headers: Record<string, string> = {},
): Act => ({
  status,
  headers,
  body: { code, message: `It is ${code}.`, status },
});

/** A client of such a server that holds the platform in its hand. */
export function clientOf(
  server: { readonly base: string },
  options: Partial<PetStoreOptions> & { readonly fake?: FakePlatform } = {},
): { readonly client: PetStoreClient; readonly fake: FakePlatform } {
  const { fake = fakePlatform(), ...others } = options;
  const client = new PetStoreClient({
    baseUrl: server.base,
    apiKey: key,
    platform: fake,
    ...others,
  });
  return { client, fake };
}

/** What the work was rejected with. */
export async function rejection(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (value) => {
      throw new Error(`It was not rejected, and gave ${Bun.inspect(value)}.`);
    },
    (reason) => reason,
  );
}
