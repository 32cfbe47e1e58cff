/** Reads a whole list page by page, as a client does. */
import { parseJson } from "../src/contract/json.ts";
import { exchange } from "./exchange.ts";
import type { Tally } from "./tally.ts";

export type Row = Record<string, unknown>;

export interface Walker {
  readonly base: string;
  readonly token: string;
  readonly tally: Tally;
}

const pagesMax = 20_000;

/** Undefined if it could not be read to its end, which is a violation. */
export async function walk(walker: Walker, path: string): Promise<Row[] | undefined> {
  const { base, token, tally } = walker;
  const rows: Row[] = [];
  let next: string | undefined = `${base}${path}`;
  let lastId = 0n;
  for (let page = 0; next !== undefined && page < pagesMax; page++) {
    const url: string = next;
    const answer = await exchange({ method: "GET", url, token }, tally);
    tally.judge(answer?.status === 200, () => `The walk got ${answer?.status} from ${url}`);
    if (answer?.status !== 200) return undefined;
    for (const row of parseJson(answer.text) as Row[]) {
      const id = BigInt(row["id"] as number | bigint);
      const before = lastId;
      tally.judge(id > before, () => `${path} gave ${id} after ${before}`);
      lastId = id;
      rows.push(row);
    }
    next = /<([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
  }
  tally.judge(next === undefined, () => `${path} has no end in ${pagesMax} pages`);
  return next === undefined ? rows : undefined;
}
