import type { Command } from "./command.ts";
import type { StartedService } from "./world.ts";

export const serve: Command = {
  name: "serve",
  summary: "Run the service until it is told to stop",
  options: {},
  about:
    "It is set up by the environment: PORT (8080), HOST (127.0.0.1), PETSTORE_DATA (./data),\nPETSTORE_ENV (production or staging), PETSTORE_SECRET. Stop it with Ctrl-C or SIGTERM.",
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
