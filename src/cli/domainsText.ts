/** Formats domains for a terminal. */
import type { Used } from "../hosting/domains/budget.ts";
import type { HstsPolicy, Status } from "../hosting/domains/domain.ts";
import type { TimelineEntry } from "../hosting/domains/domains.ts";
import type { DomainDetails, DomainView } from "../hosting/domains/domainView.ts";
import type { Finding, RecordToCreate } from "../hosting/domains/finding.ts";
import { isOpen } from "./domainsAccess.ts";
import { fromNow, instantText, iso, spanText, whenText } from "./durations.ts";
import { table } from "./table.ts";

export const statusWords: Readonly<Record<Status, string>> = {
  pending_dns: "waiting for DNS",
  misconfigured: "DNS is not right yet",
  verified: "DNS is right, a certificate comes next",
  issuing: "a certificate is being issued",
  certificate_delayed: "the certificate takes longer than it should",
  blocked: "no certificate can be had at the moment",
  prepared: "the certificate is ready, and DNS can be switched",
  live: "served over HTTPS",
  degraded: "served, but DNS no longer points here",
  renewal_failing: "served, but the certificate could not be renewed",
  suspended: "not served without the paid plan and a deployment",
  abandoned: "given up",
  removed: "taken off its project",
};

export const hstsWords: Readonly<Record<HstsPolicy, string>> = {
  off: "browsers are told to forget that it is for HTTPS alone",
  day: "browsers insist on HTTPS for a day",
  year: "browsers insist on HTTPS for a year",
  subdomains: "browsers insist on HTTPS for a year, for all names below it too",
};

/** Names and values come from other people's zones: nothing in them may steer the terminal. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

export const propagationText = "DNS changes usually show within minutes; allow up to 48 hours.";

/** What to create at the DNS provider. */
export function recordsText(records: readonly RecordToCreate[]): string {
  const notes = records.flatMap(({ note }) => (note === undefined ? [] : [`${note}\n`]));
  return [
    table([
      ["  Type", "Name", "Full name", "Value", "TTL"],
      ...records.map(({ type, name, fullName, value, ttlSeconds }) => [
        `  ${type === "ALIAS" ? "ALIAS or ANAME" : type}`,
        name,
        fullName,
        value,
        String(ttlSeconds),
      ]),
    ]),
    ...notes,
  ].join("");
}

/** A name of the service itself has none, nor has one that has ended. */
export function roleText(view: DomainView): string {
  const { project, role } = view;
  if (project === "" || !isOpen(view)) return "";
  if (role.kind === "site") return "shows the site";
  const [words, target] =
    role.kind === "primary"
      ? ["primary", "it"]
      : [`redirects to ${role.to} (${role.status})`, role.to];
  return role.held ? `${words}, held until ${target} is live` : words;
}

/** A check stays due until a worker runs it. */
export const dueText = ({ nextAtMs }: DomainView, nowMs: number) =>
  nextAtMs <= nowMs ? "due now" : fromNow(nextAtMs, nowMs);

export function viewText(
  view: DomainView & Partial<DomainDetails>,
  others: readonly DomainView[],
  nowMs: number,
): string {
  const { project, status, addedAtMs, checkedAtMs, nextAtMs, retryAtMs } = view;
  const when = (atMs: number) => whenText(atMs, nowMs);
  const ended = !isOpen(view);
  const next = nextAtMs <= nowMs ? "due now" : when(nextAtMs);
  return table([
    ["Domain", hostText(view)],
    ["Project", project || "(this service)"],
    ...others.map((other) => ["Also claimed", claimText(other)]),
    ["Status", `${status}: ${statusWords[status]}`],
    ...(ended
      ? []
      : [
          ...(project === "" ? [] : [["Role", roleText(view)]]),
          ["Certificate", ...certificateText(view, when)],
          ...(view.hsts === "day" ? [] : [["HSTS", hstsWords[view.hsts]]]),
        ]),
    ["Added", when(addedAtMs)],
    ["Last check", checkedAtMs === undefined ? "none yet" : when(checkedAtMs)],
    ["Next check", ended ? `${next}: ${watchText}` : next],
    ...(retryAtMs === undefined ? [] : [["Next order", when(retryAtMs)]]),
    ...deadlineRows(view, nowMs),
    ...usedRows(view.budget ?? []),
  ]);
}

