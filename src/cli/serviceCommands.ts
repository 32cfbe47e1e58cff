import { connect } from "node:net";
import type { Command } from "./command.ts";
import type { StartedService } from "./context.ts";
import { CommandFailure } from "./errors.ts";
import { table } from "./table.ts";

/** Each with its default and its meaning. docs/guide/operating.md explains them. */
const settings = [
  ["PORT", "8080", "Port of the service; 0 picks a free one"],
  ["HOST", "127.0.0.1", "Address to listen on"],
  ["PETSTORE_DATA", "./data", "Folder of the databases"],
  ["DATABASE_URL", "SQLite", "PostgreSQL, such as postgres://user@host/db"],
  ["PETSTORE_DATABASE_POOL", "10", "Connections to PostgreSQL, at most"],
  ["PETSTORE_DATABASE_PREPARE", "off", "on keeps statements in the server, under names"],
  ["PETSTORE_ENV", "production", "production or staging"],
  ["PETSTORE_ENVIRONMENTS", "", "Both at once, as with --environments"],
  ["PETSTORE_BASE_URL", "", "Public address of production, ending in /v1"],
  ["PETSTORE_STAGING_BASE_URL", "", "Public address of staging, ending in /v1"],
  ["PETSTORE_SECRET", "made, kept", "Seals cursors and keys; 32 characters or more"],
  ["PETSTORE_SECOND_FACTOR", "optional", "Two-step sign-in: optional, operator or required"],
  ["PETSTORE_ADMIN_PORT", "PORT", "Port of its own for the dashboard and /internal"],
  ["PETSTORE_ADMIN_HOST", "127.0.0.1", "Address of that port"],
  ["PETSTORE_ADMIN_URL", "", "Public address of the dashboard on that port"],
  ["PETSTORE_METRICS_PORT", "9464", "Port of the metrics, or off"],
  ["PETSTORE_METRICS_HOST", "127.0.0.1", "Address of the metrics"],
  ["PETSTORE_TRUSTED_PROXIES", "this machine", "Networks whose X-Forwarded-For counts, or none"],
  ["PETSTORE_PROXY_PROTOCOL", "off", "Listeners that expect PROXY v2: api, admin, edge"],
  ["PETSTORE_LOG", "info", "info, warn, error or off"],
  ["PETSTORE_OTLP_URL", "", "OpenTelemetry collector to send traces to"],
  ["PETSTORE_TRACE_RATIO", "0.01", "Share of requests to trace, unless clients decide"],
  ["PETSTORE_SHUTDOWN_SECONDS", "10", "Patience with requests under way when stopping"],
  ["PETSTORE_PROCESSES", "1", "Processes that answer; auto: one per processor"],
  ["PETSTORE_FIRST_KEY", "on", "off creates and prints no key on first start"],
  ["PETSTORE_RATE_LIMIT", "no limit", "Requests per seconds and key, such as 600/60"],
  ["PETSTORE_EVENTS_DAYS", "30", "How long events can be read"],
  ["PETSTORE_WEBHOOK_NETWORKS", "none", "Private networks to send webhooks to"],
  ["PETSTORE_SMTP_URL", "no mail", "Mail server, smtp://user:password@host:587"],
  ["PETSTORE_MAIL_FROM", "", "Sender of mails, Pet Store <petstore@example.com>"],
  ["PETSTORE_OPERATOR_EMAIL", "", "Address of the operator, for notifications"],
  ["PETSTORE_ENFORCE_CATEGORIES", "off", "on refuses pets of unknown categories"],
  ["PETSTORE_DOCS_SITE", "on", "off deploys no site of the documentation"],
  ["PETSTORE_DOMAIN", "", "Name of the service, as with --domain"],
  ["PETSTORE_SITES_HOST", "no domains", "Name below which domains have their targets"],
  ["PETSTORE_SITES_CERTIFICATE", "", "File with your certificate for names below it"],
  ["PETSTORE_SITES_CERTIFICATE_KEY", "", "File with its private key"],
  ["PETSTORE_DNS_UPDATE", "", "Name server to update for a wildcard certificate"],
  ["PETSTORE_DNS_UPDATE_KEY", "", "TSIG key of the updates, hmac-sha256:name:base64"],
  ["PETSTORE_ACME_TERMS", "", "agreed, to the terms of Let's Encrypt and ZeroSSL"],
  ["PETSTORE_ACME_DIRECTORY", "Let's Encrypt", "Address of the authority's directory"],
  ["PETSTORE_ACME_CONTACT", "", "Your e-mail address, for both authorities"],
  ["PETSTORE_ACME_EAB", "", "Its external account, kid:HMAC key in base64"],
  ["PETSTORE_ACME_TRUST", "", "File with a root to trust the authority by"],
  ["PETSTORE_ACME_CAA", "it says", "Names by which CAA records permit the authority"],
  ["PETSTORE_ACME_FALLBACK", "on if public", "off: no second authority"],
  ["PETSTORE_ACME_FALLBACK_EAB", "made", "External account at the second authority"],
  ["PETSTORE_ACME_FALLBACK_DIRECTORY", "ZeroSSL", "Directory of the second authority"],
  ["PETSTORE_ACME_FALLBACK_CAA", "it says", "Names by which CAA records permit it"],
  ["PETSTORE_ACME_LIMITS", "on if public", "off: order without limits of our own"],
  ["PETSTORE_EDGE_HOST", "HOST", "Address on which domains are answered for"],
  ["PETSTORE_EDGE_HTTP_PORT", "80", "Its port for HTTP"],
  ["PETSTORE_EDGE_HTTPS_PORT", "443", "Its port for HTTPS"],
  ["PETSTORE_EDGE_PUBLIC_HTTPS_PORT", "the same", "Port in the addresses visitors are sent to"],
  ["PETSTORE_EDGE_ADDRESS", "this machine", "Where other processes reach this edge"],
  ["PETSTORE_DNS_RECURSORS", "the system's", "Recursors to ask, such as 192.0.2.1,192.0.2.2"],
  ["PETSTORE_DNS_PORT", "53", "Port of name servers"],
  ["PETSTORE_DNS_PRIVATE", "off", "on asks name servers at private addresses too"],
  ["PETSTORE_ROLES", "edge,worker", "What this process does for domains, or none"],
  ["PETSTORE_LEASE_SECONDS", "30", "How long a worker that died keeps its work"],
] as const;

