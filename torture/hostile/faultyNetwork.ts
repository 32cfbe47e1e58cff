/** A network between clients and the service that does what networks do: a proxy for TCP. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import type { Tally } from "../tally.ts";

export interface FaultyNetwork {
  readonly port: number;
  /** From now on everything is passed on as it comes; what was stalled goes on. */
  calm(): void;
  close(): Promise<void>;
}

/** What is done to the bytes of one direction of a connection. */
export interface Plan {
  /** Waits before each piece is passed on. */
  readonly delayMs: number;
  /** How many bytes a piece has at most. */
  readonly pieceBytesMax: number;
  /** After so many bytes nothing is passed on for a while. */
  readonly stallAfterBytes: number;
  readonly stallMs: number;
  /** After so many bytes the connection is gone, for both. */
  readonly cutAfterBytes: number;
  readonly cutsBy: "ending" | "resetting";
}

export const untouched: Plan = {
  delayMs: 0,
  pieceBytesMax: Number.POSITIVE_INFINITY,
  stallAfterBytes: Number.POSITIVE_INFINITY,
  stallMs: 0,
  cutAfterBytes: Number.POSITIVE_INFINITY,
  cutsBy: "ending",
};

// Requests of the load have some 300 bytes, answers up to some 10,000.
const cutAfterBytesMean = 6_000;
const faults: Readonly<Record<string, (random: SeededRandom) => Partial<Plan>>> = {
  "network delayed": (random) => ({ delayMs: random.between(1, 20) }),
  "network stalled": (random) => ({
    stallAfterBytes: random.around(2_000),
    stallMs: random.between(50, 1_500),
  }),
  "single bytes": () => ({ pieceBytesMax: 1 }),
  "small pieces": (random) => ({ pieceBytesMax: random.between(2, 60) }),
};

/** Every connection is cut sooner or later, or all clients would soon have one that works. */
export function anyPlan(random: SeededRandom, tally: Tally): Plan {
  const cutsBy = random.oneOf(["ending", "resetting"] as const);
  let plan: Plan = { ...untouched, cutAfterBytes: 1 + random.around(cutAfterBytesMean), cutsBy };
  for (const [name, make] of Object.entries(faults)) {
    if (!random.happens(0.2)) continue;
    plan = { ...plan, ...make(random) };
    tally.fault(name);
  }
  return plan;
}

export async function startFaultyNetwork(
  target: number,
  random: SeededRandom,
  tally: Tally,
  planFor = anyPlan,
): Promise<FaultyNetwork> {
  const open = new Set<Socket>();
  let calm = false;
  let connections = 0;
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (near) => {
    const own = random.fork(`connection ${connections++}`);
    const far = connect({ port: target, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
    const plans = [planFor(own.fork("there"), tally), planFor(own.fork("back"), tally)] as const;
    const cut = (by: Plan["cutsBy"]) => {
      for (const socket of [near, far]) {
        if (by === "resetting") socket.resetAndDestroy();
        else socket.destroy();
      }
    };
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on("error", () => cut("resetting"));
      socket.on("close", () => open.delete(socket));
    }
    const cutAsPlanned = (by: Plan["cutsBy"]) => {
      tally.fault(by === "ending" ? "connection cut" : "connection reset");
      cut(by);
    };
    passOn(near, far, () => (calm ? untouched : plans[0]), cutAsPlanned);
    passOn(far, near, () => (calm ? untouched : plans[1]), cutAsPlanned);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    calm() {
      calm = true;
    },
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

/** Piece by piece and in order, however the pieces came. */
function passOn(
  from: Socket,
  to: Socket,
  plan: () => Plan,
  cut: (by: Plan["cutsBy"]) => void,
): void {
  let passed = 0;
  let stalled = false;
  let last = Promise.resolve();
  const pass = async (chunk: Buffer) => {
    for (let at = 0; at < chunk.length && !to.destroyed; ) {
      const { cutAfterBytes, cutsBy, delayMs, pieceBytesMax, stallAfterBytes, stallMs } = plan();
      const size = Math.min(pieceBytesMax, chunk.length - at, Math.max(1, cutAfterBytes - passed));
      if (delayMs > 0 && at === 0) await pause(delayMs);
      if (!stalled && passed + size > stallAfterBytes) {
        stalled = true;
        await pause(stallMs);
      }
      to.write(chunk.subarray(at, at + size));
      at += size;
      passed += size;
      if (passed >= cutAfterBytes) {
        cut(cutsBy);
        return;
      }
      if (Number.isFinite(pieceBytesMax)) await new Promise(setImmediate);
    }
  };
  from.on("data", (chunk: Buffer) => {
    last = last.then(() => pass(chunk));
  });
  from.on("end", () => {
    last = last.then(() => void to.end());
  });
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
