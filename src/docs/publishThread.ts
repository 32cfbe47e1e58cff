/** Builds and compresses the site in a worker thread. */
import { readFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { projectFile } from "../core/runtimeFiles.ts";
import { buildDocs } from "./build.ts";
import { contentSecurityPolicy, type PublishedFile, publishedFile } from "./published.ts";

export interface ThreadInput {
  /** The contract as JSON. */
  readonly contract: string;
  readonly baseUrl: string;
  readonly basePath: string;
}

export interface ThreadOutput {
  readonly files: readonly (readonly [path: string, file: PublishedFile])[];
  readonly contentSecurityPolicy: string;
}

const { contract, baseUrl, basePath } = workerData as ThreadInput;
const files: [string, PublishedFile][] = [];
await buildDocs({
  document: JSON.parse(contract),
  docsFolder: projectFile("docs/"),
  changelog: readFileSync(projectFile("CHANGELOG.md"), "utf8"),
  baseUrl,
  basePath,
  emit(path, bytes) {
    files.push([path, publishedFile(path, bytes)]);
  },
});
const output: ThreadOutput = { files, contentSecurityPolicy: contentSecurityPolicy(baseUrl) };
parentPort?.postMessage(output);
