/** Sends a hostile request and holds what comes back against its one reading. */
import { type PublicProblemCode, problems } from "../../src/core/problems.ts";
import type { Tally } from "../tally.ts";
import { type RawAnswer, type Transcript, transcriptOf } from "./answers.ts";
import { converse, type Heard } from "./conversation.ts";
import type { HostileCase } from "./hostileCase.ts";

// A refusal comes within milliseconds; a machine that is busy with other things takes longer.
const patienceMsDefault = 5_000;
/** Where the service may wait for more, it is not waited with it. */
const waitingMs = 100;

export async function judgeCase(
  port: number,
  hostile: HostileCase,
  mark: string,
  pieces: readonly Buffer[],
  tally: Tally,
  patienceMs = patienceMsDefault,
): Promise<void> {
  const { methods, reading } = hostile;
  const heard = await converse({
    port,
    pieces,
    patienceMs: hostile.mayWait ? waitingMs : patienceMs,
    enough: (bytes) =>
      !hostile.ends &&
      transcriptOf(bytes, { closed: false, methods }).answers.length >= reading.length,
  });
  const transcript = transcriptOf(heard.bytes, { closed: true, methods });
  const complaint = complaintOf(hostile, mark, heard, transcript);
  tally.judge(complaint === undefined, () => {
    const heardText = JSON.stringify(heard.bytes.toString("latin1").slice(0, 300));
    return `${hostile.name}, in ${pieces.length} pieces: ${complaint}; heard ${heardText}`;
  });
}

/** What is wrong with what was heard; undefined where it is one of the things that may be. */
export function complaintOf(
  { reading, ends, mayWait }: HostileCase,
  mark: string,
  { bytes, closedByService }: Heard,
  { answers, fault, rest }: Transcript,
): string | undefined {
  if (fault !== undefined) return `no HTTP answer: ${fault}`;
  if (rest.length > 0) return "an answer was cut off";
  if (bytes.includes(mark)) return "what was hidden in it was answered";
  if (answers.length > reading.length) {
    return `${answers.length} answers to ${reading.length} requests`;
  }
  for (const [at, { status }] of answers.entries()) {
    if (!reading[at]?.includes(status)) return `answer ${at + 1} is ${status}`;
  }
  if (answers.length < reading.length && !mayWait) {
    return `${answers.length} answers to ${reading.length} requests`;
  }
  const undeclared = answers.find(
    (answer) => !isDeclared(answer, ends && answer === answers.at(-1)),
  );
  if (undeclared !== undefined) return `answer ${undeclared.status} has no Error of the contract`;
  return closedByService || !ends ? undefined : "the connection was left open";
}

/** Beside the API, errors are pages. What was refused before it was a request has no side. */
export function isDeclared({ status, headers, body }: RawAnswer, beforeRequest = false): boolean {
  const isJson = headers.get("content-type") === "application/json";
  if (status < 400 || ((!isJson || body.length === 0) && !beforeRequest)) return true;
  try {
    const error = JSON.parse(body.toString()) as { code: PublicProblemCode; status: number };
    return error.status === status && problems[error.code].status === status;
  } catch {
    return false;
  }
}
