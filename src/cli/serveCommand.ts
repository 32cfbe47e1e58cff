import type { Command } from "./command.ts";
import { table } from "./table.ts";
import type { StartedService } from "./world.ts";

/** Each with its default and its meaning. docs/guide/operating.md explains them. */
const settings = [
  ["PORT", "8080", "Port of the service; 0 picks a free one"],
  ["HOST", "127.0.0.1", "Address to listen on"],
  ["PETSTORE_DATA", "./data", "Folder of the databases"],
  ["PETSTORE_ENV", "production", "production or staging"],
  ["PETSTORE_BASE_URL", "", "Public address of production, ending in /v1"],
  ["PETSTORE_STAGING_BASE_URL", "", "Public address of staging, ending in /v1"],
  ["PETSTORE_SECRET", "made, kept", "Seals paging cursors; 32 characters or more"],
  ["PETSTORE_METRICS_PORT", "9464", "Port of the metrics, or off"],
  ["PETSTORE_METRICS_HOST", "127.0.0.1", "Address of the metrics"],
  ["PETSTORE_LOG", "info", "info, warn, error or off"],
  ["PETSTORE_SHUTDOWN_SECONDS", "10", "Patience with requests under way when stopping"],
  ["PETSTORE_RATE_LIMIT", "no limit", "Requests per seconds and key, such as 600/60"],
  ["PETSTORE_ENFORCE_CATEGORIES", "off", "on refuses pets of unknown categories"],
] as const;

export const serve: Command = {
  name: "serve",
  summary: "Run the service until it is told to stop",
  options: {},
  about: [
    "Stop it with Ctrl-C or SIGTERM. It is set up by the environment; docs/guide/operating.md says",
    "more about each setting:",
    "",
    table(settings.map(([name, ...rest]) => [`  ${name}`, ...rest])).trimEnd(),
  ].join("\n"),
  examples: ["petstore serve", "PORT=9000 PETSTORE_ENV=staging petstore serve"],
  async run({ switches }, world) {
    const say = switches.has("json") ? asJson : asText;
    await world.serve((service) => void world.stdout.write(say(service)));
    return undefined;
  },
};

function asJson({ baseUrl, environment, firstKey }: StartedService): string {
  return `${JSON.stringify({ baseUrl, environment, key: firstKey ?? null })}\n`;
}

function asText({ baseUrl, environment, firstKey }: StartedService): string {
  const lines = [`Pet Store (${environment}) listens on ${baseUrl}`];
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
  return `${lines.join("\n")}\n`;
}
