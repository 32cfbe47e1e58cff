/** One query to one server over one socket, which is always closed. */
import { createSocket } from "node:dgram";
import { connect, isIPv6 } from "node:net";
import type { Clock } from "../../core/clock.ts";
import { type Unreachable, unreachable } from "../domains/resolver.ts";
import {
  isResponseTo,
  type Message,
  type Question,
  readMessage,
  writeQuestion,
} from "./message.ts";

export interface Server {
  readonly address: string;
  readonly port: number;
  /** Its name in details. */
  readonly title: string;
}

interface Sending {
  readonly server: Server;
  readonly question: Question;
  /** With EDNS, which some old servers do not understand. */
  readonly extended: boolean;
  readonly limitMs: number;
}

export type DnsResponse = { readonly kind: "received"; readonly message: Message } | Unreachable;

export type Transport = ReturnType<typeof createTransport>;

export function createTransport(clock: Clock) {
  const inFlight = new Set<() => void>();

  /** Settles once: with the response, at the timeout, or on `close`. */
  function settle(
    sending: Sending,
    open: (finish: (response: DnsResponse) => void) => {
      release: () => void;
      late: () => DnsResponse;
    },
  ): Promise<DnsResponse> {
    if (sending.limitMs <= 0) return Promise.resolve(silence(sending));
    return new Promise((resolve) => {
      let settled = false;
      let opened: ReturnType<typeof open> | undefined;
      const finish = (response: DnsResponse) => {
        if (settled) return;
        settled = true;
        cancel();
        inFlight.delete(giveUp);
        opened?.release();
        resolve(response);
      };
      const giveUp = () => finish(opened?.late() ?? silence(sending));
      const cancel = clock.after(sending.limitMs, giveUp);
      inFlight.add(giveUp);
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
    overUdp(sending: Sending): Promise<DnsResponse> {
      const { server, question, extended } = sending;
      const id = randomId();
      return settle(sending, (finish) => {
        let mismatches = 0;
        // A new socket, and with it a new ephemeral port, for each query. It is connected, so it
        // receives only packets of this server, and its ICMP errors.
        const socket = createSocket(isIPv6(server.address) ? "udp6" : "udp4");
        socket.on("error", (cause) => finish(failure(sending, cause)));
        socket.on("message", (bytes) => {
          const message = readMessage(bytes);
          if (message !== undefined && isResponseTo(message, id, question)) {
            finish({ kind: "received", message });
          } else mismatches++;
        });
        socket.on("connect", () => socket.send(writeQuestion(question, id, extended)));
        socket.connect(server.port, server.address);
        return {
          release() {
            socket.removeAllListeners("connect");
            socket.close();
          },
          late: () => (mismatches > 0 ? mismatch(sending) : silence(sending)),
        };
      });
    },

    overTcp(sending: Sending): Promise<DnsResponse> {
      const { server, question, extended } = sending;
      const id = randomId();
      return settle(sending, (finish) => {
        const socket = connect({ host: server.address, port: server.port });
        const collected = new LengthPrefixed();
        socket.on("error", (cause) => finish(failure(sending, cause)));
        socket.on("close", () => finish(mismatch(sending)));
        socket.on("data", (bytes: Buffer) => {
          const whole = collected.add(bytes);
          if (whole === undefined) return;
          const message = readMessage(whole);
          const fits = message !== undefined && isResponseTo(message, id, question);
          finish(fits && !message.truncated ? { kind: "received", message } : mismatch(sending));
        });
        socket.on("connect", () => socket.write(prefixed(writeQuestion(question, id, extended))));
        return { release: () => socket.destroy(), late: () => silence(sending) };
      });
    },

    /** Ends queries in flight with `timeout`. */
    close(): void {
      for (const giveUp of [...inFlight]) giveUp();
    },
  };
}

/** Over TCP, two bytes of length precede a message (RFC 1035, section 4.2.2): 64 KiB at most. */
class LengthPrefixed {
  readonly #bytes = new Uint8Array(2 + 0xffff);
  #length = 0;

  /** The message, once it is complete. Further bytes are ignored. */
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

function mismatch({ server }: Sending): Unreachable {
  return unreachable("malformed", `${server.title} sent what is no answer to the question.`);
}

function failure({ server }: Sending, cause: unknown): Unreachable {
  const code = (cause as NodeJS.ErrnoException).code ?? "an unknown fault";
  return unreachable("timeout", `${server.title} cannot be reached: ${code}.`);
}
