/** Search, opened by `/`: a combobox over a small index that is fetched when first needed. */
import { find, make } from "./elements.ts";
import { placesOf, rank, type SearchEntry, wordsOf } from "./rank.ts";

const excerptLength = 130;

export function startSearch(): void {
  const dialog = find<HTMLDialogElement>("[data-search]");
  const input = find<HTMLInputElement>("[data-search-input]");
  const results = find<HTMLElement>("[data-search-results]");
  const said = find<HTMLElement>("[data-search-said]");
  let index: Promise<readonly SearchEntry[]> | undefined;
  let options: HTMLAnchorElement[] = [];
  let active = -1;

  const open = () => {
    if (dialog.open) return;
    index ??= fetchIndex(dialog.dataset.index ?? "");
    dialog.showModal();
    input.select();
    update();
  };
  const choose = (wanted: number) => {
    options[active]?.setAttribute("aria-selected", "false");
    active = options.length === 0 ? -1 : (wanted + options.length) % options.length;
    const option = options[active];
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    if (option === undefined) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", option.id);
  };
  const update = async () => {
    const query = input.value;
    let found: SearchEntry[] = [];
    try {
      found = rank((await index) ?? [], query);
    } catch {
      index = undefined;
      said.textContent = "The search index could not be loaded. Close the search and try again.";
      return;
    }
    // The input has changed meanwhile.
    if (query !== input.value) return;
    options = found.map((entry, number) => option(entry, query, number));
    results.replaceChildren(...options);
    input.setAttribute("aria-expanded", String(options.length > 0));
    said.textContent = countInWords(query, options.length);
    choose(0);
  };

  input.addEventListener("input", update);
  input.addEventListener("keydown", (event) => {
    const steps: Readonly<Record<string, () => void>> = {
      ArrowDown: () => choose(active + 1),
      ArrowUp: () => choose(active - 1),
      Enter: () => options[active]?.click(),
      // By default, Esc only clears a search field.
      Escape: () => dialog.close(),
    };
    const step = steps[event.key];
    if (step === undefined || event.isComposing) return;
    event.preventDefault();
    step();
  });
  results.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  find("[data-search-close]").addEventListener("click", () => dialog.close());
  find("[data-search-open]").addEventListener("click", open);
  document.addEventListener("keydown", (event) => {
    const plain = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey;
    const usual = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
    if (!(plain && !isTyping(event.target)) && !usual) return;
    if (document.querySelector("dialog[open]") !== null) return;
    event.preventDefault();
    open();
  });
}

async function fetchIndex(address: string): Promise<readonly SearchEntry[]> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`The search index answered ${response.status}.`);
  return (await response.json()) as readonly SearchEntry[];
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea, select") !== null;
}

function countInWords(query: string, count: number): string {
  if (wordsOf(query).length === 0) return "Type to search.";
  if (count === 0) return `Nothing found for “${query}”. Try fewer or shorter words.`;
  return count === 1 ? "1 result" : `${count} results`;
}

function option(entry: SearchEntry, query: string, number: number): HTMLAnchorElement {
  const words = wordsOf(query);
  return make(
    "a",
    {
      href: entry.address,
      role: "option",
      id: `search-result-${number}`,
      "aria-selected": "false",
      tabindex: "-1",
    },
    make(
      "span",
      { class: "result-title" },
      ...marked(entry.title, words),
      ...(entry.heading === "" ? [] : [" › ", ...marked(entry.heading, words)]),
      make("span", { class: "result-kind" }, entry.kind),
    ),
    make("span", { class: "result-text" }, ...marked(excerpt(entry.text, words), words)),
  );
}

function excerpt(text: string, words: readonly string[]): string {
  const first = Math.min(...words.flatMap((word) => placesOf(text, word)), text.length);
  const from = first === text.length || first < 60 ? 0 : text.lastIndexOf(" ", first - 40) + 1;
  const rest = text.slice(from);
  const ends = rest.length <= excerptLength;
  const piece = ends ? rest : rest.slice(0, rest.lastIndexOf(" ", excerptLength));
  return `${from > 0 ? "… " : ""}${piece}${ends ? "" : " …"}`;
}

/** The text with the words of the query marked. */
function marked(text: string, words: readonly string[]): (Node | string)[] {
  const spans = words
    .flatMap((word) => placesOf(text, word).map((at) => [at, at + word.length] as const))
    .sort(([a], [b]) => a - b);
  const parts: (Node | string)[] = [];
  let done = 0;
  for (const [from, to] of spans) {
    if (from < done) continue;
    parts.push(text.slice(done, from), make("mark", {}, text.slice(from, to)));
    done = to;
  }
  parts.push(text.slice(done));
  return parts;
}
