/** Sends a write, a repetition too, and notes in the ledger what came of it. */
import { parseJson } from "../src/contract/json.ts";
import { type Answer, codeOf, exchange } from "./exchange.ts";
import {
  certainStep,
  type Entry,
  type MoveEntry,
  newPetText,
  type OrderEntry,
  orderFault,
  orderStepOf,
  orderSteps,
  petFault,
  petStepMax,
  possibleStep,
  type WriteOutcome,
} from "./ledger.ts";
import { type Client, isLimited, lost } from "./load.ts";

/** False where it is better not to ask again at once. */
export async function write(client: Client, entry: Entry | undefined): Promise<boolean> {
  if (entry === undefined) return true;
  const { base, token, ledger, tally, fresh } = client;
  const { idempotencyKey } = entry;
  const before = entry.outcome;
  const approvedBefore = entry.kind === "move" && certainStep(entry.order) >= 1;
  if (before !== "acknowledged") entry.outcome = "sent";
  const { path, body } = requestOf(entry);
  const url = `${base}${path}`;
  const answer = await exchange({ method: "POST", url, token, body, idempotencyKey, fresh }, tally);
  if (answer !== undefined && [200, 201].includes(answer.status)) {
    return accept(client, entry, answer, before);
  }
  const verdict = answer === undefined ? "unknown" : refusal(client, entry, answer, approvedBefore);
  if (before !== "acknowledged") {
    entry.outcome = outcomeAfter(verdict, before);
    if (verdict !== "refused" && idempotencyKey !== undefined) ledger.unsettled.push(entry);
  }
  return answer === undefined ? lost(client, url) : verdict === "refused";
}

/** `later`: not done now, whatever came of an earlier attempt. */
type Verdict = "refused" | "unknown" | "later";

function outcomeAfter(verdict: Verdict, before: WriteOutcome): WriteOutcome {
  if (verdict !== "later") return verdict;
  return before === "unknown" ? "unknown" : "refused";
}

function requestOf(entry: Entry): { readonly path: string; readonly body: string | undefined } {
  if (entry.kind === "pet") return { path: "/pets", body: newPetText(entry) };
  if (entry.kind === "move") {
    return { path: `/store/orders/${entry.order.id}/${entry.event}`, body: undefined };
  }
  const body = `{"petId":${entry.pet.id},"quantity":${entry.quantity}}`;
  return { path: "/store/orders", body };
}

function accept(client: Client, entry: Entry, answer: Answer, before: WriteOutcome): boolean {
  const { ledger, tally, seen } = client;
  const { text, headers, status } = answer;
  const told = `${entry.kind} ${text.slice(0, 300)}`;
  tally.judge(status === (entry.kind === "move" ? 200 : 201), () => `${status} for ${told}`);
  if (before === "acknowledged") {
    const replayed = headers.get("idempotency-replayed") === "true";
    tally.judge(replayed && text === entry.text, () => {
      return `Repeated with ${entry.idempotencyKey}, ${entry.text} became ${text} (replayed: ${replayed})`;
    });
    return true;
  }
  const body = parseJson(text) as Record<string, unknown>;
  const fault = faultOf(entry, body);
  tally.judge(fault === undefined, () => `Acknowledged, but ${fault}: ${told}`);
  const id = String(body["id"]);
  if (entry.kind === "pet") {
    const known = ledger.petsById.get(id);
    tally.judge(known === undefined || known === entry, () => `The id ${id} was given twice`);
    ledger.petIsThere(entry, id);
  } else if (entry.kind === "order") {
    const known = ledger.ordersById.get(id);
    tally.judge(known === undefined || known === entry, () => `The order ${id} was made twice`);
    ledger.orderIsThere(entry, id, String(body["placedAt"]));
  } else {
    advance(entry.order, orderStepOf(body["status"]));
  }
  seen.acknowledged++;
  ledger.acknowledge(entry, text, client.position?.());
  return true;
}

/** Answers overtake each other, so it never goes back. */
export function advance(order: OrderEntry, step: number): void {
  order.certain = orderSteps[Math.max(step, certainStep(order))] ?? order.certain;
}

function faultOf(entry: Entry, body: Record<string, unknown>): string | undefined {
  if (entry.kind === "pet") {
    const status = entry.status ?? "available";
    return (
      petFault(entry, body) ?? (body["status"] === status ? undefined : `it is ${body["status"]}`)
    );
  }
  const [order, status] =
    entry.kind === "order"
      ? [entry, "placed"]
      : [entry.order, entry.event === "approve" ? "approved" : "delivered"];
  return (
    orderFault(order, body) ?? (body["status"] === status ? undefined : `it is ${body["status"]}`)
  );
}

/** What a refusal means, after asking whether there was a reason for it. */
function refusal(client: Client, entry: Entry, answer: Answer, approvedBefore: boolean): Verdict {
  const { tally, seen, failedMayBeDone, writesMayFail } = client;
  if (isLimited(client, answer)) return "later";
  const { status, text } = answer;
  const code = codeOf(text);
  const told = () => `${entry.kind} was answered ${status} ${text.slice(0, 200)}`;
  if (code === "store_unavailable") {
    seen.failed++;
    tally.judge(writesMayFail?.() ?? true, told);
    return failedMayBeDone ? "unknown" : "later";
  }
  if (code === "idempotency_in_flight" && entry.idempotencyKey !== undefined) return "later";
  tally.judge(hasReason(entry, code, approvedBefore), told);
  return "refused";
}

function hasReason(entry: Entry, code: string | undefined, approvedBefore: boolean): boolean {
  if (entry.outcome === "acknowledged") return false;
  if (entry.kind === "order") {
    return code === "pet_not_available" && petStepMax(entry.pet, entry) > 0;
  }
  if (entry.kind === "pet" || code !== "order_event_refused") return false;
  return moveHasReason(entry, approvedBefore);
}

function moveHasReason(move: MoveEntry, approvedBefore: boolean): boolean {
  const possible = possibleStep(move.order, move);
  if (move.event === "approve") return possible >= 1;
  return possible === 2 || !approvedBefore;
}
