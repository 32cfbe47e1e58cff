/** A real service with owners and tokens, and command lines on another machine and beside its store. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AccessHolder, mintAccess } from "../../../src/accounts/access.ts";
import type { CliContext } from "../../../src/cli/context.ts";
import { run } from "../../../src/cli/run.ts";
import { type Clock, systemClock } from "../../../src/core/clock.ts";
import { previewAddress, siteAddress } from "../../../src/hosting/sites/siteAddress.ts";
import { sitesHost } from "../../../src/serve/serveDashboard.ts";
import type { Engine } from "../../end-to-end/engines.ts";
import { startTestService, type TestService, testConfig } from "../../end-to-end/service.ts";
import { projectIn } from "../../store/domainSamples.ts";
import { CapturedOutput, CliFixture, chunks, type Outcome } from "../cliFixture.ts";

export const target = "sites.platform.test";

/** Nothing of domains runs, so the files of the certificate need not be there. */
const variables = {
  PETSTORE_DOCS_SITE: "off",
  PETSTORE_SITES_HOST: target,
  PETSTORE_ACME_TERMS: "agreed",
  PETSTORE_SITES_CERTIFICATE: "sites.pem",
  PETSTORE_SITES_CERTIFICATE_KEY: "sites.key",
  PETSTORE_ROLES: "none",
};
const config = testConfig(variables);

/** Pauses take no time, and are written down. What waits for minutes is there for what never comes. */
export function hastyClock(): Clock & { readonly pausesMs: number[] } {
  const pausesMs: number[] = [];
  return {
    ...systemClock,
    pausesMs,
    after(delayMs, action) {
      if (delayMs >= 120_000) return systemClock.after(delayMs, action);
      pausesMs.push(delayMs);
      const immediate = setImmediate(action);
      return () => clearImmediate(immediate);
    },
  };
}

export class RemoteFixture implements AsyncDisposable {
  readonly cli: CliFixture;
  readonly service: TestService;
  readonly tokens: Readonly<Record<"shop" | "rival" | "operator", string>>;
  /** Where the command line finds the service. */
  origin: string;
  clock = hastyClock();

  private constructor(service: TestService, tokens: RemoteFixture["tokens"]) {
    this.cli = new CliFixture({ store: false });
    this.service = service;
    this.tokens = tokens;
    this.origin = service.origin;
  }

  /** The owners shop and rival have a project of the same name each, which is deployed. */
  static async open(engine?: Engine, clock: Clock = systemClock): Promise<RemoteFixture> {
    const service = await startTestService({
      ...(engine === undefined ? {} : { engine }),
      clock,
      variables,
    });
    const { stores } = service;
    for (const project of ["shop", "rival"]) await projectIn(stores, project);
    const tokenOf = async (holder: AccessHolder) => {
      const { access, token } = mintAccess(holder, "test", systemClock);
      await stores.access.add(access);
      return token;
    };
    return new RemoteFixture(service, {
      shop: await tokenOf({ kind: "owner", id: "shop" }),
      rival: await tokenOf({ kind: "owner", id: "rival" }),
      operator: await tokenOf({ kind: "operator" }),
    });
  }

  get credentialsFile(): string {
    return this.cli.path("config/petstore/credentials.json");
  }

  /** On a machine that has nothing but the token. */
  remote(
    line: string,
    { as = this.tokens.shop, ...parts }: Partial<CliContext> & { as?: string } = {},
  ) {
    const { origin: to, credentialsFile } = this;
    const remote = () => ({ to, token: as, credentialsFile });
    return this.#run(line, { clock: this.clock, remote, ...parts });
  }

  /** Beside the store of the service. */
  local(line: string, parts: Partial<CliContext> = {}): Promise<Outcome> {
    const { database } = this.service;
    return this.#run(line, {
      locateStore: () => ({ path: database.folder, exists: true }),
      openStores: () => database.open(),
      siteAddress: (slug) => siteAddress(slug, sitesHost(config), 8080),
      previewAddress: (id) => previewAddress(id, sitesHost(config), 8080),
      domainSettings: () => ({ target, ownLimits: true, reserved: [target] }),
      ...parts,
    });
  }

  async #run(line: string, parts: Partial<CliContext>): Promise<Outcome> {
    const [stdout, stderr] = [new CapturedOutput(), new CapturedOutput()];
    const context = this.cli.context({ stdin: chunks(), stdout, stderr, ...parts });
    const code = await run(line.split(" "), context);
    return { code, out: stdout.text, err: stderr.text };
  }

  /** A folder with these files. */
  folder(files: Readonly<Record<string, string | Uint8Array>>): string {
    const folder = this.cli.path("site");
    for (const [path, content] of Object.entries(files)) {
      const file = join(folder, path);
      mkdirSync(join(file, ".."), { recursive: true });
      writeFileSync(file, content);
    }
    return folder;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cli[Symbol.asyncDispose]();
    await this.service.stop();
  }
}
