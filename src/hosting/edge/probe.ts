/** Asks one of our own edges for a challenge, as the certificate authority will. */
import { connect, isIP } from "node:net";
import type { Clock } from "../../core/clock.ts";
import { hostOf } from "../../wire/requestHead.ts";
import type { Edge } from "../domains/edgeView.ts";
import type { ProbeOutcome } from "../domains/preparation.ts";
import { challengePrefix, challengeToken } from "./requestHandler.ts";

const noBytes = new Uint8Array();
const probeMsMax = 3_000;
const bodyBytesMax = 1_024;
const headerBytesMax = 8 * 1_024;

/**
 * Dials the given address and nothing else: what an owner writes into DNS never decides where this
 * goes. A redirect is a failure, not a lead. `preface` is what an edge expects before the request.
 */
export async function probeEdge(
  edge: Pick<Edge, "address" | "httpPort">,
  host: string,
  token: string,
  clock: Clock,
  preface: Uint8Array = noBytes,
): Promise<ProbeOutcome> {
  const where = `${edge.address} port ${edge.httpPort}`;
  if (isIP(edge.address) === 0) return failed(`${edge.address} is not an IP address.`);
  if (hostOf(host) !== host) return failed(`${host} is not a host name.`);
  if (!challengeToken.test(token)) return failed("The token of the challenge has another form.");

  return new Promise((resolve) => {
    const socket = connect(edge.httpPort, edge.address);
    const settle = (outcome: ProbeOutcome) => {
      inTime();
      socket.destroy();
      resolve(outcome);
    };
    const fail = (detail: string) => settle(failed(detail));
    const inTime = clock.after(probeMsMax, () =>
      fail(`The edge at ${where} did not answer within ${probeMsMax / 1000} seconds.`),
    );
    let received = Buffer.alloc(0);
    socket.once("connect", () => {
      socket.write(preface);
      socket.write(question(host, token));
    });
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const outcome = readAnswer(received, where);
      if (outcome !== undefined) settle(outcome);
    });
    socket.once("error", (cause: NodeJS.ErrnoException) =>
      fail(`The edge at ${where} cannot be reached (${cause.code ?? cause.message}).`),
    );
    socket.once("close", () => fail(`The edge at ${where} ended its answer early.`));
  });
}

function failed(detail: string): ProbeOutcome {
  return { kind: "failed", detail };
}

const question = (host: string, token: string) =>
  `GET ${challengePrefix}${token} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;

/** Undefined until enough of it is here. Our edges always say how long an answer is. */
function readAnswer(received: Buffer, where: string): ProbeOutcome | undefined {
  const headerEnd = received.indexOf("\r\n\r\n");
  if (headerEnd === -1) {
    return received.byteLength > headerBytesMax
      ? failed(`What answers at ${where} is no edge.`)
      : undefined;
  }
  const header = received.toString("latin1", 0, headerEnd + 2);
  const status = /^HTTP\/1\.1 ([0-9]{3}) /.exec(header)?.[1];
  if (status === undefined) return failed(`What answers at ${where} is no edge.`);
  if (status !== "200") return failed(`The edge at ${where} answered ${status}.`);
  const length = Number(/\r\ncontent-length: *([0-9]{1,9})\r\n/i.exec(header)?.[1] ?? Number.NaN);
  if (!(length <= bodyBytesMax)) {
    return failed(`The edge at ${where} answered with more than ${bodyBytesMax} bytes.`);
  }
  const body = received.subarray(headerEnd + 4);
  if (body.byteLength < length) return undefined;
  return { kind: "answered", body: body.toString("utf8", 0, length) };
}
