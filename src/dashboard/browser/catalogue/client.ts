/** The catalogue through the public client, with a key that lasts as long as this page needs it. */
import { PetStoreClient, PetStoreError } from "../../../client/client.ts";
import { call } from "../http.ts";
import { later } from "../platform.ts";
import { session } from "../session.ts";

interface Held {
  readonly id: string;
  readonly client: PetStoreClient;
}

/** In the page's memory and nowhere else. */
let held: Promise<Held> | undefined;
let forgetting: (() => void) | undefined;

/** A while before it ends, so that no call begins with a key that is about to. */
const marginSeconds = 60;

async function make(): Promise<Held> {
  const { id, token, livesSeconds } = await call("post", "/catalogue-key");
  forgetting?.();
  forgetting = later(Math.max(0, livesSeconds - marginSeconds) * 1000, () => {
    held = undefined;
  });
  const client = new PetStoreClient({
    baseUrl: `${location.origin}/v1`,
    apiKey: token,
    retries: 1,
    onDeprecation: () => {},
  });
  return { id, client };
}

async function hold(): Promise<Held> {
  held ??= make().catch((cause) => {
    held = undefined;
    throw cause;
  });
  return held;
}

/** Once more with a new key where the one at hand was revoked or has run out. */
export async function withClient<T>(call: (client: PetStoreClient) => Promise<T>): Promise<T> {
  const { client } = await hold();
  try {
    return await call(client);
  } catch (cause) {
    if (!(cause instanceof PetStoreError) || cause.status !== 401) throw cause;
    held = undefined;
    return call((await hold()).client);
  }
}

/** Ends the key with the session, as far as the page can. It would end by itself within the hour. */
export async function endCatalogueKey(): Promise<void> {
  const ending = held;
  held = undefined;
  if (ending === undefined) return;
  const { id } = await ending;
  await call("post", "/keys/{key}/revoke", { path: { key: id } });
}

session.subscribe(({ kind }) => {
  if (kind !== "signed_in") held = undefined;
});
