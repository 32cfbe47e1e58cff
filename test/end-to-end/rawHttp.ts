import { connect } from "node:net";

/**
 * Sends bytes as they are and returns what came back until the answer or the connection ended, or
 * leaves when they are sent.
 */
export function rawExchange(
  port: number,
  bytes: string,
  { leave = false }: { leave?: boolean } = {},
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(Buffer.from(bytes, "latin1"), () => leave && socket.destroy()),
    );
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
      if (isWhole(answer)) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(answer));
  });
}

function isWhole(answer: string): boolean {
  const end = answer.indexOf("\r\n\r\n");
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(answer)?.[1];
  return end !== -1 && length !== undefined && answer.length >= end + 4 + Number(length);
}
