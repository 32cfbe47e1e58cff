/** Finding and making elements. Text is always set as text. */

export function find<T extends Element>(selector: string, within: ParentNode = document): T {
  const found = within.querySelector<T>(selector);
  if (found === null) throw new Error(`The page lacks ${selector}.`);
  return found;
}

export function findAll<T extends Element>(selector: string, within: ParentNode = document): T[] {
  return [...within.querySelectorAll<T>(selector)];
}

type Child = Node | string | undefined;

export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

/** Says something to those who listen rather than look. */
export function say(words: string): void {
  find("[data-live]").textContent = words;
}
