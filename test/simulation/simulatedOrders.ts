/** The orders that the simulated authority knows, and what becomes of them when their worker dies. */
import type {
  Challenge,
  OrderRequest,
  Reach,
  RefusalReason,
} from "../../src/hosting/domains/certificateAuthority.ts";
import { registrableOf } from "../../src/hosting/domains/hostName.ts";
import type { Tally } from "./tally.ts";
import type { WatchedStore } from "./watchedStore.ts";
import { authorityName } from "./zones.ts";

export interface Objection {
  readonly reason: RefusalReason;
  readonly detail: string;
}

/** `heard` where the worker that ordered lived to be told. */
export interface Failure extends Objection {
  readonly atMs: number;
  heard: boolean;
}

export interface SimulatedOrder {
  readonly url: string;
  readonly host: string;
  readonly privateKeyPem: string;
  readonly token: string;
  /** The domain that it was placed for. */
  readonly claim: string | undefined;
  state: "pending" | "validated" | "issued" | "over";
  validation: Promise<Failure | undefined> | undefined;
  chainPem: string | undefined;
}

const directory = "https://simulated.example/directory";
const caaIdentities = [authorityName];
export const reached: Reach = { directory, caaIdentities, refusal: undefined };
export const unreachable: Reach = {
  ...reached,
  refusal: { reason: "unavailable", detail: "503", retryAtMs: undefined },
};
export const keyMark = ["PRIVATE", "KEY"].join(" ");

export function challengeOf({ host, token }: SimulatedOrder): Challenge {
  return { host, token, keyAuthorization: `${token}.account` };
}

export class SimulatedOrders {
  readonly #tally: Tally;
  readonly #store: WatchedStore;
  readonly #isStored: (chainPem: string) => boolean;
  readonly #known = new Map<string, SimulatedOrder>();
  /** The last order of each host that its worker has stored. */
  readonly #stored = new Map<string, SimulatedOrder>();
  /** Orders that may still result in a certificate, by what was registered: they count like one. */
  readonly #open = new Map<string, Set<SimulatedOrder>>();

  constructor(tally: Tally, store: WatchedStore, isStored: (chainPem: string) => boolean) {
    this.#tally = tally;
    this.#store = store;
    this.#isStored = isStored;
  }

  /** How many below the registered domain of a host may still result in a certificate. */
  open(host: string): number {
    return this.#openFor(host).size;
  }

  resumed({ resume }: OrderRequest): SimulatedOrder | undefined {
    const order = this.#known.get(resume?.url ?? "");
    if (order === undefined) return undefined;
    this.#tally.count("orders resumed");
    if (order.privateKeyPem !== resume?.privateKeyPem) {
      this.#tally.violated("an order is resumed with its own key", order.host);
    }
    return this.#opened(order);
  }

  /** Undefined where whoever placed it could not store it. */
  async place(request: OrderRequest, token: string): Promise<SimulatedOrder | undefined> {
    const { host } = request;
    const number = this.#known.size + 1;
    const url = `https://simulated.example/order/${number}`;
    const privateKeyPem = `-----BEGIN ${keyMark}-----\nof ${number}\n-----END ${keyMark}-----\n`;
    const claim = this.#claimOf(host);
    const order: SimulatedOrder = {
      ...{ url, host, privateKeyPem, token, claim },
      ...{ state: "pending", validation: undefined, chainPem: undefined },
    };
    this.#known.set(url, order);
    try {
      await request.placed({ directory, url, privateKeyPem });
    } catch {
      return undefined;
    }
    // Not before: a worker that stood still and lost its lease may place one that it cannot store.
    this.#judgeNew(host);
    this.#stored.set(host, order);
    return this.#opened(order);
  }

  over(order: SimulatedOrder, state: "issued" | "over"): void {
    order.state = state;
    this.#openFor(order.host).delete(order);
  }

  #opened(order: SimulatedOrder): SimulatedOrder {
    if (order.state !== "issued" && order.state !== "over") this.#openFor(order.host).add(order);
    return order;
  }

  #openFor(host: string): Set<SimulatedOrder> {
    const registrable = registrableOf(host) ?? host;
    const open = this.#open.get(registrable) ?? new Set();
    this.#open.set(registrable, open);
    return open;
  }

  #claimOf(host: string): string | undefined {
    const claims = this.#store
      .claims(host)
      .filter(({ domain }) => domain.certificate.issuance?.ordering === true);
    // Of several, all but one are left by workers that died.
    return claims.length === 1 ? claims[0]?.domain.id : undefined;
  }

  /** Whatever the worker before stored is resumed, as long as the name is the same owner's. */
  #judgeNew(host: string): void {
    const before = this.#stored.get(host);
    if (before === undefined || before.state === "over") return;
    // Where nothing was asked of it yet, nothing is lost: a certificate from before may do instead.
    if (before.state === "pending" && before.validation === undefined) return;
    const claim = this.#claimOf(host);
    if (claim === undefined || before.claim !== claim) return;
    if (before.chainPem !== undefined && this.#isStored(before.chainPem)) return;
    this.#tally.violated("an order that was stored is resumed", `${host}: ${before.state}`);
  }
}
