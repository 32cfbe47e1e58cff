/** Clients that create pets without a pause, and record the responses. */

const retryMs = 20;
/** Longer than any wait of the service itself, so that it is the one to give up. */
const answerMsMax = 30_000;

export interface Acknowledged {
  readonly id: number;
  readonly name: string;
  /** Which process said so. */
  readonly process: number;
  readonly sentMs: number;
  readonly answeredMs: number;
}

export interface Notes {
  readonly acknowledged: Acknowledged[];
  /** Attempts that were answered with an error, by its status. */
  readonly refused: Map<number, number>;
  /** What should not happen at all: a lost connection to the service, an answer of another shape. */
  readonly strange: string[];
}

export interface Clients {
  readonly notes: Notes;
  /** Resolves when each has had the answer to its last pet. */
  stop(): Promise<Notes>;
}

/**
 * Each client adds one pet after the other under names of its own, and repeats what was refused
 * with the same Idempotency-Key until it is acknowledged. So every name belongs to one pet.
 */
export function startClients(
  bases: readonly string[],
  key: string,
  clientsPerProcess: number,
): Clients {
  const notes: Notes = { acknowledged: [], refused: new Map(), strange: [] };
  let stopping = false;
  const running = bases.flatMap((base, process) =>
    Array.from({ length: clientsPerProcess }, async (_, client) => {
      for (let count = 1; !stopping && notes.strange.length === 0; count++) {
        const name = `pet ${count} of client ${client + 1} at process ${process + 1}`;
        await addUntilAcknowledged({ base, key, process, name }, notes);
      }
    }),
  );
  return {
    notes,
    async stop() {
      stopping = true;
      await Promise.all(running);
      return notes;
    },
  };
}

interface RequestOptions {
  readonly base: string;
  readonly key: string;
  readonly process: number;
  readonly name: string;
}

async function addUntilAcknowledged(options: RequestOptions, notes: Notes): Promise<void> {
  while (notes.strange.length === 0) {
    try {
      if (await add(options, notes)) return;
    } catch (cause) {
      notes.strange.push(String(cause));
    }
    await Bun.sleep(retryMs);
  }
}

async function add({ base, key, process, name }: RequestOptions, notes: Notes): Promise<boolean> {
  const sentMs = performance.now();
  const response = await fetch(`${base}/pets`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "idempotency-key": name.replaceAll(" ", "-"),
    },
    body: JSON.stringify({ name, categoryId: 1 }),
    signal: AbortSignal.timeout(answerMsMax),
  });
  const body = (await response.json()) as { id?: number; code?: string };
  const { status } = response;
  if (status === 201 && body.id !== undefined) {
    const answeredMs = performance.now();
    notes.acknowledged.push({ id: body.id, name, process, sentMs, answeredMs });
    return true;
  }
  if (body.code !== "store_unavailable") notes.strange.push(`${status} ${body.code}`);
  notes.refused.set(status, (notes.refused.get(status) ?? 0) + 1);
  return false;
}

/** Every pet that a process shows, page by page. */
export async function walk(base: string, key: string): Promise<{ id: number; name: string }[]> {
  const found: { id: number; name: string }[] = [];
  let next: string | undefined = `${base}/pets?limit=100`;
  while (next !== undefined) {
    const response: Response = await fetch(next, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(answerMsMax),
    });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    found.push(...((await response.json()) as { id: number; name: string }[]));
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  }
  return found;
}
