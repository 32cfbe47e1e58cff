/** fast-check from the seed of the run. It tells the seed of what fails. */
import fc from "fast-check";
import { testSeed } from "./seed.ts";

fc.configureGlobal({ seed: testSeed });

export default fc;
