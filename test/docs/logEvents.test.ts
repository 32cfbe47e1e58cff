/** The guide to log events lists every event that the program logs, with its level and fields. */
import { expect, test } from "bun:test";
import { globSync, readFileSync } from "node:fs";

const root = new URL("../../", import.meta.url).pathname;
const text = (path: string) => readFileSync(`${root}${path}`, "utf8");

interface LogEvent {
  readonly event: string;
  readonly level: string;
  readonly fields: ReadonlySet<string>;
}

/** The ways in which events are logged, and how the level follows from each. */
const ways: readonly [pattern: RegExp, levelOf: (match: string[]) => string][] = [
  [/\b(?:log|\w+Log)\.(info|warn|error)\(\s*("|\w)/gi, ([, level = ""]) => level],
  // The recorder of key uses reports only failures.
  [/#failed\(\s*(")/g, () => "error"],
  // The log itself.
  [/\bline\(clock, "(warn)", (")/g, ([, level = ""]) => level],
];

/** Calls that pass on an event which is named elsewhere. */
const passingOn = ["log.error(event, ", "log.warn(event, "];

/** Events of the edge that strangers cannot cause, or that are to be seen each time. */
const unthrottled = ["edge.started", "edge.stopped", "edge.request_served", "site.request_failed"];

/** Fields that a spread or a computed name adds. */
const addedFields: Readonly<Record<string, readonly string[]>> = {
  "request.completed": ["key", "actor"],
  "process.exited": ["slot", "pid"],
  "docs.synced": ["kind", "id"],
};

/** The names in the object literal, or the one name, that follows an event. */
function fieldsAfter(code: string): string[] {
  const [, braced, single] = /^,\s*(?:(\{)|(\w+))/.exec(code) ?? [];
  if (braced === undefined) return single === undefined ? [] : [single];
  let depth = 1;
  let entries = "";
  for (const character of code.slice(code.indexOf("{") + 1)) {
    if ("})]".includes(character)) depth--;
    if (depth === 0) break;
    if (depth === 1) entries += character;
    if ("{([".includes(character)) depth++;
  }
  const names = entries.split(",").map((entry) => /^\s*(\w+)\s*(?::|$)/.exec(entry)?.[1]);
  return names.filter((name) => name !== undefined);
}

function* loggedIn(file: string): Generator<LogEvent> {
  const code = text(file);
  for (const [pattern, levelOf] of ways) {
    for (const match of code.matchAll(pattern)) {
      const rest = code.slice(match.index + match[0].length - 1);
      const [quoted, event = ""] = /^"([^"]+)"/.exec(rest) ?? [];
      if (quoted === undefined) {
        expect(passingOn).toContain(`${match[0].slice(0, -1)}event, `);
        continue;
      }
      const fields = [...fieldsAfter(rest.slice(quoted.length)), ...(addedFields[event] ?? [])];
      const level = levelOf(match);
      const throttled = file.startsWith("src/hosting/edge/") && !unthrottled.includes(event);
      yield { event, level, fields: new Set(throttled ? [...fields, "suppressed"] : fields) };
    }
  }
}

/** One entry per event and level, with the fields of all places that log it. */
function merged(events: readonly LogEvent[]): Record<string, string[]> {
  const byName: Record<string, string[]> = {};
  for (const { event, level, fields } of events) {
    const name = `${event} ${level}`;
    byName[name] = [...new Set([...(byName[name] ?? []), ...fields])].toSorted();
  }
  return byName;
}

const logged = globSync("src/**/*.ts", { cwd: root })
  .filter((file) => !/\/(?:browser|generated)\//.test(file))
  .flatMap((file) => [...loggedIn(file)]);

const rows = text("docs/guide/log-events.md").matchAll(
  /^\| `([\w.]+)` +\| (\w+) +\| [^|]+ \| ([^|]*) \| ([^|]*) \|$/gm,
);
const listed = [...rows].map(([, event = "", level = "", toDo = "", fields = ""]) => ({
  event,
  level,
  toDo: toDo.trim(),
  fields: new Set([...fields.matchAll(/`(\w+)`/g)].map(([, field = ""]) => field)),
}));

test("the table of events is what is logged", () => {
  expect(merged(listed)).toEqual(merged(logged));
  expect(listed.length).toBe(Object.keys(merged(listed)).length);
});

test("the table has one row for each event, and says what to do about every warning and error", () => {
  const names = listed.map(({ event }) => event);
  expect(names).toEqual([...new Set(names)].toSorted());
  const idle = listed.filter(({ level, toDo }) => (level === "info") !== (toDo === ""));
  expect(idle).toEqual([]);
});

test("an event is a noun and what happened to it", () => {
  const named = /^[a-z]+\.(?:[a-z]+_)*(?:[a-z]+ed|lost)(?:_in|_out|_out_elsewhere|_locally)?$/;
  expect(logged.map(({ event }) => event).filter((event) => !named.test(event))).toEqual([]);
});
