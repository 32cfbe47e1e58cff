/** Domains in memory do what every store of domains does, so tests that stand on them stand well. */
import { beforeEach } from "bun:test";
import type { Stores } from "../../src/storage/stores.ts";
import { memoryStores, type SitesAndDomains } from "../../testkit/memoryStores.ts";
import { describeDomainLists } from "../store/domainLists.suite.ts";
import { describeDomainRecords } from "../store/domainRecords.suite.ts";
import { describeDomains } from "../store/domains.suite.ts";
import { describeEdgeView } from "../store/edgeView.suite.ts";
import { describeLeases } from "../store/leases.suite.ts";

let stores: SitesAndDomains;
beforeEach(() => {
  stores = memoryStores();
});

// The suites ask for nothing but sites and domains.
const open = async () => stores as SitesAndDomains & Stores;
describeDomains("memory", open);
describeDomainLists("memory", open);
describeDomainRecords("memory", open);
describeLeases("memory", open);
describeEdgeView("memory", open);
