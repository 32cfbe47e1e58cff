/** Where the authority keeps its parts (RFC 8555, section 7.1.1). */
import type { Clock } from "../../core/clock.ts";
import type { RenewalWindow } from "../domains/certificateAuthority.ts";
import {
  AcmeError,
  errorOfResponse,
  isObject,
  type JsonObject,
  malformed,
  parseBody,
} from "./acmeError.ts";
import { type AcmeResponse, retryAtMs, type Transport } from "./transport.ts";

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
    const response = await this.#transport.send({ method: "GET", url: this.url });
    if (response.status !== 200) throw errorOfResponse(response, this.#clock.now());
    const entries = this.#understand(parseBody(response));
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

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** As section 4.3.2 has it: an authority that says less or more is held to these. */
const askAgainMs = { least: minuteMs, usual: 6 * hourMs, most: 24 * hourMs };
const renewalNameLengthMax = 256;

export function isRenewalName(text: string): boolean {
  return text.length <= renewalNameLengthMax && /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/.test(text);
}

/**
 * When the authority wants a certificate replaced (RFC 9773, section 4). Throws an `AcmeError` when
 * the authority fails or sends something malformed.
 */
export async function fetchRenewalWindow(
  renewalName: string,
  directory: Directory,
  transport: Transport,
  clock: Clock,
): Promise<RenewalWindow> {
  const { renewalInfo } = await directory.entries();
  if (renewalInfo === undefined) return { kind: "not_offered" };
  if (!isRenewalName(renewalName))
    throw new AcmeError("policy", "This is no name of a certificate.");
  const url = `${renewalInfo.replace(/\/$/, "")}/${renewalName}`;
  const response = await transport.send({ method: "GET", url });
  if (response.status !== 200) throw errorOfResponse(response, clock.now());
  return { ...readWindow(response), askAgainAtMs: askAgainAtMs(response, clock.now()) };
}

function readWindow(response: AcmeResponse): { kind: "window"; startMs: number; endMs: number } {
  const { suggestedWindow } = parseBody(response);
  const { start, end } = isObject(suggestedWindow) ? suggestedWindow : {};
  const startMs = readTimestamp(start);
  const endMs = readTimestamp(end);
  if (startMs === undefined || endMs === undefined || endMs <= startMs) {
    throw malformed("a renewal window that is none");
  }
  return { kind: "window", startMs, endMs };
}

/** RFC 3339. Date.parse alone would take much else. */
function readTimestamp(value: unknown): number | undefined {
  const form = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;
  if (typeof value !== "string" || !form.test(value)) return undefined;
  const ms = Date.parse(value.toUpperCase());
  return Number.isNaN(ms) ? undefined : ms;
}

function askAgainAtMs(response: AcmeResponse, nowMs: number): number {
  const wanted = retryAtMs(response.header("retry-after"), nowMs) ?? nowMs + askAgainMs.usual;
  return Math.min(Math.max(wanted, nowMs + askAgainMs.least), nowMs + askAgainMs.most);
}
