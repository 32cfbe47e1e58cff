/** An operation as Markdown: its page without the form. */
import type { Operation } from "./contract.ts";
import { dateInWords, type Field, fieldOf, fieldsOf, parameterGroups, typeOf } from "./fields.ts";
import { indentJson } from "./indentJson.ts";
import { reasonOf } from "./parts.ts";
import { samplesOf } from "./samples.ts";

export function operationMarkdown(operation: Operation): string {
  return `${[
    `# ${operation.summary}`,
    `\`${operation.method} ${operation.path}\` · operation \`${operation.id}\` · ${operation.stability}${
      operation.scopes.length > 0
        ? ` · scope ${operation.scopes.map((scope) => `\`${scope}\``).join(", ")}`
        : ""
    }`,
    ...deprecationOf(operation),
    operation.description,
    "## Request",
    ...samplesOf(operation).flatMap(({ highlight, text }) => [fenced(text, highlight)]),
    ...parametersOf(operation),
    ...bodyOf(operation),
    "## Responses",
    ...responsesOf(operation),
    ...errorsOf(operation),
  ].join("\n\n")}\n`;
}

const fenced = (text: string, language: string) => `\`\`\`${language}\n${text}\n\`\`\``;

function deprecationOf({ deprecation }: Operation): string[] {
  if (deprecation === undefined) return [];
  const { since, sunset, successor } = deprecation;
  return [
    [
      `**Deprecated${since === undefined ? "" : ` since ${dateInWords(since)}`}.**`,
      sunset === undefined ? "" : `Removed on ${dateInWords(sunset)}.`,
      successor === undefined ? "" : `Use \`GET ${successor}\`.`,
    ]
      .filter((sentence) => sentence !== "")
      .join(" "),
  ];
}

function parametersOf({ parameters }: Operation): string[] {
  if (parameters.length === 0) return [];
  const groups = parameterGroups.flatMap(([location, title]) => {
    const fields = parameters
      .filter((parameter) => parameter.location === location)
      .map(({ name, schema, required, description }) =>
        fieldOf(name, schema, required, description),
      );
    return fields.length === 0 ? [] : [`### ${title}`, fieldList(fields, true)];
  });
  return ["## Parameters", ...groups];
}

function bodyOf({ body }: Operation): string[] {
  if (body === undefined) return [];
  return ["## Body", body.description, fieldList(fieldsOf(body.schema), true)];
}

function responsesOf({ responses }: Operation): string[] {
  return responses.flatMap(({ status, description, headers, body }) => [
    `### ${status} ${reasonOf(status)}`.trim(),
    body?.schema["type"] === "array" ? `${description} A ${typeOf(body.schema)}.` : description,
    ...(body === undefined ? [] : [fieldList(fieldsOf(body.schema), false)]),
    ...(headers.length === 0
      ? []
      : [
          `Headers:\n\n${headers
            .map(({ name, description }) => `- \`${name}\`: ${oneLine(description)}`)
            .join("\n")}`,
        ]),
    ...(body?.examples ?? []).map(({ value }) => fenced(indentJson(JSON.stringify(value)), "json")),
  ]);
}

function errorsOf({ errors }: Operation): string[] {
  if (errors.length === 0) return [];
  const rows = errors.map(
    ({ status, code, message }) =>
      `| ${status} | [\`${code}\`](../errors/${code}.md) | ${oneLine(message).replaceAll("|", "\\|")} |`,
  );
  return ["## Errors", `| Status | Code | For example |\n| --- | --- | --- |\n${rows.join("\n")}`];
}

function fieldList(fields: readonly Field[], given: boolean): string {
  return fields
    .map(({ name, type, required, description, rules }) => {
      const facts = `${type}${given && required ? ", required" : ""}`;
      return `- \`${name}\` (${facts}): ${oneLine([description, ...rules].join(" "))}`;
    })
    .join("\n");
}

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();
