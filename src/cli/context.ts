import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Clock } from "../core/clock.ts";
import type { Vault } from "../core/vault.ts";
import type { SetupObservation } from "../hosting/domains/setupChecks.ts";
import type { SendResult } from "../notifications/mails.ts";
import type { MailContext, MailMessage } from "../notifications/mailText.ts";
import type { Environment } from "../petstore/keys/token.ts";
import type { WebhookTools } from "../petstore/webhooks/webhookService.ts";
import type { CopyReport, Stores, StoreVersion } from "../storage/stores.ts";
import type { Output } from "./output.ts";

/** What the command line works with. `main.ts` gives it the real ones, a test its own. */
export interface CliContext {
  readonly clock: Clock;
  readonly environment: Environment;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Where the settings put the store. Looking makes nothing. */
  locateStore(): StoreLocation;
  /** The store that the settings name, made if it is not there yet. Close it after use. */
  openStores(): Promise<Stores>;
  /** How far the store's tables have got. Looking changes nothing. */
  storeVersion(): Promise<StoreVersion>;
  /**
   * Aborts on SIGINT or SIGTERM, with a Stopped as its reason. Once it was asked for, a signal no
   * longer ends the program: the caller must observe it.
   */
  stopSignal(): AbortSignal;
  /** What the environment says of a service to work on instead of the local store. */
  remote(): RemoteSettings;
  /** Where a project is shown while the service runs: `http://acme.localhost:8080/`. */
  siteAddress(slug: string): string;
  /** Where one deployment is shown; undefined where they have no addresses of their own. */
  previewAddress(id: string): string | undefined;
  /** The service's documentation as the files of a site of its own, by their paths. */
  buildDocs(baseUrl: string | undefined): Promise<ReadonlyMap<string, Uint8Array>>;
  /** What the settings say of custom domains. */
  domainSettings(): DomainSettings;
  /** What seals the secrets of webhooks, and sends one. Close it after use. */
  webhooks(): WebhookTools & { close(): Promise<void> };
  /** What seals and sends mails; undefined where no mail server is set. */
  mail(): MailTools | undefined;
  /** Where this machine reaches the service while it runs: `http://127.0.0.1:8080`. */
  serviceAddress(): string;
  /** What a connection to it begins with, before the request. */
  servicePreface(): Uint8Array;
  /** Where the dashboard is while the service runs: `http://127.0.0.1:8080/dashboard/`. */
  dashboardAddress(): string;
  /**
   * Runs the service until a signal stops it, with settings that go before those of the environment.
   * `started` is called once it takes requests.
   */
  serve(
    settings: Readonly<Record<string, string>>,
    started: (service: StartedService) => void,
  ): Promise<void>;
  /**
   * Looks at what this machine needs to be reached by its names, with settings that go before those
   * of the environment. It leaves nothing behind.
   */
  observeSetup(settings: Readonly<Record<string, string>>): Promise<SetupObservation>;
  /**
   * Has the service that runs replace its processes, with the settings of this command's environment
   * if wanted. Refused with a CommandFailure where they do not start, and the old ones go on.
   */
  reload(withSettings: boolean): Promise<{ readonly processes: number }>;
  /**
   * Copies the store into a new file while it is in use. Refuses to overwrite a file. Stopped by a
   * signal, it leaves nothing behind and throws the Stopped.
   */
  backup(file: string): Promise<CopyReport>;
  /** Replaces the contents of the store by those of a backup, in one commit, while it is in use. */
  restore(file: string): Promise<CopyReport>;
}

export interface Input extends AsyncIterable<Uint8Array> {
  readonly isTTY?: boolean;
  /** Of a terminal: whether it leaves everything that is typed to us, and shows none of it. */
  setRawMode?(raw: boolean): unknown;
}

export interface RemoteSettings {
  /** PETSTORE_TO */
  readonly to: string | undefined;
  /** PETSTORE_TOKEN */
  readonly token: string | undefined;
  /** Where `petstore login` stores tokens. */
  readonly credentialsFile: string;
}

export function remoteSettings(variables: NodeJS.ProcessEnv): RemoteSettings {
  const { PETSTORE_TO, PETSTORE_TOKEN, XDG_CONFIG_HOME = "" } = variables;
  // A relative one is to be ignored, by the XDG base directory specification.
  const folder = isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(homedir(), ".config");
  return {
    to: PETSTORE_TO || undefined,
    token: PETSTORE_TOKEN || undefined,
    credentialsFile: join(folder, "petstore", "credentials.json"),
  };
}

export interface MailTools {
  /** How the server is named to people: its host and port. */
  readonly server: string;
  readonly vault: Vault;
  /** Where the operator's mail goes if their account has no address. */
  readonly operatorEmail: string | undefined;
  readonly context: MailContext;
  send(message: MailMessage): Promise<SendResult>;
  /** Whether the server lets us in. Sends nothing. */
  verify(): Promise<SendResult>;
}

export interface DomainSettings {
  /** The host below which every domain has its target; undefined where domains are not set up. */
  readonly target: string | undefined;
  /** Whether our own limits apply, below those of a public authority. */
  readonly ownLimits: boolean;
  /** Whether challenges can be answered by DNS. */
  readonly dnsUpdates?: boolean;
  /** The platform's own hosts, which cannot be attached. */
  readonly reserved: readonly string[];
  /** The HTTPS port as visitors see it; undefined means the usual one. */
  readonly publicHttpsPort?: number | undefined;
}

export interface StoreLocation {
  /** Absolute, or the address of a server without its password. */
  readonly path: string;
  readonly exists: boolean;
  /** The program that copies this store, where it is not this one. */
  readonly copiedBy?: "pg_dump";
}

export interface StartedService {
  /** `http://127.0.0.1:8080/v1` */
  readonly baseUrl: string;
  /** `https://api.example.com/v1`, where the service has a name of its own. */
  readonly publicUrl?: string | undefined;
  /** Whether that is served already. */
  readonly hasCertificate?: boolean;
  readonly environment: Environment;
  /** The key that an empty store is given. It is known now and never again. */
  readonly firstKey: string | undefined;
  /** False where every call is refused until a key is created. */
  readonly hasKeys: boolean;
  /** Left out where there is no dashboard. */
  readonly dashboard?: {
    /** `http://127.0.0.1:8080/dashboard/` */
    readonly address: string;
    /** The link that comes with the first key. It is known now and never again. */
    readonly firstLink: string | undefined;
  };
}
