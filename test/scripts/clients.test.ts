import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { generatedClients, pinned } from "../../scripts/clients/generatedClients.ts";

const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const guide = text("docs/guide/generated-clients.md");

test("the guide has the command of every generated client, as it is run, and no other", () => {
  const inGuide = [
    ...guide.matchAll(/^(?:openapi-generator-cli|openapi-python-client|oapi-codegen) .+$/gm),
  ];
  expect(inGuide.map(([line]) => line).toSorted()).toEqual(
    generatedClients.map(({ command }) => command.join(" ")).toSorted(),
  );
});

test("the guide and the requirements have the versions that are pinned", () => {
  for (const version of Object.values(pinned)) expect(guide).toContain(version);
  expect(text("scripts/clients/requirements.txt")).toContain(
    `openapi-python-client==${pinned.openapiPythonClient}\n`,
  );
});

test("there is a program for every generated client", () => {
  const programs = readdirSync(new URL("../../scripts/clients/programs", import.meta.url));
  expect(programs).toHaveLength(generatedClients.length);
});
