/** Looks whether a contestant that claims to answer with our bytes does so. */
import { ask } from "./children.ts";
import type { Reference } from "./contestants/contestant.ts";
import type { Entry } from "./rounds.ts";

const looks = 10;

export async function proveSameBytes(
  { contestant, running }: Entry,
  reference: Reference,
): Promise<void> {
  if (!contestant.sameBytes) return;
  const { port, dialect, sample } = running;
  const compare = async (path: string, expected: string | undefined) => {
    const { status, body } = await ask({ port, path, headers: dialect.headers });
    if (status === 200 && body === expected) return;
    throw new Error(`${contestant.name} answers ${path} with ${status} and other bytes than ours.`);
  };
  for (const id of sample.ids.slice(0, looks)) {
    await compare(dialect.getPet(id), reference.pets.get(id)?.body);
  }
  const lists = [...reference.lists.values()];
  const questions = [
    {},
    ...sample.statuses.map((status) => ({ status })),
    ...sample.depths.map((after) => ({ after })),
  ];
  // The reference holds the lists in this order: plain, by status, deep.
  for (const [at, question] of questions.slice(0, looks).entries()) {
    await compare(dialect.list(question), lists[at]?.body);
  }
}
