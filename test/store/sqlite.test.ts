import { describeCatalogue } from "./catalogue.suite.ts";
import { describeCategories } from "./categories.suite.ts";
import { useTemporaryFolder } from "./folder.ts";
import { describeHistories } from "./histories.suite.ts";
import { describeKeys } from "./keys.suite.ts";
import { describeOnce } from "./once.suite.ts";
import { describeOrders } from "./orders.suite.ts";

const folder = useTemporaryFolder();
const open = () => folder.open();
describeCatalogue("SQLite", open);
describeCategories("SQLite", open);
describeOrders("SQLite", open);
describeOnce("SQLite", open);
describeHistories("SQLite", open);
describeKeys("SQLite", open);
