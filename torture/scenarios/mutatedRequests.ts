import { judge } from "../../testkit/contractJudge.ts";
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import { petstore } from "../../testkit/serviceProcess.ts";
import { Acknowledged } from "../hostile/acknowledged.ts";
import type { RawAnswer } from "../hostile/answers.ts";
import { bytesOf, type Draft, draft, type KnownValues } from "../hostile/drafts.ts";
import { inEpisodes } from "../hostile/episodes.ts";
import { warm } from "../hostile/ordinary.ts";
import { outsideDraft } from "../hostile/outsideDrafts.ts";
import { type Outcome, RawClient } from "../hostile/rawClient.ts";
import type { Scenario, ScenarioContext } from "../scenario.ts";
import { judgeLog, startVictim, type Victim } from "../service.ts";

const clients = 24;
const hearsayMax = 500;

interface Attempt {
  readonly draft: Draft;
  readonly outcome: Outcome;
}

/** Sends requests one after the other over a connection of its own. */
class Mutator {
  readonly #context: ScenarioContext;
  readonly #victim: Victim;
  readonly #reader: string;
  readonly #client: RawClient;
  readonly #acknowledged: Acknowledged;
  readonly #known: KnownValues = { petIds: [], orderIds: [], cursors: [], etags: [] };

  constructor(
    context: ScenarioContext,
    victim: Victim,
    reader: string,
    acknowledged: Acknowledged,
  ) {
    this.#context = context;
    this.#victim = victim;
    this.#reader = reader;
    this.#acknowledged = acknowledged;
    this.#client = new RawClient(Number(new URL(victim.origin).port));
  }

  async run(random: SeededRandom, until: () => boolean): Promise<void> {
    while (until()) {
      if (random.happens(0.15)) await this.#outside(outsideDraft(this.#victim.token, random));
      else await this.#inside(draft(this.#tokenBy(random), this.#known, random), random);
    }
    this.#client.close();
  }

  #tokenBy(random: SeededRandom): string {
    return random.happens(0.1) ? this.#reader : this.#victim.token;
  }

  async #outside(draft: Draft): Promise<void> {
    const outcome = await this.#client.send(bytesOf(draft, draft.target), draft.method);
    this.#context.tally.fault("mutated requests beside the API");
    this.#judge({ draft, outcome }, (answer) =>
      answer.status < 500 ? undefined : `it answered ${answer.status}`,
    );
  }

  async #inside(draft: Draft, random: SeededRandom): Promise<void> {
    const target = `/v1${draft.target}`;
    const outcome = await this.#client.send(bytesOf(draft, target), draft.method);
    this.#context.tally.fault("mutated requests");
    this.#judge({ draft, outcome }, (answer) => {
      if (answer.status >= 500) return `it answered ${answer.status}`;
      const fault = contractFault(draft, `${this.#victim.origin}${target}`, answer);
      if (fault === undefined) this.#note(draft, answer, random);
      return fault;
    });
  }

  #judge({ draft, outcome }: Attempt, faultOf: (answer: RawAnswer) => string | undefined): void {
    const fault = outcome.kind === "answered" ? faultOf(outcome.answer) : toldOf(outcome);
    this.#context.tally.judge(fault === undefined, () => {
      const sent = JSON.stringify(bytesOf(draft, draft.target).toString("latin1"));
      return `${fault}\nto ${sent.replaceAll(this.#victim.token, "…").slice(0, 1_500)}`;
    });
  }

  #note(
    { method, target, body }: Draft,
    { status, headers, body: answer }: RawAnswer,
    random: SeededRandom,
  ) {
    const { tally } = this.#context;
    const { cursors, etags, orderIds, petIds } = this.#known;
    const remember = (list: string[], value: string | undefined) => {
      if (value === undefined) return;
      if (list.length < hearsayMax) list.push(value);
      else list[random.between(0, hearsayMax)] = value;
    };
    remember(etags, headers.get("etag"));
    remember(cursors, /[?&]cursor=([\w-]+)/.exec(headers.get("link") ?? "")?.[1]);
    const text = answer.toString();
    const id = /^\{"id":(\d+)/.exec(text)?.[1];
    const isDone = status === 200 || status === 201 || status === 204;
    if (!isDone || method === "GET" || method === "HEAD") return;
    if (target.startsWith("/store/orders")) {
      this.#acknowledged.order(text);
      remember(orderIds, id);
    } else if (target.startsWith("/pets") && method === "POST") {
      this.#acknowledged.pet(text, body?.toString() ?? "", tally);
      remember(petIds, id);
    } else if (target.startsWith("/pets/") && method === "PATCH") {
      this.#acknowledged.updatedPet(text, tally);
    } else if (target.startsWith("/pets/") && method === "DELETE") {
      const [segment = ""] = target.slice("/pets/".length).split("?");
      this.#acknowledged.deletedPet(decodeURIComponent(segment), tally);
    }
  }
}

/** A key that may read pets and nothing else. */
async function readingToken(folder: string): Promise<string> {
  const args = ["keys", "create", "--name", "reader", "--scopes", "pets:read", "--json"];
  const made = await petstore(args, { PETSTORE_DATA: folder });
  if (made.code !== 0) throw new Error(`No key could be made: ${made.stderr}`);
  return (JSON.parse(made.stdout) as { key: string }).key;
}

function toldOf(outcome: Exclude<Outcome, { kind: "answered" }>): string {
  if (outcome.kind === "late") return "no answer in time";
  if (outcome.kind === "garbled") return `no HTTP answer: ${outcome.why}`;
  return `the connection ended after ${JSON.stringify(outcome.heard.toString("latin1"))}`;
}

function contractFault(draft: Draft, url: string, { status, headers, body }: RawAnswer) {
  const seen = { status, headers: new Headers([...headers]), text: body.toString() };
  // What a browser asks first is answered for every path, and no part of the contract.
  if (draft.method === "OPTIONS" && status === 204) return undefined;
  try {
    judge(draft.method, url, seen);
    return undefined;
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

export const mutatedRequests: Scenario = {
  name: "mutatedRequests",
  about: "random and mutated requests made from the contract, each answer held against it",
  run: inEpisodes(async (context) => {
    const { random, folder, seconds, tally } = context;
    const victim = await startVictim({ folder });
    try {
      const reader = await readingToken(folder);
      await warm(victim);
      const acknowledged = new Acknowledged();
      const endMs = performance.now() + seconds * 1_000;
      const until = () => performance.now() < endMs;
      const running = Array.from({ length: clients }, (_, index) =>
        new Mutator(context, victim, reader, acknowledged).run(
          random.fork(`client ${index}`),
          until,
        ),
      );
      await Promise.all(running);
      context.say(`${acknowledged.count} pets and orders were acknowledged`);
      tally.judge(acknowledged.count > 0, () => "No request was right");
      await acknowledged.judgeStore(victim.base, victim.token, tally);
      judgeLog(victim, tally, [reader]);
      const ending = await victim.stopped();
      tally.judge(ending === 0, () => `The service ended with ${ending}`);
    } finally {
      await victim.killed();
    }
  }),
};
