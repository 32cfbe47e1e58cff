/** The settings of e-mail. */
import { emailWords, readEmail } from "../accounts/email.ts";
import { kind, type Setting } from "./settings.ts";

export interface MailConfig {
  readonly server: SmtpServerConfig;
  readonly from: { readonly name: string; readonly address: string };
  /** Where the operator's mail goes if their account has no address. */
  readonly operator: string | undefined;
}

export interface SmtpServerConfig {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte, by STARTTLS or not at all. It is never silently left out. */
  readonly security: "tls" | "starttls" | "none";
  /** For no eyes and no log. */
  readonly login: { readonly user: string; readonly password: string } | undefined;
}

/** Undefined where no server is set: then nothing is mailed. */
export function readMailConfig(
  setting: Setting,
  complaints: string[],
  acmeContact: string | undefined,
): MailConfig | undefined {
  const server = setting("PETSTORE_SMTP_URL", undefined, smtpUrl);
  const from = setting("PETSTORE_MAIL_FROM", undefined, sender);
  const operator = setting("PETSTORE_OPERATOR_EMAIL", acmeContact, email);
  if (server === undefined) return undefined;
  if (from !== undefined) return { server, from, operator };
  const isWrong = complaints.some((complaint) => complaint.startsWith("PETSTORE_MAIL_FROM "));
  if (!isWrong) complaints.push(`PETSTORE_MAIL_FROM must be ${sender.accepts}; it is not set.`);
  return undefined;
}

const email = kind(emailWords, readEmail);

const sender = kind(
  `${emailWords}, with a name before it or not: Pet Store <petstore@example.com>`,
  (text) => {
    const [, name = "", inBrackets, bare = ""] =
      /^(?:([^<>"\p{Cc}]{0,100}?)\s*<([^<>]*)>|([^<>]*))$/u.exec(text) ?? [];
    const address = readEmail(inBrackets ?? bare);
    return address === undefined ? undefined : { name: name.trim() || "Pet Store", address };
  },
);

const smtpText =
  "the address of a mail server, such as smtp://user:password@mail.example.com:587 or smtps://mail.example.com; ?tls=off at its end for one that has no TLS";

const smtpUrl = kind(smtpText, (text): SmtpServerConfig | undefined => {
  const url = URL.parse(text);
  const [, host] = /^\[?([\w.:-]+?)\]?$/.exec(url?.hostname ?? "") ?? [];
  if (url === null || host === undefined || !/^smtps?:$/.test(url.protocol)) return undefined;
  if (!/^\/?$/.test(url.pathname) || url.hash !== "" || !/^(\?tls=off)?$/.test(url.search)) {
    return undefined;
  }
  const isTls = url.protocol === "smtps:";
  if (isTls && url.search !== "") return undefined;
  const login = loginIn(url);
  if (login === "unreadable") return undefined;
  // Loopback cannot be intercepted, and a server there rarely has a certificate for its name.
  const isPlain = url.search !== "" || isLoopback(host);
  return {
    host,
    port: url.port === "" ? (isTls ? 465 : 587) : Number(url.port),
    security: isTls ? "tls" : isPlain ? "none" : "starttls",
    login,
  };
});

/** Special characters are percent-encoded in it. */
function loginIn({ username, password }: URL): SmtpServerConfig["login"] | "unreadable" {
  if (username === "" && password === "") return undefined;
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return "unreadable";
  }
}

const isLoopback = (host: string) => /^(localhost|127(\.\d+){3}|::1)$/.test(host);
