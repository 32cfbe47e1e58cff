import { usePostgres } from "../postgres/useServer.ts";
import { describeDomainLists } from "./domainLists.suite.ts";
import { describeDomainRecords } from "./domainRecords.suite.ts";
import { describeDomains } from "./domains.suite.ts";
import { describeEdgeView } from "./edgeView.suite.ts";
import { describeHostingEvents } from "./hostingEvents.suite.ts";
import { describeLeases } from "./leases.suite.ts";

const database = usePostgres({ migrated: true });
const open = () => database.open();
describeDomains("PostgreSQL", open);
describeHostingEvents("PostgreSQL", open);
describeDomainLists("PostgreSQL", open);
describeDomainRecords("PostgreSQL", open);
describeLeases("PostgreSQL", open);
describeEdgeView("PostgreSQL", open);
