/** A mail server of others' making that keeps what it is sent, and refuses on request. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

export interface ReceivedMail extends Email {
  readonly raw: string;
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  readonly isSecure: boolean;
  /** The user who signed in; empty for none. */
  readonly user: string;
}

export class MailServer implements AsyncDisposable {
  readonly mails: ReceivedMail[] = [];
  connections = 0;
  /** Called before each recipient or message is taken: throws or returns what it is answered with. */
  refuse:
    | ((step: "connect" | "from" | "to" | "data", text: string) => string | undefined)
    | undefined;
  /** Called once a message was taken, before that is said. */
  taken: (() => Promise<void>) | undefined;
  readonly #server: SMTPServer;

  constructor(options: SMTPServerOptions = {}) {
    const answer = (
      step: "connect" | "from" | "to" | "data",
      text: string,
      callback: (error?: Error | null) => void,
    ) => {
      const said = this.refuse?.(step, text);
      if (said === undefined) return callback();
      const [, code = "", words = ""] = /^(\d{3}) (.*)$/.exec(said) ?? [];
      callback(Object.assign(new Error(words), { responseCode: Number(code) }));
    };
    this.#server = new SMTPServer({
      ...{ authOptional: true, disableReverseLookup: true, hideSTARTTLS: true, logger: false },
      onConnect: (session, callback) => {
        this.connections++;
        answer("connect", session.remoteAddress, callback);
      },
      onMailFrom: ({ address }, _session, callback) => answer("from", address, callback),
      onRcptTo: ({ address }, _session, callback) => answer("to", address, callback),
      onData: async (stream, session, callback) => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of stream) chunks.push(chunk);
        const bytes = Buffer.concat(chunks);
        const said = this.refuse?.("data", bytes.toString());
        if (said === undefined) {
          const { mailFrom, rcptTo } = session.envelope;
          this.mails.push({
            ...(await PostalMime.parse(bytes)),
            raw: bytes.toString("latin1"),
            envelope: {
              from: mailFrom === false ? "" : (mailFrom?.address ?? ""),
              to: rcptTo.map(({ address }) => address),
            },
            isSecure: session.secure === true,
            user: typeof session.user === "string" ? session.user : "",
          });
          await this.taken?.();
        }
        answer("data", bytes.toString(), callback);
      },
      ...options,
    });
    this.#server.on("error", () => {});
  }

  async listen(port = 0): Promise<this> {
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server.server, "listening");
    return this;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
