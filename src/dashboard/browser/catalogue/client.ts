/** Access to the catalogue through the public client, with a short-lived API key. */
import { PetStoreClient, PetStoreError } from "../../../client/client.ts";
import { later } from "../../../docs/browser/platform.ts";
import { call } from "../http.ts";
import { session } from "../session.ts";

interface KeyedClient {
  readonly id: string;
  readonly client: PetStoreClient;
}

/** Only in memory, never in storage. */
let current: Promise<KeyedClient> | undefined;
let cancelExpiry: (() => void) | undefined;

/** The key is replaced this long before it expires. */
const marginSeconds = 60;

async function createClient(): Promise<KeyedClient> {
  const { id, token, livesSeconds } = await call("post", "/catalogue-key");
  cancelExpiry?.();
  cancelExpiry = later(Math.max(0, livesSeconds - marginSeconds) * 1000, () => {
    current = undefined;
  });
  const client = new PetStoreClient({
    baseUrl: `${location.origin}/v1`,
    apiKey: token,
    retries: 1,
    onDeprecation: () => {},
  });
  return { id, client };
}

async function keyedClient(): Promise<KeyedClient> {
  current ??= createClient().catch((cause) => {
    current = undefined;
    throw cause;
  });
  return current;
}

/** Retries with a new key if the current one was revoked or has expired. */
export async function withClient<T>(call: (client: PetStoreClient) => Promise<T>): Promise<T> {
  const { client } = await keyedClient();
  try {
    return await call(client);
  } catch (cause) {
    if (!(cause instanceof PetStoreError) || cause.status !== 401) throw cause;
    current = undefined;
    return call((await keyedClient()).client);
  }
}

/** Revokes the key at the end of the session. Otherwise it expires within the hour. */
export async function endCatalogueKey(): Promise<void> {
  const ending = current;
  current = undefined;
  if (ending === undefined) return;
  const { id } = await ending;
  await call("post", "/keys/{key}/revoke", { path: { key: id } });
}

session.subscribe(({ kind }) => {
  if (kind !== "signed_in") current = undefined;
});
