import { usePostgres } from "../postgres/useServer.ts";
import { describeAccess } from "./access.suite.ts";
import { describeAccounts } from "./accounts.suite.ts";
import { describeDisabledAccounts } from "./disabledAccounts.suite.ts";
import { describeMails } from "./mails.suite.ts";
import { describeSecondFactors } from "./secondFactors.suite.ts";
import { describeSiteContents } from "./siteContents.suite.ts";
import { describeSites } from "./sites.suite.ts";

const database = usePostgres({ migrated: true });
const open = () => database.open();
describeSites("PostgreSQL", open);
describeSiteContents("PostgreSQL", open);
describeAccess("PostgreSQL", open);
describeAccounts("PostgreSQL", open);
describeDisabledAccounts("PostgreSQL", open);
describeMails("PostgreSQL", open);
describeSecondFactors("PostgreSQL", open);
