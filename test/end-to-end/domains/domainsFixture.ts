/** The whole service with an edge and a worker, among real name servers and a real authority. */
import { DomainService } from "../../../src/hosting/domains/domainService.ts";
import type { DomainDetails } from "../../../src/hosting/domains/domainView.ts";
import { edgeSilentMaxMs } from "../../../src/hosting/domains/schedule.ts";
import { publish } from "../../../src/hosting/sites/publish.ts";
import type { Actor, Plan } from "../../../src/hosting/sites/site.ts";
import { eventually } from "../../../testkit/eventually.ts";
import { settingsFor } from "../../../testkit/testBed/settings.ts";
import type { TestBed } from "../../../testkit/testBed/testBed.ts";
import { sourcesOf } from "../../sites/sources.ts";
import { type Engine, sqlite } from "../engines.ts";
import { startTestService, type TestOptions, type TestService } from "../service.ts";
import { type MovableClock, movableClock } from "./movableClock.ts";

export interface DomainsFixture {
  readonly testBed: TestBed;
  readonly clock: MovableClock;
  readonly service: TestService;
  readonly domainService: DomainService;
  /** Makes an owner with one project, which has the owner's name and shows it on its first page. */
  newProject(name: string, options?: { plan?: Plan; deployed?: boolean }): Promise<string>;
  /** What people see of the domain now. */
  show(project: string, host: string): Promise<DomainDetails>;
  /** The domain, once it is as wanted; fails with what it is instead after too long. */
  until(
    project: string,
    host: string,
    wanted: (details: DomainDetails) => boolean,
  ): Promise<DomainDetails>;
  /** Lets time pass, as if the edge had reported all the while. */
  skip(durationMs: number): Promise<void>;
  /** Asks for a check, and waits for a look at DNS that began after that. */
  verify(project: string, host: string): Promise<DomainDetails>;
  /** Adds a domain, and has the records of its zone point to its target. */
  add(project: string, host: string): Promise<DomainDetails>;
  /** Adds a domain, points its zone to it, and waits until it is live. */
  goLive(project: string, host: string): Promise<DomainDetails>;
  stop(): Promise<void>;
}

export const operator: Actor = { kind: "operator" };

export async function startDomainsFixture(
  testBed: TestBed,
  engine: Engine = sqlite,
  variables: Record<string, string> = {},
  configure?: TestOptions["configure"],
): Promise<DomainsFixture> {
  const clock = movableClock();
  const service = await startTestService({
    clock,
    engine,
    configure,
    variables: { ...settingsFor(testBed), ...variables },
  });
  const { sites, domains, edgeView } = service.stores;
  const domainService = new DomainService({
    sites,
    domains,
    edgeView,
    clock,
    target: testBed.target,
    ownLimits: true,
    reserved: ["platform.test"],
    dnsUpdates: "PETSTORE_DNS_UPDATE" in variables,
  });
  const show = (project: string, host: string) => domainService.show(operator, project, host);

  const warnings = () =>
    service
      .logged()
      .split("\n")
      .filter((line) => /"level":"(?:warn|error)"/.test(line))
      .slice(-20)
      .join("\n");

  const until: DomainsFixture["until"] = (project, host, wanted) => {
    let details: DomainDetails | undefined;
    return eventually(
      async () => {
        details = await show(project, host);
        return wanted(details) && details;
      },
      () => `${host} did not come to it: ${JSON.stringify(details, undefined, 1)}\n${warnings()}`,
    );
  };

  const fixture: DomainsFixture = {
    testBed,
    clock,
    service,
    domainService,
    show,
    until,
    async newProject(name, { plan = "paid", deployed = true } = {}) {
      const nowMs = clock.now();
      await sites.addOwner({ id: name, name, plan });
      await sites.addProject({ slug: name, ownerId: name, nowMs });
      if (deployed) {
        const files = sourcesOf({ "index.html": `<!doctype html><title>${name}</title>` });
        await publish(name, files, { store: sites, clock, unless: "newest" });
      }
      return name;
    },
    async skip(durationMs) {
      const running = await edgeView.edges(clock.now() - edgeSilentMaxMs);
      clock.skip(durationMs);
      const seenAtMs = clock.now();
      await Promise.all(running.map((edge) => edgeView.reportEdge({ ...edge, seenAtMs })));
    },
    async verify(project, host) {
      // One more click within ten seconds would be refused.
      const { timeline } = await show(project, host);
      if (timeline.some(({ event }) => event === "verify_requested")) await fixture.skip(10_000);
      const clickedAtMs = clock.now();
      await domainService.verify(operator, project, host);
      return until(project, host, ({ checkedAtMs = 0 }) => checkedAtMs >= clickedAtMs);
    },
    async add(project, host) {
      const details = await domainService.add(operator, project, host);
      await testBed.point(host, details.records[0]?.value ?? "");
      return details;
    },
    async goLive(project, host) {
      await fixture.add(project, host);
      await fixture.verify(project, host);
      return until(project, host, ({ status }) => status === "live");
    },
    stop: () => service.stop(),
  };
  return fixture;
}
