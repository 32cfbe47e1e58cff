/** Checks a host name now, and waits for the outcome. */
import { pause } from "../core/clock.ts";
import { isExpectedProblem } from "../core/problems.ts";
import type { DomainDetails, DomainView } from "../hosting/domains/domainView.ts";
import { verifyIntervalMs } from "../hosting/domains/schedule.ts";
import { type Call, type Command, note, type Report } from "./command.ts";
import type { CliContext } from "./context.ts";
import {
  findDomain,
  type OpenDomains,
  ofProject,
  operator,
  viewJson,
  whichHost,
  withDomains,
} from "./domainsAccess.ts";
import { findingsText, statusWords } from "./domainsText.ts";
import { fromNow, requireSpan, unitsText, whenText } from "./durations.ts";
import { UsageError } from "./errors.ts";
import type { Hosting } from "./hosting.ts";
import { orStopped, saying } from "./stopping.ts";

const timeoutDefault = "10m";
const pollMs = 500;
/** A running worker looks within seconds of being asked. */
const silentMs = 15_000;

export const verifyDomain: Command = {
  name: "domains verify",
  summary: "Check a host name now",
  operands: whichHost,
  options: {
    ...ofProject,
    wait: "Wait until it is live or needs action",
    "timeout <time>": `Maximum waiting time (default ${timeoutDefault})`,
  },
  about: `Ends with 0 once it is live, or prepared and ready to be switched, and with 1 when its owner must\nact or the time is over. Within 10 seconds of another check, --wait waits for that one.\nA time is a whole number and one of ${unitsText}.`,
  examples: ["petstore domains verify docs.example.com --wait"],
  async run(call, context) {
    const wait = call.switches.has("wait");
    const timeoutMs = readTimeout(call.values.get("timeout"), wait);
    const work = async (open: OpenDomains) => {
      const { host, project } = await findDomain(open, call.operand, call.values.get("project"));
      const startedAtMs = context.clock.now();
      const ask = () => open.domains.verify(operator, project, host);
      if (!wait) {
        return {
          json: viewJson(await ask()),
          text: `A check of ${host} was asked for. See petstore domains show ${host}, or add --wait.\n`,
        };
      }
      const look = () => open.domains.show(operator, project, host);
      const { joined, askedAtMs } = await requested(ask, look, context);
      if (joined) {
        const ago = fromNow(askedAtMs, startedAtMs);
        note(call, context, `A check was asked for ${ago}. Waiting for that one.`);
      }
      const waiting = { look, askedAtMs, startedAtMs, untilMs: startedAtMs + timeoutMs };
      const { view, outcome } = await settled(waiting, call, context).catch(
        saying("The check continues in the service."),
      );
      return report(view, outcome, open.hosting, context);
    };
    return withDomains(call, context, work, { host: call.operand });
  },
};

/**
 * When the check was asked for that is still to come, by the clock that all of the domain's times are
 * from. One that was asked for just before is joined.
 */
async function requested(
  ask: () => Promise<DomainDetails>,
  look: () => Promise<DomainDetails>,
  context: CliContext,
) {
  for (;;) {
    const asked = await ask().catch(tooSoonMs);
    const joined = typeof asked === "number";
    const { timeline, addedAtMs, checkedAtMs = 0 } = joined ? await look() : asked;
    const entry = timeline.find(({ event }) => event === "verify_requested");
    const askedAtMs = entry?.atMs ?? addedAtMs;
    if (!joined || checkedAtMs < askedAtMs) return { joined, askedAtMs };
    // That check is over, and may have seen what was before.
    await pause(context.clock, asked, context.stopSignal());
    context.stopSignal().throwIfAborted();
  }
}

/** How long to wait before a check can be asked for again. */
function tooSoonMs(cause: unknown): number {
  const tooSoon = isExpectedProblem(cause) && cause.code === "verify_too_soon";
  const waitMs = tooSoon ? (cause.retryAfterSeconds ?? 0) * 1000 : Number.POSITIVE_INFINITY;
  if (waitMs <= verifyIntervalMs) return waitMs;
  throw cause;
}

interface Waiting {
  readonly look: () => Promise<DomainView>;
  /** Checks since then count. */
  readonly askedAtMs: number;
  readonly startedAtMs: number;
  readonly untilMs: number;
}

type Outcome = "live" | "prepared" | "owner_must_act" | "must_wait" | "timed_out" | "not_checked";

