/** Sends mails over SMTP. Loaded when the first one is sent. */
import { createTransport, type Transporter } from "nodemailer";
import { type Clock, inTime } from "../core/clock.ts";
import type { SendResult } from "../notifications/mails.ts";
import type { MailMessage } from "../notifications/mailText.ts";

export interface SmtpOptions {
  readonly server: {
    readonly host: string;
    readonly port: number;
    readonly security: "tls" | "starttls" | "none";
    readonly login: { readonly user: string; readonly password: string } | undefined;
  };
  readonly from: { readonly name: string; readonly address: string };
  readonly clock: Clock;
  /** A root to trust the server by, instead of those of the system. */
  readonly trustPem?: string | undefined;
  /** Of one attempt, from looking up the name to the last reply. */
  readonly attemptMsMax?: number;
}

const attemptMsDefault = 60_000;
const replyMsMax = 20_000;
const errorLengthMax = 500;

export class SmtpSender {
  readonly #options: SmtpOptions;
  readonly #transport: Transporter;

  constructor(options: SmtpOptions) {
    this.#options = options;
    const { host, port, security, login } = options.server;
    this.#transport = createTransport({
      ...{ host, port, secure: security === "tls" },
      ...{ requireTLS: security === "starttls", ignoreTLS: security === "none" },
      ...(login && { auth: { user: login.user, pass: login.password } }),
      ...(options.trustPem && { tls: { ca: options.trustPem } }),
      ...{ connectionTimeout: replyMsMax, greetingTimeout: replyMsMax, socketTimeout: replyMsMax },
      // Nothing in a mail is to be read from here.
      ...{ disableFileAccess: true, disableUrlAccess: true },
    });
  }

  /** Never rejects: whatever goes wrong is the result of the attempt. */
  send({ id, to, subject, text, html }: MailMessage): Promise<SendResult> {
    const { from, clock } = this.#options;
    return this.#attempt(() =>
      this.#transport.sendMail({
        ...{ from, to: { name: "", address: to }, subject, text, html },
        date: new Date(clock.now()),
        // The same for every attempt, by which a server or a reader recognises a repetition.
        messageId: `<${id}@${from.address.split("@")[1]}>`,
        // So that nobody's absence is answered to us (RFC 3834, section 5).
        headers: { "Auto-Submitted": "auto-generated" },
      }),
    );
  }

  /** Whether the server can be reached and lets us in. Sends nothing. */
  verify(): Promise<SendResult> {
    return this.#attempt(() => this.#transport.verify());
  }

  async #attempt(work: () => Promise<unknown>): Promise<SendResult> {
    const { clock, attemptMsMax = attemptMsDefault } = this.#options;
    const late = () => new Error(`There was no reply within ${attemptMsMax / 1000} seconds.`);
    try {
      await inTime(clock, attemptMsMax, work(), late);
      return { kind: "sent" };
    } catch (cause) {
      return outcomeOf(cause as SmtpFailure);
    }
  }
}

interface SmtpFailure extends Error {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
}

/** The commands that are about one mail. What fails before them would fail for every other, too. */
const mailCommands: readonly (string | undefined)[] = ["RCPT TO", "DATA"];

function outcomeOf({ message, command, responseCode = 0 }: SmtpFailure): SendResult {
  const error = message.replace(/\s+/g, " ").slice(0, errorLengthMax);
  // 421 is about the connection, whatever was sent on it (RFC 5321, section 3.8).
  if (!mailCommands.includes(command) || responseCode < 400 || responseCode === 421) {
    return { kind: "unreachable", error };
  }
  return { kind: responseCode >= 500 ? "refused" : "deferred", error };
}
