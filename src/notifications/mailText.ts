/** The words of every mail, as plain text and as HTML. */
import type { MailContent } from "./mails.ts";
import type { NoticeItem, NoticeKind } from "./notices.ts";

export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface MailMessage extends MailText {
  /** That of the mail, by which a repetition is recognised. */
  readonly id: string;
  readonly to: string;
}

export interface MailContext {
  /** How the service is named, such as `Pet Store`. */
  readonly service: string;
  /** Where the dashboard is, with a slash at its end. */
  readonly dashboard: string;
}

interface Words {
  readonly one: (name: string) => string;
  readonly many: (count: number) => string;
  readonly lead: string;
}

const notices: Readonly<Record<NoticeKind, Words>> = {
  domain_suspended: {
    one: (name) => `${name} is no longer served`,
    many: (count) => `${count} domains are no longer served`,
    lead: "The plan is free now, and domains need the paid one. These stopped responding. They stay yours, and are served again with the paid plan.",
  },
  certificate_expiring: {
    one: (name) => `The certificate of ${name} expires soon`,
    many: (count) => `${count} certificates expire soon`,
    lead: "The certificate could not be renewed so far. Once it has expired, browsers refuse to open the site. Renewal is retried automatically. You get this mail every day until it succeeds.",
  },
  renewal_failing: {
    one: (name) => `The certificate of ${name} cannot be renewed`,
    many: (count) => `${count} certificates cannot be renewed`,
    lead: "Renewal has been failing for over an hour. The site stays available until the certificate expires. Renewal is retried automatically.",
  },
  certificate_delayed: {
    one: (name) => `There is no certificate for ${name} yet`,
    many: (count) => `There are no certificates for ${count} domains yet`,
    lead: "DNS is right, but no certificate was issued within 30 minutes. It is retried automatically.",
  },
  domain_unverified: {
    one: (name) => `${name} is not verified yet`,
    many: (count) => `${count} domains are not verified yet`,
    lead: "After 48 hours, DNS still does not point here. Check the records at your DNS provider; the dashboard shows what to create.",
  },
  webhook_disabled: {
    one: () => "A webhook endpoint was disabled",
    many: (count) => `${count} webhook endpoints were disabled`,
    lead: "Nothing is sent there any more. Events wait until the endpoint is enabled again.",
  },
  operation_sunset: {
    one: (name) => `${name} calls an operation that will be removed`,
    many: (count) => `${count} API keys call an operation that will be removed`,
    lead: "Programs with these API keys stop working on the day of the removal unless they are changed before.",
  },
};

/** One part of a mail: a paragraph, a link on a line of its own, or things with a page each. */
type Part =
  | string
  | { readonly link: string }
  | { readonly items: readonly NoticeItem[]; readonly more: number };

/** `link` is that of an invitation. */
export function composeMail(
  content: MailContent,
  context: MailContext,
  link: string | undefined,
): MailText {
  const { subject, parts } = partsOf(content, context, link);
  const footer = `This is an automatic message of ${context.service}. Where your mail goes is set in the dashboard, under Account:`;
  const all: readonly Part[] = [...parts, footer, { link: `${context.dashboard}#/account` }];
  return {
    subject: `[${context.service}] ${oneLine(subject)}`,
    text: `${all.map((part) => plain(part, context)).join("\n\n")}\n`,
    html: page(subject, all.map((part) => html(part, context)).join("\n")),
  };
}

function partsOf(content: MailContent, { service }: MailContext, link: string | undefined) {
  switch (content.kind) {
    case "invitation": {
      const until = `${new Date(content.expiresAtMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
      const parts: readonly Part[] = [
        `With this link you sign in to the dashboard of ${service} as ${content.name} and choose a password. It works once, until ${until}, and replaces any link before it.`,
        { link: link ?? "" },
        "Give it to nobody else. If you did not expect it, ignore this message.",
      ];
      return { subject: "Your link to sign in", parts };
    }
    case "email_changed": {
      const parts: readonly Part[] = [
        `Mail for the account ${content.name} goes to another address from now on, and no longer to this one. If that was not you, tell whoever runs the service.`,
      ];
      return { subject: "Your e-mail address was changed", parts };
    }
    case "test":
      return { subject: "A test", parts: ["Mail of this service arrives here."] };
    default: {
      const { kind, items, total } = content;
      const { one, many, lead } = notices[kind];
      const subject = total === 1 ? one(items[0]?.name ?? "") : many(total);
      const parts: readonly Part[] = [lead, { items, more: total - items.length }];
      return { subject, parts };
    }
  }
}

const subjectLengthMax = 150;

/** Names come from people: nothing in them may begin another header. */
function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  const characters = [...line];
  if (characters.length <= subjectLengthMax) return line;
  return `${characters.slice(0, subjectLengthMax - 1).join("")}…`;
}

const moreText = (more: number) => `and ${more} more, which the dashboard lists.`;

function plain(part: Part, { dashboard }: MailContext): string {
  if (typeof part === "string") return part;
  if ("link" in part) return part.link;
  const items = part.items.map(({ name, detail, page }) =>
    [oneLine(name), ...(detail === "" ? [] : [detail]), `${dashboard}${page}`].join("\n  "),
  );
  return [...items, ...(part.more > 0 ? [moreText(part.more)] : [])].join("\n\n");
}

function html(part: Part, { dashboard }: MailContext): string {
  if (typeof part === "string") return `<p>${escaped(part)}</p>`;
  if ("link" in part) return `<p>${anchor(part.link, part.link)}</p>`;
  const items = part.items.map(
    ({ name, detail, page }) =>
      `<li><strong>${anchor(`${dashboard}${page}`, oneLine(name))}</strong><br>${escaped(detail)}</li>`,
  );
  const more = part.more > 0 ? `<p>${escaped(moreText(part.more))}</p>` : "";
  return `<ul>\n${items.join("\n")}\n</ul>${more}`;
}

const anchor = (url: string, text: string) => `<a href="${escaped(url)}">${escaped(text)}</a>`;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escaped = (text: string) =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? "");

/** Without colours of its own, so that it follows a dark theme. */
function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escaped(oneLine(title))}</title>
</head>
<body style="font: 16px/1.5 system-ui, sans-serif; max-width: 40em; margin: 1em auto; padding: 0 1em; overflow-wrap: anywhere">
${body}
</body>
</html>
`;
}