function deadlineRows(
  { propagatedByMs, abandonAtMs }: DomainView,
  nowMs: number,
): readonly string[][] {
  const allowed = propagatedByMs !== undefined && propagatedByMs > nowMs;
  return [
    ...(allowed
      ? [
          [
            "DNS change",
            `usually shows within minutes; allow until ${whenText(propagatedByMs, nowMs)}`,
          ],
        ]
      : []),
    ...(abandonAtMs === undefined
      ? []
      : [["Checks end", `${whenText(abandonAtMs, nowMs)}, unless DNS is right by then`]]),
  ];
}

const watchText = "once a day for 30 days, whether the record still points here";

export const hostText = ({ host, unicodeHost }: DomainView) =>
  unicodeHost === host ? host : `${host} (${printable(unicodeHost)})`;

function claimText(claim: DomainView): string {
  const { host, project } = claim;
  const how = claim.proven ? "which holds it" : "not proven";
  return `by ${project}, ${how}; see petstore domains show ${host} --project ${project}`;
}

/** Our own limits that are at least half used up. */
function usedRows(budget: readonly Used[]): string[][] {
  return budget
    .filter(({ used, max }) => used * 2 >= max)
    .map(({ used, max, words }, row) => [
      row === 0 ? "Our limits" : "",
      `${used} of ${max} ${words}`,
    ]);
}

function certificateText({ certificate }: DomainView, when: (atMs: number) => string): string[] {
  if (certificate === undefined) return ["none yet"];
  const { issuer, notAfterMs, renewAtMs, window } = certificate;
  const renewal = renewAtMs === undefined ? "" : `; to be renewed ${when(renewAtMs)}`;
  const asked =
    window === undefined
      ? ""
      : `, as the authority asked: between ${instantText(window.startMs)} and ${instantText(window.endMs)}`;
  return [`by ${printable(issuer)}, until ${when(notAfterMs)}${renewal}${asked}`];
}

/** What was found, beside what should be there, and what to do next. */
export function findingsText(
  { findings, checkedAtMs, nextStep }: Pick<DomainView, "findings" | "checkedAtMs" | "nextStep">,
  nowMs: number,
): string {
  const longest = Math.max(0, ...findings.map(({ seconds = 0 }) => seconds));
  const slowest = findings.find(({ seconds }) => seconds === longest);
  const texts = findings.map((finding) =>
    findingText(finding, finding === slowest ? countdown(longest, checkedAtMs, nowMs) : [], nowMs),
  );
  return [...texts, `Next: ${printable(nextStep.text)}\n`].join("\n");
}

function findingText(finding: Finding, remembered: readonly string[], nowMs: number): string {
  const { code, message, at = [], untilMs } = finding;
  // The countdown says it as it is by now.
  const said =
    remembered.length === 0 ? message : message.replace(/, for \d+ seconds? at most/, "");
  const lines = [
    `${code}: ${printable(said)}`,
    ...sideBySide(finding),
    ...(at.length === 0 ? [] : [`  Said by ${at.map(printable).join(", ")}.`]),
    ...remembered,
    ...(untilMs === undefined ? [] : [`  Nothing is tried before ${whenText(untilMs, nowMs)}.`]),
  ];
  return `${lines.join("\n")}\n`;
}

function sideBySide({ found = [], expected = [] }: Finding): string[] {
  const rows = Math.max(found.length, expected.length);
  if (rows === 0) return [];
  const lines = Array.from({ length: rows }, (_, row) => [
    `  ${printable(found[row] ?? (row === 0 ? "nothing" : ""))}`,
    printable(expected[row] ?? ""),
  ]);
  return table([["  Found", expected.length > 0 ? "Expected" : ""], ...lines])
    .trimEnd()
    .split("\n");
}

/** How long caches may go on to answer as they do, counted from the check that saw it. */
function countdown(seconds: number, checkedAtMs: number | undefined, nowMs: number): string[] {
  if (seconds === 0 || checkedAtMs === undefined) return [];
  const untilMs = checkedAtMs + seconds * 1000;
  return [
    untilMs > nowMs
      ? `  Caches may remember this for ${spanText(untilMs - nowMs)} more, until ${instantText(untilMs)}.`
      : "  No cache holds the old records any longer.",
  ];
}

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
