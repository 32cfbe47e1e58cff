/** Ways of making one thing wrong with a request or an answer. */
import { type Answered, type Asked, referenceKey } from "./referenceService.ts";

/** Changes the query of a list of pets. */
export const query = (change: (search: URLSearchParams) => void, place = "/pets") => {
  return (asked: Asked) => {
    const [path = "", search] = asked.path.split("?");
    if (path !== place) return;
    const changed = new URLSearchParams(search);
    change(changed);
    asked.path = `${path}?${changed}`;
  };
};

/** Changes the body of an addition, as far as it is text. */
export const body = (change: (text: string) => string, place = "/pets") => {
  return (asked: Asked) => {
    if (asked.method !== "POST" || asked.path !== place) return;
    const text = new TextDecoder().decode(asked.body);
    // What is no UTF-8 stays what it is.
    if (!text.includes("\u{fffd}")) asked.body = new TextEncoder().encode(change(text));
  };
};

export const without = (name: string, when: (value: string) => boolean = () => true) => {
  return ({ headers }: Asked) => {
    if (when(headers.get(name) ?? "")) headers.delete(name);
  };
};

export const replace = (
  search: URLSearchParams,
  name: string,
  change: (value: string) => string,
) => {
  const [value, another] = search.getAll(name);
  if (value !== undefined && another === undefined) search.set(name, change(value));
};

export const path = (change: (id: string) => string) => (asked: Asked) => {
  const [, id] = /^\/pets\/([^/?]+)$/.exec(asked.path) ?? [];
  if (id !== undefined) asked.path = `/pets/${change(id)}`;
};

export const withKey = ({ headers }: Asked) =>
  headers.set("authorization", `Bearer ${referenceKey}`);

type Change = (answered: Answered, asked: Asked) => void;

export const when = (
  fits: (answered: Answered, asked: Asked) => boolean,
  change: Change,
): Change => {
  return (answered, asked) => {
    if (fits(answered, asked)) change(answered, asked);
  };
};
export const isError = ({ status }: Answered) => status >= 400;
export const isPet = (_: Answered, { path }: Asked) => /^\/pets\/[^/]+$/.test(path);
export const isList = ({ status }: Answered, { method, path }: Asked) =>
  status === 200 && method !== "POST" && /^\/pets(?:\?|$)/.test(path);
export const isAddition = ({ status }: Answered, { path }: Asked) =>
  status === 201 && path === "/pets";
export const isContract = (_: Answered, { path }: Asked) => path === "/openapi.json";
export const status = (wanted: number) => (answered: Answered) => answered.status === wanted;

export const drop =
  (...names: string[]): Change =>
  ({ headers }) => {
    for (const name of names) headers.delete(name);
  };
/** Takes part of a list out of a header. */
export const unlist =
  (name: string, part: string): Change =>
  ({ headers }) => {
    const list = headers.get(name);
    if (list !== null) headers.set(name, list.replace(part, ""));
  };
export const set =
  (name: string, value: string): Change =>
  ({ headers }) =>
    headers.set(name, value);
export const text =
  (change: (body: string) => string): Change =>
  (answered) => {
    answered.body = change(answered.body);
  };
// biome-ignore lint/suspicious/noExplicitAny: a fault may make anything of a body
export const json = (change: (body: any) => unknown): Change =>
  text((body) => (body === "" ? body : JSON.stringify(change(JSON.parse(body)))));
