/** Prism, as a proxy that holds every answer which `petstore check` gets to the contract. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../../testkit/freePorts.ts";
import { petstore } from "../../../testkit/serviceProcess.ts";
import { npmTools } from "../cachedTools.ts";
import { endWithRun, scratch } from "../run.ts";
import { type Live, onService } from "../service.ts";
import { type Failure, type Outcome, progress, type Suite } from "../suite.ts";

export const prism: Suite = {
  name: "Prism, in front of petstore check",
  slug: "prism",
  quick: true,
  run: () => onService(checkThroughPrism),
};

/** The check makes more requests than this, or it did not run. */
const answersMin = 400;

export interface Violation {
  readonly location: readonly string[];
  readonly message: string;
}

/**
 * The violations of an answer. Those of requests are the check's own: it asks for unknown paths and
 * sends keys that are not valid, on purpose.
 */
export function failuresOf(request: string, mediaType: string, said: readonly Violation[]) {
  return said
    .filter(({ location }) => location[0] === "response")
    .map(({ location, message }): Failure => {
      const beyondDoubles = /must be [<>]= -?9007199254740991$/.test(message);
      const id = beyondDoubles
        ? "an integer beyond 2^53"
        : `${mediaType}: ${message.replaceAll(/\b\d+\./g, "N.")}`;
      return { id, says: `${request}: ${location.join(".")} ${message}` };
    });
}

/** Of the service, or of Prism, which says nothing of an answer that it could not read. */
export function serverError(method: string, status: number): Failure[] {
  return status < 500 ? [] : [{ id: `${method} ${status}`, says: "No answer to a request." }];
}

async function checkThroughPrism({ base, key }: Live): Promise<Outcome> {
  const origin = new URL(base).origin;
  const { version, proxy, child } = await startPrism(base, origin);
  let answers = 0;
  let passed = 0;
  const failures: Failure[] = [];
  // In front of Prism, to read what it says of each answer.
  const reader = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(asked) {
      const { pathname, search } = new URL(asked.url);
      const { method, headers, signal } = asked;
      const body = /^(GET|HEAD)$/.test(method) ? null : await asked.arrayBuffer();
      const options = { method, headers, signal, body, redirect: "manual" } as const;
      const answer = await fetch(proxy + pathname + search, options);
      const mediaType = answer.headers.get("content-type") ?? "no content";
      const said = JSON.parse(answer.headers.get("sl-violations") ?? "[]");
      const request = `${method} ${pathname} ${answer.status}`;
      const found = [
        ...failuresOf(request, mediaType, said),
        ...serverError(method, answer.status),
      ];
      answers++;
      if (found.length === 0) passed++;
      failures.push(...found);
      return answer;
    },
  });
  const environment = { PETSTORE_CHECK_KEY: key };
  const checked = await petstore(["check", `${reader.url.origin}/v1`], environment);
  await reader.stop(true);
  child.kill();
  // Prism writes numbers as doubles and streams nothing, so some of the check's own tests fail here.
  progress(`petstore check: ${checked.stdout.trim().split("\n").at(-1)}, behind Prism`);
  if (checked.code > 1 || answers < answersMin) {
    const says = `It ended with ${checked.code} after ${answers} answers: ${checked.stderr}`;
    failures.push({ id: "petstore check", says });
  }
  return { version, passed, failures };
}

async function startPrism(base: string, origin: string) {
  const commands = await npmTools("prism");
  // Prism does not take the path of a server into account, which is part of what the check calls.
  const response = await fetch(`${base}/openapi.json`);
  const contract = (await response.json()) as { readonly paths: object };
  const paths = Object.entries(contract.paths).map(([path, item]) => [`/v1${path}`, item]);
  const document = join(scratch, "prism.json");
  const servers = [{ url: "/" }];
  writeFileSync(
    document,
    JSON.stringify({ ...contract, servers, paths: Object.fromEntries(paths) }),
  );
  const port = await freePort();
  const child = spawn(
    join(commands, "prism"),
    ["proxy", document, origin, "-p", String(port), "--cors=false", "--validate-request=false"],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  endWithRun(child);
  let said = "";
  for (const output of [child.stdout, child.stderr]) {
    output.on("data", (chunk) => {
      said = (said + chunk).slice(-10_000);
    });
  }
  const closed = once(child, "close");
  while (!said.includes("Prism is listening")) {
    if (child.exitCode !== null) throw new Error(`Prism ended with ${child.exitCode}: ${said}`);
    await Promise.race([once(child.stdout, "data"), closed]);
  }
  const { version } = await Bun.file(join(commands, "../@stoplight/prism-cli/package.json")).json();
  return { version: version as string, proxy: `http://127.0.0.1:${port}`, child };
}
