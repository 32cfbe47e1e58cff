import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { eventually } from "../../testkit/eventually.ts";

export interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

export interface Address {
  readonly port: number;
  readonly encrypted: boolean;
  /** Where the client is, on this machine. */
  readonly localAddress?: string;
}

/** Sends pieces of a request through a proxy, and reads that many responses, or until it is closed. */
export async function exchange(
  { port, encrypted, localAddress }: Address,
  pieces: readonly string[],
  responses: number,
): Promise<readonly Answer[]> {
  const from = localAddress === undefined ? {} : { localAddress };
  const socket: Socket = encrypted
    ? connectTls({
        port,
        host: "127.0.0.1",
        ...from,
        servername: "api.example.com",
        ALPNProtocols: ["http/1.1"],
        // Made for this test, so there is nobody to trust.
        rejectUnauthorized: false,
      })
    : connectPlain({ port, host: "127.0.0.1", ...from });
  let received = "";
  let closed = false;
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    closed = true;
  });
  socket.on("end", () => {
    closed = true;
  });
  await new Promise<void>((resolve, reject) => {
    socket.once(encrypted ? "secureConnect" : "connect", resolve);
    socket.once("error", reject);
  });
  for (const piece of pieces) {
    await new Promise<void>((resolve) => {
      socket.write(Buffer.from(piece, "latin1"), () => resolve());
    });
  }
  let answers: Answer[] = [];
  await eventually(() => {
    answers = answersIn(received);
    return answers.length >= responses || closed;
  });
  socket.destroy();
  return answers;
}

/** Without those of 100 to 199, which are not the last word. */
function answersIn(text: string): Answer[] {
  const answers: Answer[] = [];
  let rest = text;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end === -1) return answers;
    const head = rest.slice(0, end + 2);
    const status = Number(/^HTTP\/1\.[01] ([0-9]{3})/.exec(head)?.[1] ?? 0);
    const length = bodyLength(head, rest.slice(end + 4));
    if (length === undefined) return answers;
    const body = rest.slice(end + 4, end + 4 + length);
    if (status >= 200) answers.push({ status, head, body });
    rest = rest.slice(end + 4 + length);
  }
}

/** Undefined while it is not whole. */
function bodyLength(head: string, rest: string): number | undefined {
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  if (!/^transfer-encoding: *chunked/im.test(head))
    return rest.length < length ? undefined : length;
  const end = rest.indexOf("0\r\n\r\n");
  return end === -1 ? undefined : end + 5;
}
