/** A TCP connection that sends given segments and records what it receives. */
import { connect } from "node:net";

export interface Conversation {
  readonly port: number;
  /** Sent one after the other, each in a segment of its own. */
  readonly pieces: readonly Buffer[];
  /** Whether nothing more is awaited: we then end our side and hear the rest. */
  enough(heard: Buffer): boolean;
  /** How long to listen at most. */
  readonly patienceMs: number;
}

export interface Heard {
  readonly bytes: Buffer;
  /** Whether the service ended the connection before we did. */
  readonly closedByService: boolean;
}

/** How long a service may take to close a connection that we have ended. */
const partingMs = 2_000;

export function converse({ port, pieces, enough, patienceMs }: Conversation): Promise<Heard> {
  return new Promise((resolve) => {
    const heard: Buffer[] = [];
    let leaving = false;
    let over = false;
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    const leave = () => {
      if (leaving) return;
      leaving = true;
      socket.end();
      clearTimeout(timer);
      timer = setTimeout(() => socket.destroy(), partingMs);
    };
    let timer = setTimeout(leave, patienceMs);
    socket.on("connect", async () => {
      for (const piece of pieces) {
        if (over || leaving) return;
        socket.write(piece);
        // What is written in one turn may leave in one segment.
        if (pieces.length > 1) await new Promise(setImmediate);
      }
    });
    socket.on("data", (chunk: Buffer) => {
      heard.push(chunk);
      if (!leaving && enough(Buffer.concat(heard))) leave();
    });
    // A reset ends a connection as well; what was heard before it counts.
    socket.on("error", () => {});
    socket.on("end", () => socket.destroy());
    socket.on("close", () => {
      over = true;
      clearTimeout(timer);
      resolve({ bytes: Buffer.concat(heard), closedByService: !leaving });
    });
  });
}
