/** The client of the checks: every request has a time limit and is remembered for the report. */
import { allOperations } from "../contract/operations.ts";
import type { Semaphore } from "../core/semaphore.ts";
import { assert, CheckFailure, NotApplicable } from "./check.ts";
import type { Created } from "./cleanUp.ts";
import { HttpExchange, type Order, type Pet, shortened } from "./exchange.ts";
import { RateLimited, type RateLimitPacer } from "./rateLimitPacer.ts";
import type { RunOptions } from "./runChecks.ts";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What all checks of one run share. */
export interface RunContext extends Pick<RunOptions, "base" | "key" | "clock"> {
  readonly fetch: Fetch;
  readonly requests: Semaphore;
  readonly pace: RateLimitPacer;
  /** Aborted when the run has taken as long as it may. */
  readonly over: AbortSignal;
  readonly created: Created;
  /** Stands in the name of every pet of this run. */
  readonly mark: string;
  /** Names differ by it, whichever check makes them. */
  nextNumber(): number;
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes go as they are, anything else as JSON. */
  readonly body?: unknown;
  /** Null sends none. Left out, it is JSON where there is a body. */
  readonly contentType?: string | null;
  /** The whole Authorization header; null sends none. Left out, it is the key of the run. */
  readonly authorization?: string | null;
  /** How the body is read; whole, unless given. */
  readonly read?: (response: Response) => Promise<string>;
  readonly signal?: AbortSignal;
}

export const requestMsMax = 10_000;
/** How long an event may take to arrive on a stream that is open. */
const streamMsMax = 5_000;
const answerBytesMax = 4 * 1024 * 1024;
const rememberedMax = 40;
const eventStream = "text/event-stream";

interface PetFields {
  readonly name?: string;
  readonly categoryId?: number;
  readonly status?: string;
}

/** More than the largest page holds. */
const manyPetsCount = 101;
const manyPets = new WeakMap<RunContext, Promise<unknown>>();
const idsSearchedMax = 2_000n;
const idsAtOnce = 100n;

const getPetEndsAtMs =
  allOperations.find(({ id }) => id === "getPet")?.lifecycle?.sunsetAtMs ??
  Number.POSITIVE_INFINITY;

/** Sends the requests of one check, remembers them, and has the fixtures that checks share. */
export class Caller {
  readonly context: RunContext;
  /** `POST /pets {"name":…} → 201`, in the order of sending. */
  readonly requests: string[] = [];

  constructor(context: RunContext) {
    this.context = context;
  }

  /** A name that tells where the pet came from, different each time. */
  newName(about = "pet"): string {
    return `petstore check ${this.context.mark} ${about} ${this.context.nextNumber()}`;
  }

