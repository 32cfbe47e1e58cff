/** What can go wrong at a certificate authority, one rule at a time, as a test orders it. */
import { eventually } from "../eventually.ts";

export type CaKind =
  | "directory"
  | "newNonce"
  | "newAccount"
  | "newOrder"
  | "order"
  | "authorization"
  | "challenge"
  | "finalize"
  | "certificate"
  | "renewalInfo"
  | "other";

export interface CaRequest {
  readonly kind: CaKind;
  readonly method: string;
  readonly path: string;
  /** The names a newOrder asks for; empty for all else. */
  readonly hosts: readonly string[];
  /** The certificate a newOrder says it replaces (RFC 9773, section 5). */
  readonly replaces: string | undefined;
  /** What was answered; undefined while it is being answered. */
  status: number | undefined;
}

export interface Refusal {
  readonly kind: CaKind;
  /** `rateLimited`, `caa`, `rejectedIdentifier`, …: what follows `urn:ietf:params:acme:error:`. */
  readonly type: string;
  readonly status: number;
  readonly detail?: string;
  /** Seconds, or a date as HTTP writes it. */
  readonly retryAfter?: number | string;
  /** How many requests are refused; all of them if it is not said. */
  readonly times?: number;
  /** Only orders for this name. */
  readonly host?: string;
  /** Only from a challenge on and until the next order: what the authority says once it has looked. */
  readonly onceTold?: boolean;
}

export interface Hold {
  /** Resolves when a request has come that waits. */
  arrived(): Promise<void>;
  /** Lets all go that wait, and holds no more. */
  release(): void;
}

export interface CaFaults {
  refuse(refusal: Refusal): void;
  /** Orders are answered 429 `rateLimited`: the next so many, or those for one name. */
  rateLimit(limit: { times?: number; host?: string; retryAfter?: number | string }): void;
  /** The next so many signed requests are told that their nonce is bad. */
  rejectNonces(times: number): void;
  /** Everything is answered 503 until it is over. */
  outage(lasts: boolean): void;
  /** Requests of this kind reach the CA, and their answers wait. */
  hold(kind: CaKind): Hold;
  /** No faults from here on; what is held is let go. */
  clear(): void;
}

interface Rule extends Refusal {
  left: number;
}

interface HeldKind {
  readonly released: Promise<void>;
  arrive(): void;
  release(): void;
}

export interface FaultBox extends CaFaults {
  /** The refusal for this request, if there is one; it is counted as used. */
  refusalOf(request: CaRequest): Refusal | undefined;
  /** Resolves when the answer to this request may leave. */
  held(request: CaRequest): Promise<void>;
}

const isSigned = ({ method }: CaRequest) => method === "POST";

export const badNonce = { type: "badNonce", status: 400, detail: "not a nonce of ours" };

export function makeFaults(): FaultBox {
  let rules: Rule[] = [];
  let nonces = 0;
  let isOut = false;
  let isTold = false;
  const holds = new Map<CaKind, HeldKind>();

  const refuse = (refusal: Refusal) => {
    rules.push({ ...refusal, left: refusal.times ?? Number.POSITIVE_INFINITY });
  };

  function ruleFor({ kind, hosts }: CaRequest): Rule | undefined {
    const rule = rules.find(
      (each) =>
        each.kind === kind &&
        (each.host === undefined || hosts.includes(each.host)) &&
        (each.onceTold !== true || isTold),
    );
    if (rule !== undefined && --rule.left <= 0) rules = rules.filter((each) => each !== rule);
    return rule;
  }

  return {
    refuse,
    rateLimit: (limit) =>
      refuse({
        kind: "newOrder",
        type: "rateLimited",
        status: 429,
        detail: "too many orders",
        ...limit,
      }),
    rejectNonces(times) {
      nonces = times;
    },
    outage(lasts) {
      isOut = lasts;
    },
    hold(kind) {
      let hasArrived = false;
      const arrive = () => {
        hasArrived = true;
      };
      const { promise: released, resolve } = Promise.withResolvers<void>();
      const release = () => {
        if (holds.get(kind) === held) holds.delete(kind);
        resolve();
      };
      const held = { released, arrive, release };
      holds.get(kind)?.release();
      holds.set(kind, held);
      return {
        arrived: async () =>
          void (await eventually(
            () => hasArrived,
            () => `No ${kind} came.`,
          )),
        release,
      };
    },
    clear() {
      rules = [];
      nonces = 0;
      isOut = false;
      for (const { release } of [...holds.values()]) release();
    },
    refusalOf(request) {
      const { kind } = request;
      if (kind === "challenge" || kind === "newOrder") isTold = kind === "challenge";
      if (isOut) return { kind, type: "serverInternal", status: 503, detail: "out of service" };
      if (nonces > 0 && isSigned(request)) {
        nonces--;
        return { kind, ...badNonce };
      }
      return ruleFor(request);
    },
    async held({ kind }) {
      const held = holds.get(kind);
      held?.arrive();
      await held?.released;
    },
  };
}
