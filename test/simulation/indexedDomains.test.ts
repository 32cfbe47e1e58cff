/** The store of the simulation does what every store of domains does. */
import { beforeEach } from "bun:test";
import type { Stores } from "../../src/stores.ts";
import { memoryStores } from "../fakes/memoryStores.ts";
import { describeDomainRecords } from "../store/domainRecords.suite.ts";
import { describeDomains } from "../store/domains.suite.ts";
import { describeEdgeView } from "../store/edgeView.suite.ts";
import { describeLeases } from "../store/leases.suite.ts";
import { IndexedDomains } from "./indexedDomains.ts";

let stores: Pick<Stores, "sites" | "domains" | "edgeView" | "acmeAccounts">;
beforeEach(() => {
  const { sites, acmeAccounts } = memoryStores();
  const domains = new IndexedDomains(sites);
  stores = { sites, domains, edgeView: domains, acmeAccounts };
});

// The suites ask for nothing but sites and domains.
const open = async () => stores as Stores;
describeDomains("indexed memory", open);
describeDomainRecords("indexed memory", open);
describeLeases("indexed memory", open);
describeEdgeView("indexed memory", open);
