import { get } from "node:http";
import type { Command } from "./command.ts";
import { CommandFailure } from "./world.ts";

const answerMsMax = 3000;

export const healthcheck: Command = {
  name: "healthcheck",
  summary: "Ask the service on this machine whether it is ready",
  options: {},
  about: [
    "It asks /readyz at the HOST and PORT of the settings, as a container engine does that has no curl.",
    `Exit code: 0 ready; 1 not ready, or no answer within ${answerMsMax / 1000} seconds.`,
  ].join("\n"),
  examples: ["petstore healthcheck"],
  async run(_call, world) {
    const address = `${world.serviceAddress()}/readyz`;
    const late = new AbortController();
    const stop = world.clock.after(answerMsMax, () => late.abort());
    try {
      const status = await statusOf(address, late.signal).catch(() => {
        const why = late.signal.aborted ? `within ${answerMsMax / 1000} seconds` : "at all";
        throw new CommandFailure(`${address} does not answer ${why}. Check HOST and PORT.`);
      });
      if (status !== 200) throw new CommandFailure(`${address} answered ${status}: not ready.`);
      return { json: { ready: true }, text: "Ready.\n" };
    } finally {
      stop();
    }
  },
};

/** Not by fetch, which would ask the proxy that HTTP_PROXY names, even for this machine. */
function statusOf(address: string, signal: AbortSignal): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = get(address, { agent: false, signal }, (response) => {
      resolve(response.statusCode);
      response.destroy();
    });
    request.on("error", reject);
  });
}
