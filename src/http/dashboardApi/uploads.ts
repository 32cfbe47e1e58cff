/**
 * Deployments that a browser is bringing, file by file. What is still to come is kept in memory, so
 * all requests of one upload must reach the same process; one that is cut off is begun again.
 */
import type { Clock } from "../../clock.ts";
import { fingerprintOf, hashOf, mintDeploymentId, silenceMsMax } from "../../sites/deployment.ts";
import { PublishRefusal } from "../../sites/refusal.ts";
import { Shipment } from "../../sites/shipment.ts";
import type { Project } from "../../sites/site.ts";
import type { SiteFile } from "../../sites/siteFile.ts";
import type { FinishOutcome, SiteStore, Upload } from "../../sites/sites.ts";
import { DashboardRefusal, noSuchProject } from "./refusal.ts";

interface Open {
  readonly slug: string;
  readonly ownerId: string;
  readonly files: readonly SiteFile[];
  /** Hashes of contents that have not come yet. */
  readonly missing: Set<string>;
  heardAtMs: number;
}

/** Each holds the list of its files, at most 10,000. */
const openMax = 32;
/** So that no owner keeps the others from deploying. */
const openPerOwnerMax = 8;
const filesAtOnce = 500;

export class Uploads {
  readonly #store: SiteStore;
  readonly #clock: Clock;
  readonly #open = new Map<string, Open>();

  constructor(store: SiteStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Resolves with the contents that are still to be brought. */
  async begin(
    { slug, ownerId }: Pick<Project, "slug" | "ownerId">,
    files: readonly SiteFile[],
  ): Promise<{ readonly id: string; readonly missing: readonly string[] }> {
    this.#refuseTooMany(ownerId);
    const id = mintDeploymentId(this.#clock);
    const missing = new Set(files.map(({ hash }) => hash));
    // Before anything is waited for, so that those who come meanwhile are counted with it.
    this.#open.set(id, { slug, ownerId, files, missing, heardAtMs: this.#clock.now() });
    try {
      await this.#prepare(id, slug, files, missing);
    } catch (cause) {
      this.#open.delete(id);
      throw cause;
    }
    return { id, missing: [...missing] };
  }

  async #prepare(
    id: string,
    slug: string,
    files: readonly SiteFile[],
    missing: Set<string>,
  ): Promise<void> {
    const nowMs = this.#clock.now();
    if (!(await this.#store.beginDeployment({ id, project: slug, nowMs }))) {
      throw noSuchProject(slug);
    }
    await this.#store.buildDeployment(id, nowMs);
    for (const hash of await this.#shownNow(slug, files)) missing.delete(hash);
    await this.#addKnown(id, files, missing);
  }

  /**
   * The contents that the project itself shows now. What others have stored must be brought all the
   * same: a hash alone must tell nobody that there is such a content, nor let them publish it.
   */
  async #shownNow(slug: string, files: readonly SiteFile[]): Promise<string[]> {
    const current = (await this.#store.project(slug))?.current;
    if (current === undefined) return [];
    const hashes: string[] = [];
    // A few at a time: visitors of all sites wait for the same look-ups.
    for (let start = 0; start < files.length; start += filesAtOnce) {
      const some = files.slice(start, start + filesAtOnce);
      const shown = await Promise.all(some.map(({ path }) => this.#store.file(current, path)));
      const same = some.filter(
        ({ hash, bytes }, index) => shown[index]?.hash === hash && shown[index].bytes === bytes,
      );
      hashes.push(...same.map(({ hash }) => hash));
    }
    return hashes;
  }

  /** From then on nobody takes their contents away. What was taken away before is missing. */
  async #addKnown(id: string, files: readonly SiteFile[], missing: Set<string>): Promise<void> {
    let waiting = files.filter(({ hash }) => !missing.has(hash));
    while (waiting.length > 0) {
      const some: Upload[] = waiting
        .slice(0, filesAtOnce)
        .map((file) => ({ ...file, part: undefined }));
      const outcome = await this.#store.addFiles(id, some, this.#clock.now());
      if (outcome.kind === "not_building") throw ended();
      if (outcome.kind === "added") waiting = waiting.slice(some.length);
      else {
        for (const hash of outcome.hashes) missing.add(hash);
        waiting = waiting.filter(({ hash }) => !missing.has(hash));
      }
    }
  }

  /** How many bytes the content has that goes by this hash. */
  expectedBytes(slug: string, id: string, hash: string): number {
    const file = this.#find(slug, id).files.find((each) => each.hash === hash);
    if (file === undefined) {
      throw new DashboardRefusal("content_mismatch", "No file of this deployment has this hash.");
    }
    return file.bytes;
  }

  async take(slug: string, id: string, hash: string, content: Uint8Array): Promise<void> {
    const open = this.#find(slug, id);
    const files = open.files.filter((each) => each.hash === hash);
    const [first] = files;
    if (first === undefined || content.byteLength !== first.bytes || hashOf(content) !== hash) {
      throw new DashboardRefusal(
        "content_mismatch",
        "What came is not what was announced: the file was changed while it was being deployed.",
      );
    }
    open.heardAtMs = this.#clock.now();
    if (!open.missing.has(hash)) return;
    const shipment = new Shipment(id, this.#store, this.#clock);
    try {
      for (const file of files) {
        const { path, bytes } = file;
        await shipment.take(file, content, { path, bytes, read: async () => content });
      }
      await shipment.send();
    } catch (cause) {
      throw cause instanceof PublishRefusal ? ended() : cause;
    }
    open.missing.delete(hash);
    open.heardAtMs = this.#clock.now();
  }

  async finish(slug: string, id: string): Promise<Exclude<FinishOutcome, { kind: "refused" }>> {
    const open = this.#find(slug, id);
    if (open.missing.size > 0) {
      throw new DashboardRefusal(
        "contents_missing",
        `${open.missing.size} of its contents have not come yet. Bring them, then finish it.`,
      );
    }
    const outcome = await this.#store.finishDeployment(id, {
      fingerprint: fingerprintOf(open.files),
      unless: "shown",
      nowMs: this.#clock.now(),
    });
    this.#open.delete(id);
    if (outcome.kind === "refused") throw ended();
    // Only tidiness: a later deployment takes it up again.
    while (await this.#store.discardFailed(slug).catch(() => false));
    return outcome;
  }

  async cancel(slug: string, id: string): Promise<void> {
    this.#find(slug, id);
    this.#open.delete(id);
    await this.#store.failDeployment(id, "It was cancelled.", this.#clock.now());
  }

  #refuseTooMany(ownerId: string): void {
    this.#forgetSilent();
    const own = [...this.#open.values()].filter((open) => open.ownerId === ownerId).length;
    if (own < openPerOwnerMax && this.#open.size < openMax) return;
    throw new DashboardRefusal(
      "uploads_exhausted",
      "Too many deployments are being brought at the same time. Try again shortly.",
    );
  }

  #find(slug: string, id: string): Open {
    const open = this.#open.get(id);
    if (open === undefined || open.slug !== slug) throw ended();
    return open;
  }

  /** The store fails them by itself. */
  #forgetSilent(): void {
    const earliestMs = this.#clock.now() - silenceMsMax;
    for (const [id, { heardAtMs }] of this.#open) if (heardAtMs < earliestMs) this.#open.delete(id);
  }
}

const ended = () =>
  new DashboardRefusal(
    "deployment_ended",
    "This deployment is not being brought any more: it has ended, or the service was started again. Deploy the folder once more.",
  );
