import { systemClock } from "../clock.ts";
import { refused } from "./failures.ts";

/** Past it a question is refused at once: it would wait too long. */
const waitingMax = 10_000;
/** More groups at once would be smaller, and take connections from others. */
const underWayMax = 3;
/** A group that takes longer than this keeps the next one waiting no more. */
const patienceMs = 20;

/** Answers each of the questions, in their order. */
type Answering<Question, Answer> = (questions: readonly Question[]) => Promise<readonly Answer[]>;

interface Size<Question> {
  /** How much goes into one group. */
  readonly groupMax: number;
  /** How much a question adds to it: 1 where nothing is said. */
  of?(question: Question): number;
}

interface Waiting<Question, Answer> {
  readonly question: Question;
  resolve(answer: Answer): void;
  reject(reason: unknown): void;
}

/**
 * Questions to the database, in groups: what is asked while others are being answered goes along in
 * the next group, which is one statement. The busier the store, the more share a round trip; alone,
 * a question leaves at once. Nobody gets an answer from before they asked.
 *
 * One group is under way, since two would each be half as large and cost as much. Others join it
 * when more waits than a group holds, or when it is slow: its connection may be stuck.
 */
export class Gathering<Question, Answer> {
  readonly #answer: Answering<Question, Answer>;
  readonly #size: Size<Question>;
  #waiting: Waiting<Question, Answer>[] = [];
  #underWay = 0;
  /** Of those under way, the ones that are not slow yet. */
  #prompt = 0;
  #scheduled = false;

  constructor(size: Size<Question>, answer: Answering<Question, Answer>) {
    this.#size = size;
    this.#answer = answer;
  }

  ask(question: Question): Promise<Answer> {
    if (this.#waiting.length >= waitingMax) {
      return Promise.reject(refused(`${waitingMax} questions wait for the database.`));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject });
      this.#schedule();
    });
  }

  /** After this turn of the loop: a microtask would leave with the first of the requests in it. */
  #schedule(): void {
    if (this.#scheduled || !this.#mayLeave()) return;
    this.#scheduled = true;
    systemClock.next(() => {
      this.#scheduled = false;
      while (this.#mayLeave()) this.#send(this.#nextGroup());
    });
  }

  #mayLeave(): boolean {
    if (this.#waiting.length === 0 || this.#underWay >= underWayMax) return false;
    return this.#prompt === 0 || this.#waiting.length >= this.#size.groupMax;
  }

  #nextGroup(): Waiting<Question, Answer>[] {
    const { groupMax, of: sizeOf = () => 1 } = this.#size;
    let size = 0;
    const tooMuch = this.#waiting.findIndex(({ question }, index) => {
      size += sizeOf(question);
      return size > groupMax && index > 0;
    });
    return this.#waiting.splice(0, tooMuch === -1 ? this.#waiting.length : tooMuch);
  }

  #send(group: readonly Waiting<Question, Answer>[]): void {
    this.#underWay++;
    this.#prompt++;
    let isPrompt = true;
    const noLongerPrompt = () => {
      if (isPrompt) this.#prompt--;
      isPrompt = false;
      this.#schedule();
    };
    const inTime = systemClock.after(patienceMs, noLongerPrompt);
    void this.#tell(group).finally(() => {
      inTime();
      this.#underWay--;
      noLongerPrompt();
    });
  }

  async #tell(group: readonly Waiting<Question, Answer>[]): Promise<void> {
    try {
      const answers = await this.#answer(group.map(({ question }) => question));
      for (const [index, { resolve }] of group.entries()) resolve(answers[index] as Answer);
    } catch (cause) {
      for (const { reject } of group) reject(cause);
    }
  }
}
