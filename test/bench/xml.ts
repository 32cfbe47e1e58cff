/** Reads XML without comments, CDATA or a prologue, as our pictures are. Throws where it is not well formed. */

export interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: Element[];
  text: string;
}

const tag = /^<(\/?)([\w:-]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/;

export function parseXml(source: string): Element {
  const root: Element = { name: "", attributes: new Map(), children: [], text: "" };
  const open = [root];
  let rest = source.trim();
  while (rest !== "") {
    const parent = open.at(-1) ?? root;
    if (!rest.startsWith("<")) {
      const [text = ""] = /^[^<]+/.exec(rest) ?? [];
      parent.text += unescaped(text);
      rest = rest.slice(text.length);
      continue;
    }
    const [whole, closing, name = "", attributes = "", empty] = tag.exec(rest) ?? [];
    if (whole === undefined) throw new Error(`No tag: ${rest.slice(0, 60)}`);
    rest = rest.slice(whole.length);
    if (closing) {
      if (parent.name !== name) throw new Error(`</${name}> closes <${parent.name}>.`);
      open.pop();
      continue;
    }
    const element = { name, attributes: attributesIn(attributes), children: [], text: "" };
    parent.children.push(element);
    if (!empty) open.push(element);
  }
  const [only] = root.children;
  if (open.length !== 1 || root.children.length !== 1 || only === undefined || root.text !== "") {
    throw new Error("There is not one element around everything.");
  }
  return only;
}

/** An element and all below it. */
export function everyElement(element: Element): Element[] {
  return [element, ...element.children.flatMap(everyElement)];
}

function attributesIn(text: string): Map<string, string> {
  const pairs = [...text.matchAll(/([\w:-]+)="([^"]*)"/g)].map(
    ([, name = "", value = ""]) => [name, unescaped(value)] as const,
  );
  const attributes = new Map(pairs);
  if (attributes.size !== pairs.length) throw new Error(`An attribute comes twice: ${text}`);
  return attributes;
}

function unescaped(text: string): string {
  return text.replaceAll(/&(\w*;)?/g, (entity) => {
    const meant = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"' }[entity];
    if (meant === undefined) throw new Error(`Not an entity: ${entity}`);
    return meant;
  });
}
