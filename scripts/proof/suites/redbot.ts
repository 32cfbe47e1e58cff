/** REDbot: how caches and clients understand the answers to GET, of the API, its pages and a site. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pythonTools } from "../cachedTools.ts";
import { operationsOf, readContract } from "../contract.ts";
import { type LiveEdge, onEdge, ownName, siteName } from "../edge.ts";
import { run, scratch } from "../run.ts";
import { type Failure, type Outcome, progress, type Suite } from "../suite.ts";

export const redbot: Suite = {
  name: "REDbot on every GET",
  slug: "redbot",
  quick: true,
  run: () => onEdge(runRedbot),
};

const program = fileURLToPath(new URL("../tools/redbotNotes.py", import.meta.url));

interface Wanted {
  readonly name: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly status: number;
}

export interface Answer {
  readonly name: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly notes: readonly {
    readonly level: "good" | "info" | "warning" | "bad";
    readonly note: string;
    readonly subject: string;
    readonly summary: string;
  }[];
}

async function runRedbot(live: LiveEdge): Promise<Outcome> {
  const commands = await pythonTools("redbot");
  const wanted = [...apiRequests(live), ...(await pageRequests(live))];
  const asked = join(scratch, "redbot.json");
  writeFileSync(asked, JSON.stringify(wanted));
  const trust = { SSL_CERT_FILE: live.caFile };
  const { code, text } = await run(join(commands, "python"), [program, asked], scratch, trust);
  if (code !== 0) throw new Error(`REDbot ended with ${code}:\n${text}`);
  const { version, answers } = JSON.parse(text.slice(text.indexOf('{"version"')));
  return { version, ...judgeAnswers(wanted, answers) };
}

/** Every GET of the contract, with ids of what the service has, and one that it does not have. */
function apiRequests({ base, key }: LiveEdge): Wanted[] {
  const headers = [["Authorization", `Bearer ${key}`]] as const;
  const own = operationsOf(readContract())
    .filter(({ method }) => method === "GET")
    .map(({ path, operation: { operationId } }) => {
      const url = base + path.replaceAll(/\{\w+\}/g, "1");
      return { name: operationId, url, headers, status: 200 };
    });
  return [
    ...own,
    { name: "a page of a list", url: `${base}/pets?limit=2`, headers, status: 200 },
    { name: "a pet that is not there", url: `${base}/pets/999`, headers, status: 404 },
    { name: "without a key", url: `${base}/pets`, headers: [], status: 401 },
  ];
}

/** The pages beside the API with a script and a style sheet of them, and a site. */
async function pageRequests({ base, httpPort, httpsPort }: LiveEdge): Promise<Wanted[]> {
  const origin = new URL(base).origin;
  const pages = ["/", "/docs/", "/dashboard/"];
  const html = await Promise.all(pages.map(async (page) => (await fetch(origin + page)).text()));
  const assets = html.flatMap((text, at) =>
    [...text.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(
      ([, asset = ""]) => new URL(asset, origin + pages[at]).pathname,
    ),
  );
  const own = `https://${ownName}:${httpsPort}`;
  const site = `https://${siteName}:${httpsPort}`;
  const get = (name: string, url: string, status = 200) => ({ name, url, headers: [], status });
  return [
    ...pages.map((path) => get(path, origin + path)),
    // Each by its name without the hash of its content, which is another in each version.
    ...[...new Set(assets)].map((path) =>
      get(`asset ${path.replace(/-[0-9a-f]{12}\./, ".")}`, origin + path),
    ),
    ...["/", "/docs/"].map((path) => get(`own name ${path}`, own + path)),
    ...["/", "/guide.css", "/guide.js", "/dots.svg"].map((path) =>
      get(`site ${path}`, site + path),
    ),
    get("site /nothing", `${site}/nothing`, 404),
    get("site over HTTP", `http://${siteName}:${httpPort}/`, 301),
  ];
}

/** What REDbot calls bad has failed, and so has what it warns of: that is to be reviewed. */
export function judgeAnswers(
  wanted: readonly Pick<Wanted, "name" | "status">[],
  answers: readonly Answer[],
): Omit<Outcome, "version"> {
  const failures: Failure[] = [];
  let passed = 0;
  for (const { name, status } of wanted) {
    const answer = answers.find((one) => one.name === name);
    if (answer?.status !== status) {
      const says = `It answered ${answer?.status} and not ${status} ${answer?.error ?? ""}`;
      failures.push({ id: name, says: says.trim() });
    }
    const notes = answer?.notes ?? [];
    const objections = notes.filter(({ level }) => level === "bad" || level === "warning");
    progress(`${name}: ${notes.length} notes, ${objections.length} objections`);
    passed += notes.length - objections.length;
    for (const { level, note, subject, summary } of objections) {
      failures.push({ id: `${name} ${note} ${subject}`, says: `${level}: ${summary}` });
    }
  }
  return { passed, failures };
}
