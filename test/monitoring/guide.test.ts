/** The guide to monitoring lists what a service exposes, with the type and the labels of each. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { createLog } from "../../src/core/log.ts";
import { metricsText } from "../../src/core/metrics.ts";
import { Recent } from "../../src/http/recentRequests.ts";
import { Supervisor } from "../../src/serve/supervisor/supervisor.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";
import { labelsIn, metricsIn, rowsOfGuide, scraped } from "./scraped.ts";

const listed = rowsOfGuide();

/** Those of the supervisor, which has no processes. */
async function supervised(): Promise<string> {
  const log = createLog("off", systemClock, () => {});
  const recent = new Recent(systemClock);
  return metricsText(await new Supervisor({ clock: systemClock, log, recent }).families());
}

describeOnEngines("the guide to monitoring", (engine) => {
  let running: TestService;
  beforeAll(async () => {
    // With all that a process can do.
    running = await startTestService({
      engine,
      variables: {
        PETSTORE_SITES_HOST: "sites.example.com",
        PETSTORE_ACME_TERMS: "agreed",
        PETSTORE_EDGE_HTTP_PORT: "0",
        PETSTORE_EDGE_HTTPS_PORT: "0",
        PETSTORE_OTLP_URL: "http://127.0.0.1:1",
      },
    });
    await running.client.get("/pets");
  });
  afterAll(() => running.stop());

  test("lists every metric, with its type and its labels", async () => {
    const text = `${await scraped(running.service.metricsPort)}\n${await supervised()}`;
    const there = listed.filter(
      ({ meaning }) => engine.name === "PostgreSQL" || !meaning.includes("Only with PostgreSQL"),
    );
    const types = new Map(there.map(({ name, type }) => [name, type]));
    expect([...metricsIn(text)].toSorted()).toEqual([...types].toSorted());
    for (const { name, labels } of there) {
      const shown = labelsIn(text, name);
      if (shown !== undefined) expect({ name, labels: shown }).toEqual({ name, labels });
    }
  });

  test("says which of them are the same for all who use the database", async () => {
    const families = await running.service.families();
    const shared = families.filter(({ help }) => help.includes("the same on every machine"));
    const marked = listed.filter(({ meaning }) => meaning.includes("Of the database."));
    expect(shared.map(({ name }) => name).toSorted()).toEqual(
      marked.map(({ name }) => name).toSorted(),
    );
    expect(shared.filter(({ together }) => together === undefined)).toEqual([]);
  });
});
