/** Takes down our own answers to the sample. */
import { ask } from "./children.ts";
import type { Reference, Running } from "./contestants/contestant.ts";
import { callsOf } from "./works.ts";

const askedAtOnce = 32;

export async function takeReference(running: Running): Promise<Reference> {
  const { port, dialect, sample } = running;
  const { headers } = dialect;
  const answer = async (path: string) => {
    const given = await ask({ port, path, headers });
    if (given.status !== 200) throw new Error(`${path} was answered ${given.status}.`);
    return given;
  };
  const pets = await inParallel(sample.ids, async (id) => {
    return [id, await answer(dialect.getPet(id))] as const;
  });
  const works = ["listPlain", "listByStatus", "listDeep"] as const;
  const paths = works.flatMap((work) => callsOf(work, dialect, sample).map(({ path }) => path));
  const lists = await inParallel(paths, async (path) => {
    return [path.split("?")[1] ?? "", await answer(path)] as const;
  });
  return { pets: new Map(pets), lists: new Map(lists) };
}

async function inParallel<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += askedAtOnce) {
    results.push(...(await Promise.all(items.slice(start, start + askedAtOnce).map(act))));
  }
  return results;
}
