/** Shows, exports and verifies the audit log. */
import {
  type AuditEntry,
  type AuditHead,
  changedMembers,
  exportedLine,
  headOf,
  pagesOf,
  verify,
} from "../audit/auditLog.ts";
import { parseJson } from "../contract/json.ts";
import type { Command } from "./command.ts";
import { instantText, readTime, whenText } from "./durations.ts";
import { CommandFailure, UsageError } from "./errors.ts";
import { progressBar } from "./output.ts";
import { readWhole } from "./readText.ts";
import { orStopped, saying } from "./stopping.ts";
import { counted, listReport, table } from "./table.ts";
import { withStores } from "./withStores.ts";

const limitDefault = 50;
const limitMax = 1_000;

const listEntries: Command = {
  name: "audit list",
  summary: "List changes made by people, newest first",
  options: {
    "actor <actor>": "Only by this one, such as accounts/operator, or by all such as cli",
    "action <action>": "Only this, such as key.revoke, or all such as key",
    "subject <subject>": "Only of this one, such as projects/acme, or of all such as projects",
    "since <time>": "Only from then on: a date, or how long ago, such as 7d",
    "until <time>": "Only before then",
    "before <number>": "Only entries with a smaller number, to continue a list",
    "limit <number>": `How many at most, 1 to ${limitMax} (default ${limitDefault})`,
  },
  examples: ["petstore audit list --since 7d", "petstore audit list --action key.revoke --json"],
  async run({ values }, context) {
    const now = context.clock.now();
    const [before, limit = `${limitDefault}`] = [values.get("before"), values.get("limit")];
    const query = {
      actor: values.get("actor"),
      action: values.get("action"),
      subject: values.get("subject"),
      sinceMs: readTime("--since", values.get("since"), now),
      untilMs: readTime("--until", values.get("until"), now),
      before: before === undefined ? undefined : readWhole("before", before, 1, 999_999_999_999),
      limit: readWhole("limit", limit, 1, limitMax),
    };
    const entries = await withStores(context, ({ audit }) => audit.list(query));
    return listReport(entries, {
      json: (entry) => parseJson(exportedLine(entry)),
      columns: {
        Number: ({ number }) => String(number),
        Time: ({ atMs }) => instantText(atMs),
        Actor: ({ actor }) => actor,
        Action: ({ action }) => action,
        Subject: ({ subject }) => subject,
        From: fromText,
      },
      empty: "There are no such entries.",
    });
  },
};

const showEntry: Command = {
  name: "audit show",
  summary: "Show one change, before and after",
  operands: { "<number>": "The number of the entry" },
  examples: ["petstore audit show 17"],
  async run({ operand }, context) {
    const number = Number(operand);
    if (!Number.isSafeInteger(number)) throw new UsageError("<number> must be a whole number.");
    const entry = await withStores(context, ({ audit }) => audit.get(number));
    if (entry === undefined) {
      throw new CommandFailure(`There is no entry ${operand}. See petstore audit list.`);
    }
    const members = changedMembers(entry).map(({ name, before, after }) => [
      ...[`  ${name}`, shown(before), shown(after)],
    ]);
    const text = table([
      ["Entry", String(entry.number)],
      ["Time", whenText(entry.atMs, context.clock.now())],
      ["Actor", entry.actor],
      ["Action", entry.action],
      ["Subject", entry.subject],
      ["From", fromText(entry)],
      ["Request", entry.requestId ?? ""],
      ["Hash", entry.hash],
    ]);
    const changes = members.length === 0 ? "" : `\n${table([["", "Before", "After"], ...members])}`;
    return { json: parseJson(exportedLine(entry)), text: `${text}${changes}` };
  },
};

