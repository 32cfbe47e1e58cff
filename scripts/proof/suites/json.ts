/**
 * The JSON parsing suite: each file is sent to createPet twice. As the value of a member that no
 * schema knows, where any JSON is welcome, it shows whether the parser takes it: 201, or 400
 * `body_unreadable`. As the whole body, a valid file may be refused for its shape, 400
 * `body_invalid`, but not as unreadable.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { goModule } from "../cachedTools.ts";
import { type Live, onService } from "../service.ts";
import type { Failure, Outcome, Suite } from "../suite.ts";

const pinned = {
  path: "github.com/nst/JSONTestSuite",
  version: "v0.0.0-20241122125541-1ef36fa01286",
  sum: "h1:t/cjDwz9uc/5ZSagWtr7nWpoEA5Imvw/ArlJuI+d+Cw=",
};

/** As many as there are: a suite that shrank would prove less. */
const filesExpected = 318;
const bodyBytesMax = 65_536;

export const json: Suite = {
  name: "JSON parsing suite, files as bodies",
  slug: "json",
  quick: true,
  run: () => onService(sendFiles),
};

const places = ["a member", "the body"] as const;
type Place = (typeof places)[number];

export interface Sent {
  /** Its first letter says whether it is to be accepted, refused, or either. */
  readonly file: string;
  readonly place: Place;
  readonly bytes: number;
  readonly status: number;
  /** Of our error. */
  readonly code: string | undefined;
}

/** What is wrong with the answer, if anything is. */
export function complaint({ file, place, bytes, status, code }: Sent): string | undefined {
  const answer = `${status} ${code ?? ""}`.trim();
  const created = answer === "201";
  const unreadable =
    answer === (bytes > bodyBytesMax ? "413 body_too_large" : "400 body_unreadable");
  const misshapen = place === "the body" && answer === "400 body_invalid";
  const accepted = created || misshapen;
  if (file.startsWith("y_") && !accepted) return `It is valid JSON, and was refused: ${answer}.`;
  if (file.startsWith("n_") && !unreadable)
    return `It is not JSON, and was not refused as that: ${answer}.`;
  if (!accepted && !unreadable) return `No answer for a body: ${answer}.`;
  return undefined;
}

async function sendFiles(live: Live): Promise<Outcome> {
  const folder = join(await goModule(pinned), "test_parsing");
  const files = readdirSync(folder).filter((file) => /^[yni]_/.test(file));
  const failures: Failure[] = [];
  if (files.length !== filesExpected) {
    failures.push({ id: "files", says: `There are ${files.length}, not ${filesExpected}.` });
  }
  let passed = 0;
  for (const file of files.toSorted()) {
    const content = readFileSync(join(folder, file));
    for (const place of places) {
      const says = complaint(await send(live, file, place, content));
      if (says === undefined) passed++;
      else failures.push({ id: `${file} as ${place}`, says });
    }
  }
  return { version: pinned.version.slice(0, "v0.0.0-20241122".length), passed, failures };
}

async function send(live: Live, file: string, place: Place, content: Buffer): Promise<Sent> {
  const body =
    place === "the body"
      ? content
      : Buffer.concat([
          Buffer.from('{"name":"Bella","categoryId":3,"note":'),
          content,
          Buffer.from("}"),
        ]);
  const headers = {
    authorization: `Bearer ${live.key}`,
    "content-type": "application/json",
    "content-length": String(body.length),
  };
  const response = await fetch(`${live.base}/pets`, { method: "POST", headers, body });
  const answer = (await response.json()) as { code?: string };
  return { file, place, bytes: body.length, status: response.status, code: answer.code };
}
