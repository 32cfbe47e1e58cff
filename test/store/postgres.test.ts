import { usePostgres } from "../postgres/useServer.ts";
import { describeCatalogue } from "./catalogue.suite.ts";
import { describeCategories } from "./categories.suite.ts";
import { describeHistories } from "./histories.suite.ts";
import { describeIdempotency } from "./idempotency.suite.ts";
import { describeKeys } from "./keys.suite.ts";
import { describeOrders } from "./orders.suite.ts";
import { describeRevision } from "./revision.suite.ts";

const database = usePostgres({ migrated: true });
const open = () => database.open();
describeCatalogue("PostgreSQL", open);
describeCategories("PostgreSQL", open);
describeOrders("PostgreSQL", open);
describeRevision("PostgreSQL", open);
describeIdempotency("PostgreSQL", open);
describeHistories("PostgreSQL", open);
describeKeys("PostgreSQL", open);
