/** What an owner's commands work on: the store itself, or, with --to, a service over its API. */
import type { MaybePromise } from "../core/maybePromise.ts";
import { Problem } from "../core/problems.ts";
import { type Status, statusOf } from "../hosting/domains/domain.ts";
import type { DomainService } from "../hosting/domains/domainService.ts";
import { type ShownDeployment, shownAt } from "../hosting/sites/deployment.ts";
import type { SourceFile } from "../hosting/sites/fileUploader.ts";
import { type PublishOutcome, publish } from "../hosting/sites/publish.ts";
import type { SiteStore } from "../hosting/sites/sites.ts";
import type { Stores } from "../storage/stores.ts";
import type { Call } from "./command.ts";
import type { CliContext } from "./context.ts";
import { CommandFailure } from "./errors.ts";
import type { Progress } from "./output.ts";
import { chosenService } from "./remote/credentials.ts";
import { withStores } from "./withStores.ts";

export interface HostedDeployment extends ShownDeployment {
  /** Its own address, where it has one. */
  readonly preview: string | undefined;
}

export interface HostedSites
  extends Pick<
    SiteStore,
    | "addProject"
    | "project"
    | "listProjects"
    | "ownerOf"
    | "publishDeployment"
    | "rollBack"
    | "unpublish"
  > {
  /** Newest first. */
  listDeployments(slug: string, limit: number): Promise<readonly HostedDeployment[]>;
}

/** A service that is called over its API knows the actor by the token, whatever is said here. */
export type HostedDomains = Pick<
  DomainService,
  | "list"
  | "claimsOn"
  | "show"
  | "add"
  | "verify"
  | "remove"
  | "move"
  | "setHsts"
  | "edgesBehind"
  | "routing"
  | "applyRouting"
  | "changeRouting"
>;

export interface AttachedHost {
  readonly host: string;
  readonly status: Status;
}

export interface UploadOptions {
  /** Ends it between two files, with the signal's reason. What is shown stays shown. */
  readonly signal: AbortSignal;
  /** A progress bar, where there is a terminal for it. `what` is a verb: `Deploying`. */
  progress(what: string): Progress;
  /** What happens, in a line, where there is no terminal. */
  say(text: string): void;
}

/** The option of each command that can do its work there. */
export const onService = { "to <url>": "Work on this service instead of the local store" };

export interface Hosting {
  /** The origin of the service; undefined for the store itself. */
  readonly service: string | undefined;
  readonly sites: HostedSites;
  /** Loaded by those alone who need them: the list of public suffixes would make the others slower. */
  domains(): Promise<HostedDomains>;
  /** In the order of the hosts. */
  attached(slug: string): Promise<readonly AttachedHost[]>;
  /** Where a project is shown without any domain. */
  addressOf(slug: string): MaybePromise<string>;
  /** The HTTPS port as visitors of domains see it. */
  publicHttpsPort(): number;
  /** Stores a deployment whole, but does not publish it. */
  upload(
    slug: string,
    files: readonly SourceFile[],
    options: UploadOptions,
  ): Promise<PublishOutcome>;
}

export async function withHosting<T>(
  call: Call,
  context: CliContext,
  work: (hosting: Hosting) => Promise<T>,
): Promise<T> {
  const service = await chosenService(call, context);
  if (service === undefined) {
    return withStores(context, (stores) => work(storedHosting(stores, context)));
  }
  const { remoteHosting } = await import("./remote/remoteHosting.ts");
  return work(remoteHosting({ ...service, clock: context.clock })).catch((cause) => {
    if (!(cause instanceof Problem)) throw cause;
    throw new CommandFailure(cause.message, { code: cause.code });
  });
}

function storedHosting(stores: Stores, context: CliContext): Hosting {
  const { clock } = context;
  const { sites } = stores;
  return {
    service: undefined,
    sites: {
      ...sites,
      listDeployments: async (slug, limit) =>
        (await sites.listDeployments(slug, limit)).map(shownAt(clock.now())).map((each) => ({
          ...each,
          preview: each.state === "ready" ? context.previewAddress(each.id) : undefined,
        })),
    },
    async domains() {
      const { publicHttpsPort: _, ...settings } = context.domainSettings();
      const { DomainService } = await import("../hosting/domains/domainService.ts");
      return new DomainService({ ...stores, clock, ...settings });
    },
    attached: async (slug) =>
      (await stores.domains.list(slug)).map(({ domain, standing }) => ({
        host: domain.host,
        status: statusOf(domain, standing, clock.now()),
      })),
    addressOf: (slug) => context.siteAddress(slug),
    publicHttpsPort: () => context.domainSettings().publicHttpsPort ?? 443,
    async upload(slug, files, { signal, progress }) {
      const all = files.reduce((sum, { bytes }) => sum + bytes, 0);
      const bar = progress("Deploying");
      const onProgress = ({ files, bytes }: { files: number; bytes: number }) =>
        bar.update(files, all > 0 ? bytes / all : undefined);
      const how = { unless: "shown", publish: false, signal, onProgress } as const;
      return publish(slug, files, { store: sites, clock, ...how }).finally(() => bar.clear());
    },
  };
}