async function settled(waiting: Waiting, call: Call, context: CliContext) {
  const { look, askedAtMs, startedAtMs, untilMs } = waiting;
  const { clock } = context;
  const signal = context.stopSignal();
  let shown = "";
  let hinted = false;
  for (;;) {
    const view = await look();
    const text = progressText(view);
    if (text !== shown) note(call, context, text);
    shown = text;
    const fresh = isFresh(view, askedAtMs);
    const late = fresh ? ("timed_out" as const) : ("not_checked" as const);
    const outcome = outcomeOf(view, waiting) ?? (clock.now() < untilMs ? undefined : late);
    if (outcome !== undefined) return { view, outcome };
    if (!hinted && !fresh && clock.now() - startedAtMs >= silentMs) {
      hinted = true;
      note(call, context, "Nothing has checked it yet. Is a service with the role worker running?");
    }
    await orStopped(pause(clock, pollMs), signal);
  }
}

/** Undefined while there is something to wait for. */
function outcomeOf(view: DomainView, { askedAtMs, untilMs }: Waiting): Outcome | undefined {
  const { status, step, findings, nextStep, retryAtMs } = view;
  if (step === "none") return "owner_must_act";
  if (!isFresh(view, askedAtMs)) return undefined;
  // The attempt that was asked for is still to come: what is shown is of the one before.
  if (retryAtMs !== undefined && retryAtMs <= askedAtMs) return undefined;
  // Name servers that disagree may do so because the record is on its way to them.
  const spreading = findings.some(({ code }) => code === "NS_DISAGREE");
  const forOwner = !spreading && findings.length > 0 && nextStep.by === "owner";
  if (retryAtMs !== undefined && retryAtMs > untilMs) {
    return forOwner ? "owner_must_act" : "must_wait";
  }
  // A certificate is on its way, whatever an attempt before has found.
  if (status === "verified" || status === "issuing") return undefined;
  if (status === "prepared") return "prepared";
  if (forOwner) return "owner_must_act";
  return status === "live" ? "live" : undefined;
}

function isFresh({ checkedAtMs }: DomainView, askedAtMs: number): boolean {
  return checkedAtMs !== undefined && checkedAtMs >= askedAtMs;
}

function progressText({ host, status, findings }: DomainView): string {
  const codes = findings.map(({ code }) => code);
  return `${host}: ${statusWords[status]}${codes.length === 0 ? "" : ` (${codes.join(", ")})`}`;
}

function report(view: DomainView, outcome: Outcome, hosting: Hosting, context: CliContext): Report {
  const { host } = view;
  const json = { ...viewJson(view), outcome };
  if (outcome === "live") {
    const port = hosting.publicHttpsPort();
    return { json, text: `${host} is live: https://${host}${port === 443 ? "" : `:${port}`}/\n` };
  }
  const nowMs = context.clock.now();
  const found = findingsText(view, nowMs);
  if (outcome === "prepared") {
    const text = `${host} is ready: its certificate is there, and its DNS can be switched.

${found}`;
    return { json, text };
  }
  return {
    json,
    exitCode: 1,
    text: `${endText(view, outcome, nowMs)}

${found}`,
  };
}

function endText(
  { host, status, step, retryAtMs }: DomainView,
  outcome: Exclude<Outcome, "live" | "prepared">,
  nowMs: number,
): string {
  const served = step === "live";
  if (outcome === "timed_out" && !served) {
    return `${host} is not live yet (${status}). Checks continue automatically.`;
  }
  const how = served
    ? `${host} is still served (${status}), but`
    : `${host} is not live (${status}), and`;
  const again = retryAtMs === undefined ? "later" : whenText(retryAtMs, nowMs);
  const whys: Record<typeof outcome, string> = {
    owner_must_act: "its owner has something to do.",
    must_wait: `nothing is tried again before ${again}.`,
    timed_out: "not complete yet. Checks continue automatically.",
    not_checked:
      "nothing has checked it: it seems that no service with the role worker is running on this store. Start one with petstore serve.",
  };
  return `${how} ${whys[outcome]}`;
}

function readTimeout(typed: string | undefined, wait: boolean): number {
  if (typed !== undefined && !wait) {
    throw new UsageError("--timeout is for --wait. Add --wait, or leave it out.");
  }
  const ms = requireSpan("--timeout", typed ?? timeoutDefault, "10m or 48h");
  if (ms > 0) return ms;
  throw new UsageError("--timeout must be longer than 0s.");
}
