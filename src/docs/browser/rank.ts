/** Ranks the sections that match a query. Independent of the page. */

export interface SearchEntry {
  readonly title: string;
  /** Empty for the beginning of a page. */
  readonly heading: string;
  readonly kind: string;
  readonly address: string;
  readonly text: string;
}

export const resultsMax = 12;

/** Every word must match; where it matches decides the score. */
export function rank(entries: readonly SearchEntry[], query: string): SearchEntry[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, resultsMax)
    .map(({ entry }) => entry);
}

export function wordsOf(query: string): string[] {
  return query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

function scoreOf(entry: SearchEntry, words: readonly string[]): number {
  let score = 0;
  for (const word of words) {
    const found =
      weigh(entry.title, word, entry.heading === "" ? 60 : 14) +
      weigh(entry.heading, word, 40) +
      Math.min(countOf(entry.text, word), 5) * 2;
    if (found === 0) return 0;
    score += found;
  }
  return score * weightOf(entry);
}

/** Guides explain; the changelog and the error tables of operations only mention. */
function weightOf({ kind, heading }: SearchEntry): number {
  if (kind === "Reference" && heading === "Errors") return 0.4;
  return { Guide: 1.2, Changelog: 0.5 }[kind] ?? 1;
}

/** A match of the whole text counts double, that of the beginning of a word once. */
function weigh(text: string, word: string, weight: number): number {
  if (text.toLowerCase() === word) return weight * 2;
  return countOf(text, word) > 0 ? weight : 0;
}

/** How many words of the text begin with this one. `_` and a capital also begin a word. */
export function countOf(text: string, word: string): number {
  return placesOf(text, word).length;
}

export function placesOf(text: string, word: string): number[] {
  const lower = text.toLowerCase();
  const places: number[] = [];
  for (let at = lower.indexOf(word); at !== -1; at = lower.indexOf(word, at + word.length)) {
    const before = text.charAt(at - 1);
    const begins = at === 0 || !/[\p{L}\p{N}]/u.test(before) || /\p{Lu}/u.test(text.charAt(at));
    if (begins) places.push(at);
  }
  return places;
}
