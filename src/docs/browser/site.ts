/** Everything that moves on a page. Each part works without the others, and the page without all. */
import { startCopy } from "./copy.ts";
import { findAll } from "./elements.ts";
import { startMenu } from "./menu.ts";
import { startSamples } from "./samples.ts";
import { startSearch } from "./search.ts";
import { startTheme } from "./theme.ts";
import { startTryIt } from "./tryIt.ts";

// The address under which this page was reached is the one to show, if the API is there as well.
const given = document.body.dataset.baseUrlGiven ?? "";
if (given.startsWith("/")) {
  const whole = location.origin + given;
  for (const element of findAll("[data-base-url]")) element.textContent = whole;
}

startTheme();
startMenu();
startSamples();
startCopy();
startSearch();
startTryIt();