  /** Larger than any service gets by counting, and by chance another each time. */
  unusedId(): bigint {
    const bytes = this.context.clock.random(7);
    return 2n ** 62n + bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<HttpExchange> {
    return this.send("GET", path, { headers });
  }

  post(
    path: string,
    body: unknown,
    sent: Omit<RequestOptions, "body"> = {},
  ): Promise<HttpExchange> {
    return this.send("POST", path, { ...sent, body });
  }

  send(method: string, path: string, sent: RequestOptions = {}): Promise<HttpExchange> {
    const { pace, requests } = this.context;
    return pace.run(() => requests.run(() => this.#exchange(method, path, sent)));
  }

  /**
   * Opens a stream of events, does what should appear on it, and reads until it has. The text is
   * what has come, be it that the stream has ended or the time is over.
   */
  async stream(
    path: string,
    headers: Readonly<Record<string, string>>,
    opened: () => Promise<unknown>,
    isEnough: (text: string) => boolean,
  ): Promise<HttpExchange> {
    const { clock, over } = this.context;
    const ending = new AbortController();
    const bodies: ReadableStream<Uint8Array>[] = [];
    // Only the head counts as a request that is under way: the stream waits for others.
    const read = async (response: Response) => {
      const type = response.headers.get("content-type") ?? "";
      if (!type.startsWith(eventStream) || response.body === null) return boundedText(response);
      bodies.push(response.body);
      return "";
    };
    const sent = { headers: { accept: eventStream, ...headers }, read, signal: ending.signal };
    const seen = await this.send("GET", path, sent);
    const [body] = bodies;
    if (body === undefined) return seen;
    const stop = clock.after(streamMsMax, () => ending.abort());
    try {
      await opened();
      const text = await textUntil(body, isEnough, AbortSignal.any([ending.signal, over]));
      return new HttpExchange(seen.status, seen.headers, text);
    } finally {
      stop();
      ending.abort();
    }
  }

  async #exchange(method: string, path: string, sent: RequestOptions): Promise<HttpExchange> {
    const { context } = this;
    const hurry = new AbortController();
    const stop = context.clock.after(requestMsMax, () => hurry.abort());
    const body = bytesOf(sent.body);
    const line = `${method} ${path}${body === undefined ? "" : ` ${shortened(decoded(body))}`}`;
    try {
      const response = await context.fetch(context.base + path, {
        method,
        headers: this.#headersOf(sent),
        redirect: "manual",
        signal: AbortSignal.any([
          hurry.signal,
          context.over,
          ...(sent.signal ? [sent.signal] : []),
        ]),
        ...(body === undefined ? {} : { body }),
      });
      const text = await (sent.read ?? boundedText)(response);
      this.#remember(`${line} → ${response.status}`);
      context.created.note(method, path, response.status, text);
      return new HttpExchange(response.status, response.headers, text);
    } catch (cause) {
      this.#remember(`${line} → no answer`);
      if (cause instanceof CheckFailure) throw cause;
      if (context.over.aborted && context.pace.limited) throw new RateLimited();
      throw new CheckFailure(
        "an answer",
        whyNone(cause, hurry.signal.aborted, context.over.aborted),
      );
    } finally {
      stop();
    }
  }

  #headersOf(sent: RequestOptions): Record<string, string> {
    const { authorization = `Bearer ${this.context.key}`, contentType = "application/json" } = sent;
    return {
      ...(authorization === null ? {} : { authorization }),
      ...(sent.body === undefined || contentType === null ? {} : { "content-type": contentType }),
      ...sent.headers,
    };
  }

  #remember(line: string): void {
    if (this.requests.length < rememberedMax) this.requests.push(this.redacted(line));
  }

  /** Nothing that is reported may hold the key, even if the service repeats it. */
  redacted(text: string): string {
    return text.replaceAll(this.context.key, "<API_KEY>");
  }

  /** Posts a pet with a name of its own, without a status. */
  postPet(sent: Omit<RequestOptions, "body"> = {}, fields: object = {}): Promise<HttpExchange> {
    return this.post("/pets", { name: this.newName(), categoryId: 1, ...fields }, sent);
  }

  async addPet(wanted: PetFields = {}): Promise<Pet> {
    return (await this.postPet({}, { status: "available", ...wanted })).pet(201);
  }

  addPets(count: number, wanted: PetFields = {}): Promise<Pet[]> {
    return Promise.all(Array.from({ length: count }, () => this.addPet(wanted)));
  }

  async placeOrder(pet?: Pet): Promise<Order> {
    const { id } = pet ?? (await this.addPet());
    return (await this.post("/store/orders", `{"petId":${id},"quantity":1}`)).order(201);
  }

  /** Makes sure that there are more pets than a page can hold; once for all checks of a run. */
  async ensureManyPets(): Promise<void> {
    const { context } = this;
    const pets = manyPets.get(context) ?? new Caller(context).addPets(manyPetsCount);
    manyPets.set(context, pets);
    await pets;
  }

  getPetIsGone(): boolean {
    return this.context.clock.now() >= getPetEndsAtMs;
  }

  needGetPet(): void {
    if (this.getPetIsGone()) throw new NotApplicable("getPet has reached its announced end.");
  }

