/** What happened to a domain, in words, for a terminal. */
import type { TimelineEntry } from "../hosting/domains/domains.ts";
import type { Finding } from "../hosting/domains/finding.ts";
import { printable } from "./domainsText.ts";
import { iso } from "./durations.ts";
import { table } from "./table.ts";

/** Newest first, as it comes. What the findings shown above say already is named, not repeated. */
export function timelineText(
  entries: readonly TimelineEntry[],
  shown: readonly Finding[],
  withAnswers: boolean,
): string {
  const lines = table(
    entries.map((entry) => [`  ${secondText(entry.atMs)}`, entry.event, wordsOf(entry, shown)]),
  ).split("\n");
  return entries
    .map(({ answers }, row) => {
      const raw = withAnswers ? answers.map((answer) => `    ${printable(answer)}\n`) : [];
      return `${lines[row]}\n${raw.join("")}`;
    })
    .join("");
}

function wordsOf({ message, findings }: TimelineEntry, shown: readonly Finding[]): string {
  const above = shown.some((finding) => finding.message === message);
  const codes = findings.map(({ code }) => code);
  return above && codes.length > 0 ? `${codes.join(", ")}, as above` : printable(message);
}

/** 2030-12-05 00:00:07 UTC */
const secondText = (instantMs: number) => `${iso(instantMs).slice(0, 19).replace("T", " ")} UTC`;
