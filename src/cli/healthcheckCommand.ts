import { connect } from "node:net";
import type { Command } from "./command.ts";
import { CommandFailure } from "./context.ts";

const answerMsMax = 3000;

export const healthcheck: Command = {
  name: "healthcheck",
  summary: "Check whether the service on this machine is ready",
  options: {},
  about: [
    "It asks /readyz at the HOST and PORT of the settings, as a container engine does that has no curl.",
    `Exit code: 0 ready; 1 not ready, or no answer within ${answerMsMax / 1000} seconds.`,
  ].join("\n"),
  examples: ["petstore healthcheck"],
  async run(_call, context) {
    const address = `${context.serviceAddress()}/readyz`;
    const late = new AbortController();
    const stop = context.clock.after(answerMsMax, () => late.abort());
    try {
      const status = await statusOf(address, context.servicePreface(), late.signal).catch(() => {
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

/**
 * Not by fetch, which would ask the proxy that HTTP_PROXY names, even for this machine, and cannot
 * send a preface.
 */
function statusOf(address: string, preface: Uint8Array, signal: AbortSignal): Promise<number> {
  const { hostname, host, port, pathname } = new URL(address);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port || 80), hostname.replace(/^\[|\]$/g, ""), () => {
      socket.write(preface);
      socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    });
    signal.addEventListener("abort", () => socket.destroy());
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      const status = /^HTTP\/1\.1 ([0-9]{3}) /.exec(received)?.[1];
      if (status === undefined) return;
      resolve(Number(status));
      socket.destroy();
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("The connection was closed without an answer.")));
  });
}
