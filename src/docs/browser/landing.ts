/** Everything that moves on the landing page. */
import { startCopy } from "./copy.ts";
import { startHealth } from "./health.ts";
import { startTheme } from "./theme.ts";

startTheme();
startCopy();
startHealth();
