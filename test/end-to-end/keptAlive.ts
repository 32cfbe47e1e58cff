/** Clients that keep their connections for as long as the service lets them, and repeat no request. */
import type { Socket } from "node:net";
import { eventually } from "../../testkit/eventually.ts";
import { Line, type Seen } from "../edge/clients.ts";

export interface Load {
  readonly seen: { readonly answered: number; readonly connections: number };
  /** Resolves when this many more are answered; rejects when a request got no answer. */
  answers(count: number): Promise<void>;
  /** Resolves once every client has got its last answer; rejects when a request got none. */
  stop(): Promise<void>;
}

/**
 * Between two requests of a client. Without it, a few of them keep every core busy, and what starts
 * meanwhile takes many times as long. With it, connections are found idle as often as in use.
 */
const thinkMs = 100;

/** `next` gives each request as it is sent, and `isRight` judges each answer. */
export function startLoad(
  clients: number,
  open: () => Promise<Socket>,
  next: () => string,
  isRight: (seen: Seen) => boolean,
): Load {
  let stopped = false;
  const seen = { answered: 0, connections: 0 };
  async function client(): Promise<void> {
    let line: Line | undefined;
    while (!stopped) {
      if (line === undefined) {
        line = new Line(await open());
        seen.connections++;
      }
      const answer = await line.ask(next());
      if (!isRight(answer)) throw new Error(`Not this answer: ${JSON.stringify(answer)}`);
      seen.answered++;
      if (answer.headers["connection"] === "close") {
        line.socket.destroy();
        line = undefined;
      }
      await Bun.sleep(thinkMs);
    }
    line?.socket.destroy();
  }
  const all = Promise.all(Array.from({ length: clients }, client));
  // Whoever waits for it hears of the failure.
  let failure: Error | undefined;
  all.catch((cause) => {
    failure = cause;
  });
  return {
    seen,
    async answers(count) {
      const goal = seen.answered + count;
      await eventually(() => seen.answered >= goal || failure !== undefined);
      if (failure !== undefined) throw failure;
    },
    async stop() {
      stopped = true;
      await all;
    },
  };
}