const showHead: Command = {
  name: "audit head",
  summary: "Print the number and hash of the last entry",
  about:
    "Note it where nobody who can write to the database can change it. petstore audit verify --head\nthen proves that no entry up to it was altered or removed.",
  examples: ["petstore audit head >> heads.txt"],
  async run(_call, context) {
    const { number, hash } = await withStores(context, ({ audit }) => headOf(audit));
    return { json: { number, hash }, text: `${number}:${hash}\n` };
  },
};

const verifyLog: Command = {
  name: "audit verify",
  summary: "Check that no entry was altered, removed or reordered",
  options: { "head <number:hash>": "What petstore audit head printed earlier" },
  about:
    "Whoever can write to the database can cut off the last entries, or compute all hashes anew. Only\n--head finds that.\n\nExit code: 0 intact, 1 not intact, with the first entry that is wrong.",
  examples: ["petstore audit verify", "petstore audit verify --head 17:5f2c…"],
  async run({ values }, context) {
    const noted = readHead(values.get("head"));
    const progress = progressBar("Verifying", context.stderr, context.clock, "entries");
    const signal = context.stopSignal();
    const { entries, head, fault } = await withStores(context, async ({ audit }) => {
      const last = await audit.lastNumber();
      return verify(audit, noted, (count) => {
        signal.throwIfAborted();
        progress.update(count, last === 0 ? undefined : count / last);
      });
    }).finally(() => progress.clear());
    const noteHead = { number: head.number, hash: head.hash };
    if (fault !== undefined) {
      const intact = `${counted(entries, "entry", "entries")} before it ${entries === 1 ? "is" : "are"} intact.`;
      return {
        json: { intact: false, entries, head: noteHead, fault },
        text: `The audit log is not intact. ${fault.message} ${intact}\n`,
        exitCode: 1,
      };
    }
    const proven = noted === undefined ? "" : ` Entry ${noted.number} is the one that was noted.`;
    return {
      json: { intact: true, entries, head: noteHead, fault: null },
      text: `The audit log is intact: ${counted(entries, "entry", "entries")}.${proven}\nHead ${head.number}:${head.hash}\n`,
    };
  },
};

const exportLog: Command = {
  name: "audit export",
  summary: "Write all entries to stdout as NDJSON, oldest first",
  options: { "after <number>": "Only entries with a larger number, to continue an export" },
  about: "With --json the entries are one JSON array. Each line can be verified by its hash.",
  examples: ["petstore audit export > audit.ndjson"],
  async run({ values, switches }, context) {
    const after = readWhole("after", values.get("after") ?? "0", 0, 999_999_999_999);
    const { stdout } = context;
    const signal = context.stopSignal();
    const [start, between, end] = switches.has("json") ? ["[", ",\n", "]\n"] : ["", "\n", "\n"];
    await withStores(context, async ({ audit }) => {
      let isFirst = true;
      stdout.write(start);
      for await (const page of pagesOf(audit, after)) {
        signal.throwIfAborted();
        const lines = page.map(exportedLine).join(between);
        if (!stdout.write(isFirst ? lines : `${between}${lines}`)) {
          await orStopped(stdout.drained(), signal);
        }
        isFirst = false;
      }
      stdout.write(isFirst && start === "" ? "" : end);
      await orStopped(stdout.drained(), signal);
    }).catch(saying("What was written is not all of the entries."));
    return undefined;
  },
};

export const auditCommands = [listEntries, showEntry, verifyLog, showHead, exportLog];

function readHead(text: string | undefined): AuditHead | undefined {
  if (text === undefined) return undefined;
  const [, number, hash = ""] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  if (number !== undefined) return { number: Number(number), hash };
  throw new UsageError("--head must be what petstore audit head printed, such as 17:5f2c….");
}

function fromText({ source }: AuditEntry): string {
  const { address, agent, host, sudoUser } = JSON.parse(source);
  const sudo = sudoUser && `sudo by ${sudoUser}`;
  return [address, host, sudo, agent].filter(Boolean).join(", ");
}

const shown = (value: unknown) =>
  value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
