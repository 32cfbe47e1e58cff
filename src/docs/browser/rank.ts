/** Which sections a question is about, best first. Knows nothing of the page. */

export interface SearchEntry {
  readonly title: string;
  /** Empty for the beginning of a page. */
  readonly heading: string;
  readonly kind: string;
  readonly address: string;
  readonly text: string;
}

export const resultsMax = 12;

/** Every word must be found somewhere; where it is found decides the order. */
export function rank(entries: readonly SearchEntry[], question: string): SearchEntry[] {
  const words = wordsOf(question);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, resultsMax)
    .map(({ entry }) => entry);
}

export function wordsOf(question: string): string[] {
  return question.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
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

/** A guide explains; a changelog, and the table of errors that each operation has, only mention. */
function weightOf({ kind, heading }: SearchEntry): number {
  if (kind === "Reference" && heading === "Errors") return 0.4;
  return { Guide: 1.2, Changelog: 0.5 }[kind] ?? 1;
}

/** The whole of a name counts double, the beginning of one of its words once. */
function weigh(text: string, word: string, weight: number): number {
  if (text.toLowerCase() === word) return weight * 2;
  return countOf(text, word) > 0 ? weight : 0;
}

/** How often a word of the text begins with this one. `_` and a capital begin a word, too. */
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