  /** The pet as it is now, by whichever operation there is. */
  async petNow(id: bigint): Promise<Pet> {
    if (!this.getPetIsGone()) return (await this.get(`/pets/${id}`)).pet();
    const seen = await this.get(`/pets?id=${id}`);
    const [pet] = seen.pets();
    assert(pet !== undefined, `pet ${id}`, seen.shown);
    return pet;
  }

  async expectPetStatus(id: bigint, status: string): Promise<void> {
    const found = await this.petNow(id);
    assert(found.status === status, `pet ${id} ${status}`, `${found.status}`);
  }

  /** All pets with ids between two, for finding one that should not be there. */
  async petsBetween(from: Pet, to: Pet): Promise<Pet[]> {
    const count = to.id - from.id - 1n;
    if (count < 0n || count > idsSearchedMax) {
      throw new NotApplicable("Ids are too far apart here to look through all between two pets.");
    }
    const found: Pet[] = [];
    for (let id = from.id + 1n; id < to.id; id += idsAtOnce) {
      const end = id + idsAtOnce < to.id ? id + idsAtOnce : to.id;
      const ids = Array.from({ length: Number(end - id) }, (_, at) => `id=${id + BigInt(at)}`);
      found.push(...(await this.get(`/pets?limit=100&${ids.join("&")}`)).pets());
    }
    return found;
  }

  /**
   * Where an address of the service leads, on the base that is under test. Behind a proxy the
   * service may know itself by another name, and the key must not be sent there.
   */
  rebased(address: string, path: string): string {
    const base = `${this.context.base}${path}`;
    const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
    assert(url?.pathname.endsWith(path) === true, `an address of ${path}`, address);
    return `${path}${url.search}`;
  }

  /** The pages of a list from a query on. Ends at the last page or after `pagesMax`. */
  async *walk(path: string, query: string, pagesMax: number): AsyncGenerator<HttpExchange> {
    let next: string | undefined = `${path}?${query}`;
    for (let page = 0; page < pagesMax && next !== undefined; page++) {
      const seen: HttpExchange = await this.get(next);
      yield seen;
      const link = seen.link("next");
      next = link === undefined ? undefined : this.rebased(link, path);
    }
  }

  nextOf(seen: HttpExchange, path: string): string {
    const next = seen.link("next");
    assert(next !== undefined, 'a Link with rel="next"', seen.header("link"));
    return this.rebased(next, path);
  }

  cursorOf(seen: HttpExchange, path: string): string {
    const next = this.nextOf(seen, path);
    const cursor = new URLSearchParams(next.slice(next.indexOf("?"))).get("cursor");
    assert(cursor !== null && cursor !== "", "a cursor in the next address", next);
    return cursor;
  }
}

const utf8 = new TextEncoder();

function bytesOf(body: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (body === undefined) return undefined;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  // As bytes, so that fetch adds no media type of its own.
  return utf8.encode(typeof body === "string" ? body : JSON.stringify(body));
}

const decoded = (bytes: Uint8Array) => new TextDecoder().decode(bytes.subarray(0, 1_024));

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let count = 0;
  for await (const chunk of response.body ?? []) {
    count += chunk.byteLength;
    if (count > answerBytesMax) {
      throw new CheckFailure(`an answer of at most ${answerBytesMax} bytes`, "a longer one");
    }
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new CheckFailure("an answer in UTF-8", "bytes that are not");
  }
}

async function textUntil(
  body: ReadableStream<Uint8Array>,
  isEnough: (text: string) => boolean,
  signal: AbortSignal,
): Promise<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const end = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", end);
  let text = "";
  try {
    while (!signal.aborted && !isEnough(text) && text.length <= answerBytesMax) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    // It was cut off. What has come is judged.
  }
  signal.removeEventListener("abort", end);
  end();
  return text;
}

function whyNone(cause: unknown, slow: boolean, over: boolean): string {
  if (over) return "none before the run had to end";
  if (slow) return `none within ${requestMsMax / 1_000} seconds`;
  const message = cause instanceof Error ? cause.message : String(cause);
  // Bun adds a question to it, whether the computer can access the URL.
  return `none: ${shortened(message.replace(/\.\s.*\?$/s, "").replace(/\.$/, ""))}`;
}
