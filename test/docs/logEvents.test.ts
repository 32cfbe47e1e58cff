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
const ways: readonly [pattern: RegExp, levelOf: (match: string[], fields: string[]) => string][] = [
  [/\b(?:log|\w+Log)\.(info|warn|error)\(\s*("|\w)/gi, ([, level = ""]) => level],
  // The context of the domain worker: a cause makes it an error.
  [/\blog\(\s*(")/g, (_, fields) => (fields.includes("cause") ? "error" : "info")],
  // The recorder of key uses reports only failures.
  [/#failed\(\s*(")/g, () => "error"],
  // The log itself.
  [/\bline\(clock, "(warn)", (")/g, ([, level = ""]) => level],
];

/** Calls that pass on an event which is named elsewhere. */
const passingOn = ["log.error(event, ", "log.warn(event, "];

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
      const level = levelOf(match, fields);
      // Warnings of the edge are throttled.
      const throttled = file.startsWith("src/hosting/edge/") && level === "warn";
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

test("the tables of events are what is logged", () => {
  const rows = text("docs/guide/log-events.md").matchAll(
    /^\| `([\w.]+)` +\| (\w+) +\| .+ \| ([^|]*) \|$/gm,
  );
  const listed = [...rows].map(([, event = "", level = "", fields = ""]) => ({
    event,
    level,
    fields: new Set([...fields.matchAll(/`(\w+)`/g)].map(([, field = ""]) => field)),
  }));
  expect(merged(listed)).toEqual(merged(logged));
  expect(listed.length).toBe(Object.keys(merged(listed)).length);
});

test("an event is a noun and what happened to it", () => {
  const named = /^[a-z]+\.(?:[a-z]+_)*(?:[a-z]+ed|lost)(?:_in|_out|_out_elsewhere|_locally)?$/;
  expect(logged.map(({ event }) => event).filter((event) => !named.test(event))).toEqual([]);
});
