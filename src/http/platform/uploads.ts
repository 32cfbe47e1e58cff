/**
 * Deployments that a browser or a command is bringing, file by file. What was announced and what has
 * come is in the store, so any process can answer any of the requests of one upload.
 */
import type { Clock } from "../../core/clock.ts";
import { Problem } from "../../core/problems.ts";
import { getOrInsert, RecentMap } from "../../core/recentMap.ts";
import { Semaphore, SemaphoreFull } from "../../core/semaphore.ts";
import { fingerprintOf, hashOf, newDeploymentId } from "../../hosting/sites/deployment.ts";
import { FileUploader, PublishError } from "../../hosting/sites/fileUploader.ts";
import { finishDeployment } from "../../hosting/sites/publish.ts";
import type { SiteFile } from "../../hosting/sites/siteFile.ts";
import type {
  AnnouncedUpload,
  FinishOutcome,
  SiteStore,
  Upload,
  UploadStore,
} from "../../hosting/sites/sites.ts";

interface Open extends AnnouncedUpload {
  /** Hashes of contents that have come by way of this process. */
  readonly brought: Set<string>;
}

/** Each is the list of its files, at most 10,000. None of the owners keeps the others from deploying. */
const limits = { all: 32, perOwner: 8 };
/** Announcements that are not read from the store again for each content. */
const rememberedMax = 8;
const filesAtOnce = 500;

export class Uploads {
  readonly #store: SiteStore;
  readonly #uploads: UploadStore;
  readonly #clock: Clock;
  /** What was announced never changes. */
  readonly #remembered = new RecentMap<Open>({ entries: rememberedMax, weight: rememberedMax });

  constructor(store: SiteStore, uploads: UploadStore, clock: Clock) {
    this.#store = store;
    this.#uploads = uploads;
    this.#clock = clock;
  }

  /** Resolves with the contents that are still to be brought. */
  async begin(
    slug: string,
    files: readonly SiteFile[],
  ): Promise<{ readonly id: string; readonly missing: readonly string[] }> {
    const id = newDeploymentId(this.#clock);
    const nowMs = this.#clock.now();
    const outcome = await this.#uploads.beginUpload({ id, project: slug, files, limits, nowMs });
    if (outcome === "no_such_project") throw new Problem("project_not_found");
    if (outcome === "too_many") {
      throw new Problem("uploads_exhausted", {
        detail: "Too many deployments are being uploaded at the same time. Try again shortly.",
      });
    }
    const missing = new Set(files.map(({ hash }) => hash));
    for (const hash of await this.#ownContents(slug, files)) missing.delete(hash);
    await this.#addKnown(id, files, missing);
    // After what an interrupted upload had brought was taken over. If this fails, the next one continues it.
    while (await this.#store.pruneDeployments(slug).catch(() => false));
    return { id, missing: [...missing] };
  }

  /**
   * The contents that the project itself has, also from an upload that was interrupted. What others
   * have stored must be uploaded again: a hash alone must not reveal that a content exists, nor let
   * anybody publish it.
   */
  async #ownContents(slug: string, files: readonly SiteFile[]): Promise<string[]> {
    const own: string[] = [];
    // A few at a time: visitors of all sites wait for the same look-ups.
    for (let start = 0; start < files.length; start += filesAtOnce) {
      const some = files.slice(start, start + filesAtOnce);
      const hashes = some.map(({ hash }) => hash);
      const known = await this.#uploads.contentsOf(slug, hashes);
      own.push(...some.flatMap(({ hash, bytes }) => (known.get(hash) === bytes ? [hash] : [])));
    }
    return own;
  }

  /** From then on their contents are not deleted. Those deleted before are missing. */
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
  async expectedBytes(slug: string, id: string, hash: string): Promise<number> {
    const file = (await this.#find(slug, id)).files.find((each) => each.hash === hash);
    if (file === undefined) {
      throw new Problem("content_mismatch", {
        detail: "No file of this deployment has this hash.",
      });
    }
    return file.bytes;
  }

  async take(slug: string, id: string, hash: string, content: Uint8Array): Promise<void> {
    const open = await this.#find(slug, id);
    const files = open.files.filter((each) => each.hash === hash);
    const [first] = files;
    if (first === undefined || content.byteLength !== first.bytes || hashOf(content) !== hash) {
      throw new Problem("content_mismatch");
    }
    if (open.brought.has(hash)) return;
    const shipment = new FileUploader(id, this.#store, this.#clock);
    try {
      for (const file of files) {
        const { path, bytes } = file;
        await shipment.take(file, content, { path, bytes, read: async () => content });
      }
      await shipment.send();
    } catch (cause) {
      throw cause instanceof PublishError ? ended() : cause;
    }
    open.brought.add(hash);
  }

  async finish(
    slug: string,
    id: string,
    publish: boolean,
  ): Promise<Exclude<FinishOutcome, { kind: "refused" }>> {
    const { files } = await this.#find(slug, id);
    const arrived = await this.#uploads.arrivedPaths(id);
    const missing = new Set(files.filter(({ path }) => !arrived.has(path)).map(({ hash }) => hash));
    if (missing.size > 0) {
      throw new Problem("contents_missing", {
        detail: `${missing.size} of its contents have not been uploaded yet. Upload them, then finish it.`,
      });
    }
    this.#remembered.delete(id);
    const finish = {
      fingerprint: fingerprintOf(files),
      unless: "shown",
      publish,
      nowMs: this.#clock.now(),
    } as const;
    const outcome = await finishDeployment(id, finish, this.#store).catch(async (cause) => {
      if (!(cause instanceof PublishError)) throw cause;
      await this.#store.failDeployment(id, cause.message, this.#clock.now());
      throw new Problem("site_invalid", { detail: cause.message });
    });
    if (outcome.kind === "refused") throw ended();
    return outcome;
  }

  async cancel(slug: string, id: string): Promise<void> {
    await this.#find(slug, id);
    this.#remembered.delete(id);
    await this.#store.failDeployment(id, "It was cancelled.", this.#clock.now());
  }

  /** One that is remembered may have ended: the store then refuses what is brought. */
  async #find(slug: string, id: string): Promise<Open> {
    const known = this.#remembered.get(id);
    const open = known ?? (await this.#read(id));
    if (open?.project !== slug) throw ended();
    if (known === undefined) this.#remembered.set(id, open, 1);
    return open;
  }

  async #read(id: string): Promise<Open | undefined> {
    const announced = await this.#uploads.upload(id);
    return announced && { ...announced, brought: new Set() };
  }
}

const ended = () => new Problem("deployment_ended");

const atOnceMax = 8;
/** So that an owner who sends slowly delays only themselves. */
const atOncePerOwnerMax = 2;
const waitingMax = 64;

/** Limits the large bodies that are received at once: each is in memory as a whole until it is stored. */
export class UploadLimiter {
  readonly #all = new Semaphore(atOnceMax, waitingMax);
  /** As many as there are owners, whom only the operator makes. */
  readonly #byOwner = new Map<string, Semaphore>();

  run<T>(ownerId: string, upload: () => Promise<T>): Promise<T> {
    const own = () => new Semaphore(atOncePerOwnerMax, waitingMax);
    return getOrInsert(this.#byOwner, ownerId, own)
      .run(() => this.#all.run(upload))
      .catch((cause: unknown) => {
        if (!(cause instanceof SemaphoreFull)) throw cause;
        throw new Problem("uploads_exhausted");
      });
  }
}
