/** Where the authority keeps its parts (RFC 8555, section 7.1.1). */
import type { Clock } from "../../core/clock.ts";
import { errorOfResponse, isObject, type JsonObject, malformed, parseBody } from "./acmeError.ts";
import type { Transport } from "./transport.ts";

const rememberedMs = 3_600_000;
const caaIdentitiesMax = 16;

export interface DirectoryEntries {
  readonly newNonce: string;
  readonly newAccount: string;
  readonly newOrder: string;
  readonly renewalInfo: string | undefined;
  readonly caaIdentities: readonly string[] | undefined;
  readonly hasTerms: boolean;
  readonly externalAccountRequired: boolean;
}

/** Read once for everyone, and again after an hour. */
export class Directory {
  readonly url: string;
  readonly #transport: Transport;
  readonly #clock: Clock;
  #entries: { readonly entries: DirectoryEntries; readonly readAtMs: number } | undefined;
  #reading: Promise<DirectoryEntries> | undefined;

  constructor(url: string, transport: Transport, clock: Clock) {
    this.url = url;
    this.#transport = transport;
    this.#clock = clock;
  }

  async entries(): Promise<DirectoryEntries> {
    const known = this.#entries;
    if (known !== undefined && this.#clock.elapsed() - known.readAtMs < rememberedMs) {
      return known.entries;
    }
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<DirectoryEntries> {
    const answer = await this.#transport.send({ method: "GET", url: this.url });
    if (answer.status !== 200) throw errorOfResponse(answer, this.#clock.now());
    const entries = this.#understand(parseBody(answer));
    this.#entries = { entries, readAtMs: this.#clock.elapsed() };
    return entries;
  }

  #understand({ newNonce, newAccount, newOrder, renewalInfo, meta }: JsonObject): DirectoryEntries {
    const transport = this.#transport;
    if (
      !transport.allows(newNonce) ||
      !transport.allows(newAccount) ||
      !transport.allows(newOrder)
    ) {
      throw malformed("a directory in which something is missing");
    }
    const about = isObject(meta) ? meta : {};
    return {
      newNonce,
      newAccount,
      newOrder,
      renewalInfo: transport.allows(renewalInfo) ? renewalInfo : undefined,
      caaIdentities: readCaaIdentities(about["caaIdentities"]),
      hasTerms: typeof about["termsOfService"] === "string",
      externalAccountRequired: about["externalAccountRequired"] === true,
    };
  }
}

function readCaaIdentities(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const names = value
    .filter((name) => typeof name === "string")
    .map((name) => name.toLowerCase())
    .filter((name) => /^[a-z0-9.-]{1,253}$/.test(name));
  return names.length === 0 ? undefined : names.slice(0, caaIdentitiesMax);
}
