import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { eventually } from "../../testkit/eventually.ts";

export interface RawResponse {
  readonly status: number;
  /** As sent, in their order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** A client that sends bytes and shows what comes back, without any idea of its own about HTTP. */
export class RawClient {
  readonly socket: Socket;
  received = "";
  ended = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk) => {
      this.received += chunk.toString("latin1");
    });
    socket.on("end", () => {
      this.ended = true;
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      this.ended = true;
    });
  }

  static async open(port: number): Promise<RawClient> {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    await once(socket, "connect");
    return new RawClient(socket);
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  }

  /** Takes the next response off what was received. */
  async response({ bodiless = false } = {}): Promise<RawResponse> {
    let taken: [RawResponse, number] | undefined;
    await eventually(() => {
      taken = firstResponse(this.received, bodiless);
      return taken !== undefined || this.ended;
    });
    if (taken === undefined) throw new Error(`No response, but ${JSON.stringify(this.received)}`);
    this.received = this.received.slice(taken[1]);
    return taken[0];
  }

  async statuses(count: number): Promise<number[]> {
    const seen: number[] = [];
    while (seen.length < count) seen.push((await this.response()).status);
    return seen;
  }

  /** Resolves when the other end has closed. */
  async closed(): Promise<void> {
    await eventually(() => this.ended);
  }

  leave(): void {
    this.socket.destroy();
  }
}

function firstResponse(text: string, bodiless: boolean): [RawResponse, number] | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [statusLine = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = lines.map((line) => {
    const colon = line.indexOf(": ");
    return [line.slice(0, colon), line.slice(colon + 2)] as const;
  });
  const length = Number(headers.find(([name]) => name === "Content-Length")?.[1] ?? 0);
  const bytes = bodiless ? 0 : length;
  const from = end + 4;
  if (text.length < from + bytes) return undefined;
  const status = Number(statusLine.split(" ")[1]);
  return [{ status, headers, body: text.slice(from, from + bytes) }, from + bytes];
}
