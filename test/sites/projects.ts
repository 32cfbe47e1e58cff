/** A project on a store, and what the tests of stores do with it. */
import { expect } from "bun:test";
import { hashOf } from "../../src/hosting/sites/deployment.ts";
import { type PublishOptions, publish } from "../../src/hosting/sites/publish.ts";
import type { SiteStore } from "../../src/hosting/sites/sites.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { type FakeClock, fakeClock } from "../../testkit/fakeClock.ts";
import { type Contents, sourcesOf } from "./sources.ts";

export const nowMs = Date.UTC(2026, 10, 15, 12);
export const finish = { fingerprint: "f", unless: "shown", nowMs } as const;

let seed = 0;
/** Each process has its own randomness. */
export const newClock = (): FakeClock => fakeClock(nowMs, ++seed);

/** The store of a handle, with the project `acme` of the owner `ada`. */
export async function withProject(open: () => Promise<Stores>): Promise<SiteStore> {
  const { sites } = await open();
  await sites.addOwner({ id: "ada", name: "Ada", plan: "free" });
  await sites.addProject({ slug: "acme", ownerId: "ada", nowMs });
  return sites;
}

/** Publishes as `acme`, whatever comes of it. */
export function publishAcme(
  store: SiteStore,
  contents: Contents,
  unless: PublishOptions["unless"] = "shown",
) {
  return publish("acme", sourcesOf(contents), { store, clock: newClock(), unless });
}

/** Publishes as `acme` what was not there yet. Gives the deployment. */
export async function deploy(store: SiteStore, contents: Contents): Promise<string> {
  const outcome = await publishAcme(store, contents);
  if (!("id" in outcome)) throw new Error(`Not deployed: ${outcome.kind}`);
  return outcome.id;
}

/** What `acme` has at a path, in the deployment that is shown unless another is named. */
export async function textAt(store: SiteStore, path: string, deploymentId?: string) {
  const id = deploymentId ?? (await store.project("acme"))?.current ?? "";
  const file = await store.file(id, path);
  const content = file && (await store.content(file.hash, "identity"));
  return content && Buffer.from(content).toString();
}

/** A deployment of `acme` that is being built. */
export async function begun(store: SiteStore, id: string, atMs = nowMs): Promise<string> {
  expect(await store.beginDeployment({ id, project: "acme", nowMs: atMs })).toBe(true);
  expect(await store.buildDeployment(id, atMs)).toBe(true);
  return id;
}

/** A whole file in one part. */
export function uploadOf(path: string, text: string) {
  const data = new TextEncoder().encode(text);
  const part = { encoding: "identity", index: 0, last: true, data } as const;
  return { path, hash: hashOf(data), bytes: data.byteLength, part };
}
