import { describeCatalogue } from "./catalogue.suite.ts";
import { useTemporaryFolder } from "./folder.ts";
import { describeKeys } from "./keys.suite.ts";

const folder = useTemporaryFolder();
describeCatalogue("SQLite", () => folder.open());
describeKeys("SQLite", () => folder.open());
