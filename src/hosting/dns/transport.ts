/** One question to one server over one socket, which is closed whatever happens. */
import { createSocket } from "node:dgram";
import { connect, isIPv6 } from "node:net";
import type { Clock } from "../../core/clock.ts";
import { type Unreachable, unreachable } from "../domains/resolver.ts";
import { answers, type Message, type Question, readMessage, writeQuestion } from "./message.ts";

export interface Server {
  readonly address: string;
  readonly port: number;
  /** How details name it. */
  readonly title: string;
}

interface Sending {
  readonly server: Server;
  readonly question: Question;
  /** With EDNS, which some old servers do not understand. */
  readonly extended: boolean;
  readonly limitMs: number;
}

export type Heard = { readonly kind: "heard"; readonly message: Message } | Unreachable;

export type Transport = ReturnType<typeof createTransport>;

export function createTransport(clock: Clock) {
  const underWay = new Set<() => void>();

  /** Settles once: with what the socket heard, when the time is up, or when all is closed. */
  function settle(
    sending: Sending,
    open: (finish: (heard: Heard) => void) => { release: () => void; late: () => Heard },
  ): Promise<Heard> {
    if (sending.limitMs <= 0) return Promise.resolve(silence(sending));
    return new Promise((resolve) => {
      let settled = false;
      let opened: ReturnType<typeof open> | undefined;
      const finish = (heard: Heard) => {
        if (settled) return;
        settled = true;
        cancel();
        underWay.delete(giveUp);
        opened?.release();
        resolve(heard);
      };
      const giveUp = () => finish(opened?.late() ?? silence(sending));
      const cancel = clock.after(sending.limitMs, giveUp);
      underWay.add(giveUp);
      try {
        opened = open(finish);
        if (settled) opened.release();
      } catch (cause) {
        finish(failure(sending, cause));
      }
    });
  }

  const randomId = () => new DataView(Uint8Array.from(clock.random(2)).buffer).getUint16(0);

  return {
    overUdp(sending: Sending): Promise<Heard> {
      const { server, question, extended } = sending;
      const id = randomId();
      return settle(sending, (finish) => {
        let misfits = 0;
        // A new socket, and with it a new port of the kernel's choice, for each question. Being
        // connected, it hears only the server asked, and hears of its refusal.
        const socket = createSocket(isIPv6(server.address) ? "udp6" : "udp4");
        socket.on("error", (cause) => finish(failure(sending, cause)));
        socket.on("message", (bytes) => {
          const message = readMessage(bytes);
          if (message !== undefined && answers(message, id, question)) {
            finish({ kind: "heard", message });
          } else misfits++;
        });
        socket.on("connect", () => socket.send(writeQuestion(question, id, extended)));
        socket.connect(server.port, server.address);
        return {
          release() {
            socket.removeAllListeners("connect");
            socket.close();
          },
          late: () => (misfits > 0 ? misfit(sending) : silence(sending)),
        };
      });
    },

    overTcp(sending: Sending): Promise<Heard> {
      const { server, question, extended } = sending;
      const id = randomId();
      return settle(sending, (finish) => {
        const socket = connect({ host: server.address, port: server.port });
        const collected = new LengthPrefixed();
        socket.on("error", (cause) => finish(failure(sending, cause)));
        socket.on("close", () => finish(misfit(sending)));
        socket.on("data", (bytes: Buffer) => {
          const whole = collected.add(bytes);
          if (whole === undefined) return;
          const message = readMessage(whole);
          const fits = message !== undefined && answers(message, id, question);
          finish(fits && !message.truncated ? { kind: "heard", message } : misfit(sending));
        });
        socket.on("connect", () => socket.write(prefixed(writeQuestion(question, id, extended))));
        return { release: () => socket.destroy(), late: () => silence(sending) };
      });
    },

    /** Ends what is under way with `timeout`. */
    close(): void {
      for (const giveUp of [...underWay]) giveUp();
    },
  };
}

/** Messages over TCP follow their length in two bytes (RFC 1035, section 4.2.2), so 64 KiB at most. */
class LengthPrefixed {
  readonly #bytes = new Uint8Array(2 + 0xffff);
  #length = 0;

  /** The message, once all of it is here. What comes after it is not looked at. */
  add(bytes: Uint8Array): Uint8Array | undefined {
    const fitting = bytes.subarray(0, this.#bytes.byteLength - this.#length);
    this.#bytes.set(fitting, this.#length);
    this.#length += fitting.byteLength;
    if (this.#length < 2) return undefined;
    const end = 2 + new DataView(this.#bytes.buffer).getUint16(0);
    return this.#length < end ? undefined : this.#bytes.subarray(2, end);
  }
}

function prefixed(message: Uint8Array): Uint8Array {
  return Buffer.concat([
    Buffer.from([message.byteLength >> 8, message.byteLength & 0xff]),
    message,
  ]);
}

function silence({ server }: Sending): Unreachable {
  return unreachable("timeout", `${server.title} did not answer in time.`);
}

function misfit({ server }: Sending): Unreachable {
  return unreachable("malformed", `${server.title} sent what is no answer to the question.`);
}

function failure({ server }: Sending, cause: unknown): Unreachable {
  const code = (cause as NodeJS.ErrnoException).code ?? "an unknown fault";
  return unreachable("timeout", `${server.title} cannot be reached: ${code}.`);
}