export const serve: Command = {
  name: "serve",
  summary: "Run the service",
  options: {
    "environments <names>": "Serve production,staging at once, each with a store of its own",
    "domain <host>": "Serve at https://<host>, with a certificate that is ordered for it",
    "agree-to-terms": "Agree to the terms of Let's Encrypt and ZeroSSL, or those you set",
  },
  about: [
    "Stop it with Ctrl-C or SIGTERM. It is set up by the environment; docs/guide/operating.md says",
    "more about each setting:",
    "",
    table(settings.map(([name, ...rest]) => [`  ${name}`, ...rest])).trimEnd(),
  ].join("\n"),
  examples: [
    "petstore serve",
    "petstore serve --domain api.example.com --agree-to-terms",
    "PORT=9000 PETSTORE_ENV=staging petstore serve",
  ],
  async run({ switches, values }, context) {
    const say = switches.has("json") ? asJson : asText;
    const domain = values.get("domain");
    const environments = values.get("environments");
    const settings = {
      ...(environments === undefined ? {} : { PETSTORE_ENVIRONMENTS: environments }),
      ...(domain === undefined ? {} : { PETSTORE_DOMAIN: domain }),
      ...(switches.has("agree-to-terms") ? { PETSTORE_ACME_TERMS: "agreed" } : {}),
    };
    await context.serve(settings, (service) => void context.stdout.write(say(service)));
    return undefined;
  },
};

function asJson(service: StartedService): string {
  const { baseUrl, publicUrl, environment, firstKey, dashboard } = service;
  const shown = dashboard && {
    dashboard: dashboard.address,
    dashboardLink: dashboard.firstLink ?? null,
  };
  const at = publicUrl === undefined ? { baseUrl } : { baseUrl, publicUrl };
  return `${JSON.stringify({ ...at, environment, key: firstKey ?? null, ...shown })}\n`;
}

