/** Requests and responses between a process and its supervisor, in both directions. */

/** By the name of the request. */
export type ChannelHandlers = Readonly<Record<string, (argument: never) => unknown>>;

type Message =
  | { readonly question: string; readonly id: number; readonly argument: unknown }
  | { readonly answers: number; readonly value: unknown }
  | { readonly answers: number; readonly failure: string };

interface Waiting {
  resolve(value: unknown): void;
  reject(reason: Error): void;
}

export class Channel {
  readonly #send: (message: unknown) => void;
  readonly #handlers: ChannelHandlers;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #closed = false;

  /** `send` may throw where the other process is gone. */
  constructor(send: (message: unknown) => void, handlers: ChannelHandlers) {
    this.#send = send;
    this.#handlers = handlers;
  }

  ask(question: string, argument?: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Error(gone));
      const id = ++this.#lastId;
      this.#waiting.set(id, { resolve, reject });
      try {
        this.#send({ question, id, argument } satisfies Message);
      } catch (cause) {
        this.#waiting.delete(id);
        reject(new Error(gone, { cause }));
      }
    });
  }

  async receive(received: unknown): Promise<void> {
    const message = received as Message;
    if ("question" in message) return this.#reply(message.id, message.question, message.argument);
    const waiting = this.#waiting.get(message.answers);
    this.#waiting.delete(message.answers);
    if ("failure" in message) waiting?.reject(new Error(message.failure));
    else waiting?.resolve(message.value);
  }

  /** The other process is gone: nothing will be answered any more. */
  close(): void {
    this.#closed = true;
    for (const { reject } of this.#waiting.values()) reject(new Error(gone));
    this.#waiting.clear();
  }

  async #reply(id: number, question: string, argument: unknown): Promise<void> {
    let message: Message;
    try {
      const answer = this.#handlers[question];
      if (answer === undefined) throw new Error(`There is no answer to ${question}.`);
      message = { answers: id, value: await answer(argument as never) };
    } catch (cause) {
      message = { answers: id, failure: cause instanceof Error ? cause.message : String(cause) };
    }
    try {
      if (!this.#closed) this.#send(message);
    } catch {
      // The other process is gone.
    }
  }
}

const gone = "The other process is gone.";