function asText(service: StartedService): string {
  const { baseUrl, publicUrl, hasCertificate, environment, firstKey, hasKeys, dashboard } = service;
  const lines = [`Pet Store (${environment}) listens on ${baseUrl}`];
  if (publicUrl !== undefined) {
    lines.push(
      hasCertificate
        ? `It is at ${publicUrl}`
        : `It will be at ${publicUrl} once its certificate is issued.`,
    );
  }
  if (firstKey !== undefined) {
    lines.push(
      "",
      "Your first API key, shown this once:",
      "",
      `  ${firstKey}`,
      "",
      "Try it:",
      "",
      `  curl -H "Authorization: Bearer ${firstKey}" ${baseUrl}/pets`,
      "",
    );
  }
  if (!hasKeys) {
    lines.push("There are no keys yet. Create one with petstore keys create --name <name>.");
  }
  if (dashboard !== undefined) lines.push(...dashboardText(dashboard));
  return `${lines.join("\n")}\n`;
}

function dashboardText({
  address,
  firstLink,
}: NonNullable<StartedService["dashboard"]>): readonly string[] {
  return firstLink === undefined
    ? [`The dashboard is at ${address}. A link to sign in: petstore owners invite --operator`]
    : [
        "Open the dashboard with this link. It works once, within 24 hours:",
        "",
        `  ${firstLink}`,
        "",
      ];
}

export const reload: Command = {
  name: "reload",
  summary: "Replace the processes of the running service without a gap",
  options: {
    settings: "Give it the settings of this command's environment, too",
  },
  about: [
    "New processes of the program as it is installed now start and accept connections; then those",
    "before finish what they are at and end. Where the new ones do not start, nothing changes.",
    "",
    "Without --settings the service keeps the settings that it has, as with SIGHUP. What says where it",
    "listens and stores, such as HOST, PORT and PETSTORE_DATA, can only be changed by a restart.",
    "",
    "It finds the service by PETSTORE_DATA, PETSTORE_ENV and PORT.",
    "",
    "Exit code: 0 the new processes accept; 1 they do not, or no service was found.",
  ].join("\n"),
  examples: ["petstore reload", "PETSTORE_RATE_LIMIT=600/60 petstore reload --settings"],
  async run({ switches }, context) {
    const { processes } = await context.reload(switches.has("settings"));
    const text = processes === 1 ? "1 new process accepts" : `${processes} new processes accept`;
    return { json: { reloaded: true, processes }, text: `Reloaded: ${text} connections.\n` };
  },
};

const answerMsMax = 3000;

export const healthcheck: Command = {
  name: "healthcheck",
  summary: "Check whether the service on this machine is ready",
  about: [
    "It asks /readyz at the HOST and PORT of the settings, as a container engine does that has no curl.",
    `Exit code: 0 ready; 1 not ready, or no answer within ${answerMsMax / 1000} seconds.`,
  ].join("\n"),
  examples: ["petstore healthcheck"],
  async run(_call, context) {
    const address = `${context.serviceAddress()}/readyz`;
    const late = new AbortController();
    const stop = context.clock.after(answerMsMax, () => late.abort());
    try {
      const status = await statusOf(address, context.servicePreface(), late.signal).catch(() => {
        const why = late.signal.aborted ? `within ${answerMsMax / 1000} seconds` : "at all";
        throw new CommandFailure(`${address} does not answer ${why}. Check HOST and PORT.`);
      });
      if (status !== 200) throw new CommandFailure(`${address} answered ${status}: not ready.`);
      return { json: { ready: true }, text: "Ready.\n" };
    } finally {
      stop();
    }
  },
};

/**
 * Not by fetch, which would ask the proxy that HTTP_PROXY names, even for this machine, and cannot
 * send a preface.
 */
function statusOf(address: string, preface: Uint8Array, signal: AbortSignal): Promise<number> {
  const { hostname, host, port, pathname } = new URL(address);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port || 80), hostname.replace(/^\[|\]$/g, ""), () => {
      socket.write(preface);
      socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    });
    signal.addEventListener("abort", () => socket.destroy());
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      const status = /^HTTP\/1\.1 ([0-9]{3}) /.exec(received)?.[1];
      if (status === undefined) return;
      resolve(Number(status));
      socket.destroy();
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("The connection was closed without an answer.")));
  });
}
